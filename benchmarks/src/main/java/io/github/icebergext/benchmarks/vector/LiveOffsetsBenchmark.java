package io.github.icebergext.benchmarks.vector;

import org.openjdk.jmh.annotations.Benchmark;

/** Takes the live rows of each batch of 4,096 rows of the file. */
public class LiveOffsetsBenchmark extends VectorBenchmark {
  static final int BATCH = 4096;

  private final int[] offsets = new int[BATCH];

  /** Asks for the offsets of a batch. */
  @Benchmark
  public long ours() {
    long live = 0;
    for (int row = 0; row < rows.count(); row += BATCH) {
      int length = Math.min(BATCH, rows.count() - row);
      live += positions.liveOffsets(rows.first() + row, length, offsets);
    }
    return live;
  }

  /** Asks row by row. */
  @Benchmark
  public long iceberg() {
    long live = 0;
    for (int row = 0; row < rows.count(); row += BATCH) {
      int length = Math.min(BATCH, rows.count() - row);
      long start = rows.first() + row;
      int count = 0;
      for (int i = 0; i < length; i++) {
        if (!index.isDeleted(start + i)) {
          offsets[count++] = i;
        }
      }
      live += count;
    }
    return live;
  }

  /** Takes what stands between the deleted rows that Iceberg passes for a range. */
  @Benchmark
  public long icebergForEachInRange() {
    long live = 0;
    for (int row = 0; row < rows.count(); row += BATCH) {
      int length = Math.min(BATCH, rows.count() - row);
      long start = rows.first() + row;
      Gaps gaps = new Gaps(offsets);
      index.forEachInRange(start, start + length, position -> gaps.upTo((int) (position - start)));
      gaps.upTo(length);
      live += gaps.count;
    }
    return live;
  }

  private static final class Gaps {
    private final int[] offsets;
    private int count;
    private int next;

    private Gaps(int[] offsets) {
      this.offsets = offsets;
    }

    /** Adds the rows before a deleted one. */
    private void upTo(int deleted) {
      int end = count;
      for (int i = next; i < deleted; i++) {
        offsets[end++] = i;
      }
      count = end;
      next = deleted + 1;
    }
  }
}
