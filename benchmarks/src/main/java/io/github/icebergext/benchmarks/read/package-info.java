/**
 * Benchmarks of reading vectors from storage: from an object store that is simulated, and from a
 * local disk.
 */
@NullMarked
package io.github.icebergext.benchmarks.read;

import org.jspecify.annotations.NullMarked;
