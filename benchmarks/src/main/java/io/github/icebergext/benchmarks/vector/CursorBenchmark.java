package io.github.icebergext.benchmarks.vector;

import io.github.icebergext.dv.PositionCursor;
import org.openjdk.jmh.annotations.Benchmark;

/** Asks row by row in ascending order. */
public class CursorBenchmark extends VectorBenchmark {
  /** Asks a cursor. */
  @Benchmark
  public long ours() {
    PositionCursor cursor = positions.cursor();
    long end = rows.first() + rows.count();
    long count = 0;
    for (long position = rows.first(); position < end; position++) {
      count += cursor.isDeleted(position) ? 1 : 0;
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
