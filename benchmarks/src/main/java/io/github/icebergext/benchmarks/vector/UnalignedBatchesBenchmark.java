package io.github.icebergext.benchmarks.vector;

import java.util.Arrays;
import org.openjdk.jmh.annotations.Benchmark;

/** Writes the keep masks of batches of 5,000 rows, which do not begin at whole words. */
public class UnalignedBatchesBenchmark extends VectorBenchmark {
  private static final int BATCH = 5_000;

  private final long[] mask = new long[(BATCH + Long.SIZE - 1) / Long.SIZE];

  /** Asks for the mask of a batch. */
  @Benchmark
  public long ours() {
    long words = 0;
    for (int row = 0; row < rows.count(); row += BATCH) {
      int length = Math.min(BATCH, rows.count() - row);
      positions.keepMask(rows.first() + row, length, mask);
      words += mask[0];
    }
    return words;
  }

  /** Clears the bit of each deleted row of a batch. */
  @Benchmark
  public long iceberg() {
    long words = 0;
    for (int row = 0; row < rows.count(); row += BATCH) {
      int length = Math.min(BATCH, rows.count() - row);
      long start = rows.first() + row;
      Arrays.fill(mask, -1L);
      index.forEachInRange(
          start, start + length, p -> mask[(int) ((p - start) >>> 6)] &= ~(1L << (p - start)));
      words += mask[0];
    }
    return words;
  }
}
