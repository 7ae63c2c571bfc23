package io.github.icebergext.benchmarks.vector;

import java.util.Arrays;
import org.openjdk.jmh.annotations.Benchmark;

/** Writes which rows of the whole file are live into a mask that is used again. */
public class KeepMaskVsForEachBenchmark extends VectorBenchmark {
  private long[] mask = new long[0];
  private byte[] octets = new byte[0];

  @Override
  void prepareMore() {
    mask = new long[rows.words()];
    octets = new byte[rows.words() * Long.BYTES];
  }

  /** Asks for the mask. */
  @Benchmark
  public long[] ours() {
    positions.keepMask(rows.first(), rows.count(), mask);
    return mask;
  }

  /** Clears the bit of each deleted row. */
  @Benchmark
  public long[] iceberg() {
    long[] words = mask;
    long first = rows.first();
    int count = rows.count();
    Arrays.fill(words, -1L);
    words[words.length - 1] &= -1L >>> -count;
    if (rows.isWholeFile()) {
      index.forEach(row -> words[(int) (row >>> 6)] &= ~(1L << row));
    } else {
      index.forEachInRange(
          first, first + count, p -> words[(int) ((p - first) >>> 6)] &= ~(1L << (p - first)));
    }
    return mask;
  }

  /** Writes an buffer of Arrow booleans instead. */
  @Benchmark
  public byte[] bytes() {
    positions.keepMask(rows.first(), rows.count(), octets);
    return octets;
  }

  /** Allocates the mask each time, and no more. */
  @Benchmark
  public long[] allocation() {
    return new long[rows.words()];
  }
}
