/**
 * Measures the libraries beside Iceberg's own code, in one run.
 *
 * <p>A benchmark is one class: its name is that of the benchmark with {@code Benchmark} after it,
 * its parameter {@code shape} says what data it runs on, its method {@code ours} measures the
 * library and {@code iceberg} Iceberg's own code at the same task. Further methods are printed
 * beside the two. How often it runs is set in {@link
 * io.github.icebergext.benchmarks.ComparedBenchmark}, in what kind of JVM in {@link
 * io.github.icebergext.benchmarks.Run}.
 */
@NullMarked
package io.github.icebergext.benchmarks;

import org.jspecify.annotations.NullMarked;
