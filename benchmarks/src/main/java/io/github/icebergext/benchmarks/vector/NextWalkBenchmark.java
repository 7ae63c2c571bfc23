package io.github.icebergext.benchmarks.vector;

import org.openjdk.jmh.annotations.Benchmark;

/** Walks the file and counts its live rows. */
public class NextWalkBenchmark extends VectorBenchmark {
  /** Steps from each range of live rows to the next. */
  @Benchmark
  public long ours() {
    long end = rows.first() + rows.count();
    long count = 0;
    long live = positions.nextLive(rows.first());
    while (live < end) {
      long deleted = positions.nextDeleted(live);
      if (deleted < 0 || deleted >= end) {
        return count + end - live;
      }
      count += deleted - live;
      live = positions.nextLive(deleted);
    }
    return count;
  }

  /** Asks row by row. */
  @Benchmark
  public long iceberg() {
    long end = rows.first() + rows.count();
    long count = 0;
    for (long position = rows.first(); position < end; position++) {
      count += index.isDeleted(position) ? 0 : 1;
    }
    return count;
  }
}
