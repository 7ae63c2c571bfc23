package io.github.icebergext.dv;

import java.util.Arrays;

/**
 * The rows of one batch: those from {@code first} on, {@code length} of them, as row offsets from
 * 0.
 *
 * <p>Masks are made by inverting the bits of deleted rows in a mask that is uniform before.
 */
final class RowBatch {
  /** Rows of which the bits fill half of a first-level cache. */
  private static final int CHUNK = Containers.SPAN;

  private final Containers containers;
  private final long first;
  private final int length;

  /**
   * Names the rows.
   *
   * @throws IllegalArgumentException if the length is negative or more than {@code capacity}
   */
  RowBatch(Containers containers, long first, int length, long capacity) {
    if (length < 0 || length > capacity) {
      throw new IllegalArgumentException(
          "Cannot take " + length + " rows: the array has room for " + capacity);
    }
    this.containers = containers;
    this.first = first;
    this.length = length;
  }

  /** Writes a bit for each row: {@code live} for live ones, its opposite for deleted ones. */
  void mask(Fill live, long[] mask) {
    mask(live, 0, length, mask);
  }

  void mask(Fill live, byte[] mask) {
    long[] words = new long[Bits.words(Math.min(length, CHUNK))];
    for (int row = 0; row < length; row += CHUNK) {
      int rows = Math.min(CHUNK, length - row);
      mask(live, row, rows, words);
      copy(words, rows, mask, row >>> 3);
    }
  }

  private void mask(Fill live, int row, int rows, long[] mask) {
    if (rows == 0) {
      return;
    }
    int words = Bits.words(rows);
    Arrays.fill(mask, 0, words, live.word);
    mask[words - 1] &= -1L >>> -rows;
    containers.flip(first + row, rows, mask);
  }

  private static void copy(long[] words, int bits, byte[] bytes, int at) {
    int whole = bits >>> 6;
    for (int i = 0; i < whole; i++) {
      LittleEndian.putI64(bytes, at + 8 * i, words[i]);
    }
    int end = (bits + 7) >>> 3;
    for (int i = whole * 8; i < end; i++) {
      bytes[at + i] = (byte) (words[whole] >>> (8 * i));
    }
  }

  /** Writes the offsets of live rows, ascending, and returns their number. */
  int liveOffsets(int[] offsets) {
    long[] words = new long[Bits.words(Math.min(length, CHUNK))];
    int count = 0;
    for (int row = 0; row < length; row += CHUNK) {
      int rows = Math.min(CHUNK, length - row);
      mask(Fill.ONES, row, rows, words);
      for (int i = 0; i < Bits.words(rows); i++) {
        count = put(words[i], row + (i << 6), offsets, count);
      }
    }
    return count;
  }

  private static int put(long word, int row, int[] offsets, int count) {
    int end = count;
    for (long rest = word; rest != 0; rest &= rest - 1) {
      offsets[end++] = row + Long.numberOfTrailingZeros(rest);
    }
    return end;
  }

  /** What a mask holds for live rows. */
  enum Fill {
    ZEROS(0),
    ONES(-1);

    private final long word;

    Fill(long word) {
      this.word = word;
    }
  }
}
