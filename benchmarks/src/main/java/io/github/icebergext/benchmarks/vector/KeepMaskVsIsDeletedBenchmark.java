package io.github.icebergext.benchmarks.vector;

import org.openjdk.jmh.annotations.Benchmark;

/** Writes which rows of the whole file are live. */
public class KeepMaskVsIsDeletedBenchmark extends VectorBenchmark {
  private long[] mask = new long[0];

  @Override
  void prepareMore() {
    mask = new long[rows.words()];
  }

  /** Asks for the mask. */
  @Benchmark
  public long[] ours() {
    positions.keepMask(rows.first(), rows.count(), mask);
    return mask;
  }

  /** Asks row by row. */
  @Benchmark
  public long[] iceberg() {
    for (int i = 0; i < mask.length; i++) {
      int rest = Math.min(Long.SIZE, rows.count() - i * Long.SIZE);
      long word = 0;
      for (int bit = 0; bit < rest; bit++) {
        if (!index.isDeleted(rows.first() + (i << 6) + bit)) {
          word |= 1L << bit;
        }
      }
      mask[i] = word;
    }
    return mask;
  }

  /** Allocates the mask each time, and no more. */
  @Benchmark
  public long[] allocation() {
    return new long[rows.words()];
  }
}
