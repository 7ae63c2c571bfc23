/**
 * Benchmarks of the deletion vector itself, single-threaded and on seeded data.
 *
 * <p>The shapes are those of {@link io.github.icebergext.benchmarks.vector.Rows}; four of them run
 * unless others are asked for, as by {@code benchmarks/run vector -p
 * shape=clustered,several-keys,mixed}.
 */
@NullMarked
package io.github.icebergext.benchmarks.vector;

import org.jspecify.annotations.NullMarked;
