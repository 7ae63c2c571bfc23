package io.github.icebergext.benchmarks.vector;

import org.openjdk.jmh.annotations.Benchmark;

/** Asks row by row in ascending order, without a cursor. */
public class IsDeletedInOrderBenchmark extends VectorBenchmark {
  /** Asks the value. */
  @Benchmark
  public long ours() {
    long end = rows.first() + rows.count();
    long count = 0;
    for (long position = rows.first(); position < end; position++) {
      count += positions.isDeleted(position) ? 1 : 0;
    }
    return count;
  }

  /** Asks the index. */
  @Benchmark
  public long iceberg() {
    long end = rows.first() + rows.count();
    long count = 0;
    for (long position = rows.first(); position < end; position++) {
      count += index.isDeleted(position) ? 1 : 0;
    }
    return count;
  }
}
