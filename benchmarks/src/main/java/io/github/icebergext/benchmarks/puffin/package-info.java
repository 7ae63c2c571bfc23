/** Benchmarks of the container. */
@NullMarked
package io.github.icebergext.benchmarks.puffin;

import org.jspecify.annotations.NullMarked;
