/**
 * Benchmarks of writing vectors, beside Iceberg's writer of them. What both write is counted and
 * dropped; what they read is on a local disk.
 */
@NullMarked
package io.github.icebergext.benchmarks.write;

import org.jspecify.annotations.NullMarked;
