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
    long[] words = null;
    int count = 0;
    for (int row = 0; row < length; ) {
      int rows = Math.min(rowsAlike(row), length - row);
      // The last position of all has no exclusive end.
      if (containers.isMixed(first + row) || first + row > Long.MAX_VALUE - rows) {
        words = words == null ? new long[Bits.words(Math.min(length, CHUNK))] : words;
        count = putByBits(row, rows, words, offsets, count);
      } else {
        count = putByGaps(row, rows, offsets, count);
      }
      row += rows;
    }
    return count;
  }

  /** Returns the number of rows from {@code row} on that belong to the same container. */
  private int rowsAlike(int row) {
    return CHUNK - ((int) (first + row) & (CHUNK - 1));
  }

  private int putByGaps(int row, int rows, int[] offsets, int count) {
    Gaps gaps = new Gaps(first, row, offsets, count);
    containers.forEachRange(first + row, first + row + rows, gaps);
    return gaps.putUpTo(row + rows);
  }

  private int putByBits(int row, int rows, long[] words, int[] offsets, int count) {
    mask(Fill.ONES, row, rows, words);
    int end = count;
    for (int i = 0; i < rows; ) {
      int full = firstMixed(words, i >>> 6, Bits.words(rows)) << 6;
      if (full > i) {
        end = putAll(row + i, full - i, offsets, end);
        i = full;
      } else {
        end = put(words[i >>> 6], row + i, Math.min(rows - i, Long.SIZE), offsets, end);
        i += Long.SIZE;
      }
    }
    return end;
  }

  /** Returns the index of the first word from {@code from} on that has a cleared bit. */
  private static int firstMixed(long[] words, int from, int to) {
    int i = from;
    while (i < to && words[i] == -1) {
      i++;
    }
    return i;
  }

  /** Puts consecutive rows. */
  private static int putAll(int row, int rows, int[] offsets, int count) {
    for (int done = 0; done < rows; done += Ascending.NUMBERS.length) {
      Ascending.put(
          row + done, Math.min(rows - done, Ascending.NUMBERS.length), offsets, count + done);
    }
    return count + rows;
  }

  /** Puts those of up to 64 rows of which the bit is set. */
  private static int put(long word, int row, int rows, int[] offsets, int count) {
    int end = count;
    int whole = rows & -Byte.SIZE;
    for (int i = 0; i < whole; i += Byte.SIZE) {
      end = SetBits.put((int) (word >>> i) & 0xFF, row + i, offsets, end);
    }
    for (long rest = whole == Long.SIZE ? 0 : word & -1L << whole; rest != 0; rest &= rest - 1) {
      offsets[end++] = row + Long.numberOfTrailingZeros(rest);
    }
    return end;
  }

  /** Puts the rows between ranges of deleted positions. */
  private static final class Gaps implements PositionRangeConsumer {
    private final long first;
    private final int[] offsets;
    private int row;
    private int count;

    Gaps(long first, int row, int[] offsets, int count) {
      this.first = first;
      this.row = row;
      this.offsets = offsets;
      this.count = count;
    }

    @Override
    public void accept(long startInclusive, long endExclusive) {
      putUpTo((int) (startInclusive - first));
      row = (int) (endExclusive - first);
    }

    int putUpTo(int end) {
      count = putAll(row, end - row, offsets, count);
      return count;
    }
  }

  /**
   * Consecutive numbers: copied and then added to, since older JVMs make vector instructions of
   * that only.
   */
  private static final class Ascending {
    private static final int[] NUMBERS = new int[1024];

    static {
      Arrays.setAll(NUMBERS, i -> i);
    }

    static void put(int row, int rows, int[] offsets, int at) {
      System.arraycopy(NUMBERS, 0, offsets, at, rows);
      int end = at + rows;
      for (int i = at; i < end; i++) {
        offsets[i] += row;
      }
    }
  }

  /** Where bits are set in each possible byte. */
  private static final class SetBits {
    /** Eight numbers for each byte, of which those after the last set bit mean nothing. */
    private static final byte[] INDEXES = new byte[256 * Byte.SIZE];

    static {
      for (int octet = 0; octet < 256; octet++) {
        int at = octet * Byte.SIZE;
        for (int rest = octet; rest != 0; rest &= rest - 1) {
          INDEXES[at++] = (byte) Integer.numberOfTrailingZeros(rest);
        }
      }
    }

    /**
     * Puts eight rows without a branch, and returns the end of the live ones; the rest is
     * overwritten by what comes next. There is room for eight, as no more rows were put than looked
     * at.
     */
    static int put(int octet, int row, int[] offsets, int end) {
      int at = octet * Byte.SIZE;
      offsets[end] = row + INDEXES[at];
      offsets[end + 1] = row + INDEXES[at + 1];
      offsets[end + 2] = row + INDEXES[at + 2];
      offsets[end + 3] = row + INDEXES[at + 3];
      offsets[end + 4] = row + INDEXES[at + 4];
      offsets[end + 5] = row + INDEXES[at + 5];
      offsets[end + 6] = row + INDEXES[at + 6];
      offsets[end + 7] = row + INDEXES[at + 7];
      return end + Integer.bitCount(octet);
    }
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
