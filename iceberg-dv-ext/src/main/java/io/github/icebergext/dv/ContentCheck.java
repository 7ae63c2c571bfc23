package io.github.icebergext.dv;

import static io.github.icebergext.dv.LittleEndian.i64;
import static io.github.icebergext.dv.LittleEndian.u16;

import java.util.Arrays;

/**
 * Checks the contents of containers in the way that the running JVM compiles best; all ways give
 * the same answers. Not thread-safe.
 */
abstract sealed class ContentCheck {
  /** The first version that compiles loops over longs in byte arrays to vector instructions. */
  private static final int VECTORIZING_JAVA = 25;

  /** The highest bit of each of the four values in a word. */
  private static final long HIGH_BITS = 0x8000_8000_8000_8000L;

  /** Returns the check that is the fastest here. */
  static ContentCheck fastest() {
    return Runtime.version().feature() >= VECTORIZING_JAVA ? new InPlace() : new Copying();
  }

  /**
   * Tells whether {@code count} 16-bit values from {@code at} on are strictly ascending. If it says
   * so, {@link #isSure} has to be asked in the end.
   */
  abstract boolean ascends(byte[] bytes, int at, int count);

  /** Tells whether all values that were said to ascend do. */
  abstract boolean isSure();

  /** Returns the number of bits set in the container from {@code at} on. */
  static int population(byte[] bytes, int at) {
    int first = 0;
    int second = 0;
    int third = 0;
    int fourth = 0;
    for (int i = at; i < at + ContainerView.BITSET_BYTES; i += 4 * Long.BYTES) {
      first += Long.bitCount(i64(bytes, i));
      second += Long.bitCount(i64(bytes, i + 8));
      third += Long.bitCount(i64(bytes, i + 16));
      fourth += Long.bitCount(i64(bytes, i + 24));
    }
    return first + second + third + fourth;
  }

  private static boolean ascendsOneByOne(byte[] bytes, int at, int count) {
    int previous = -1;
    for (int i = 0; i < count; i++) {
      int value = u16(bytes, at + 2 * i);
      if (value <= previous) {
        return false;
      }
      previous = value;
    }
    return true;
  }

  /**
   * Returns a bit for each of four values that is not below the one at its place in {@code next}.
   */
  private static long notBelow(long values, long next) {
    // Without their highest bits values are compared by a subtraction that cannot borrow.
    long difference = (values | HIGH_BITS) - (next & ~HIGH_BITS);
    return ((values & ~next) | (~(values ^ next) & difference)) & HIGH_BITS;
  }

  /** Reads words where they are. */
  static final class InPlace extends ContentCheck {
    @Override
    boolean ascends(byte[] bytes, int at, int count) {
      int words = (count - 1) / 4;
      long faults = 0;
      for (int i = 0; i < words; i++) {
        faults |= notBelow(i64(bytes, at + 8 * i), i64(bytes, at + 8 * i + 2));
      }
      return faults == 0 && ascendsOneByOne(bytes, at + 8 * words, count - 4 * words);
    }

    @Override
    boolean isSure() {
      return true;
    }
  }

  /** Copies words to arrays of their own, loops over which older versions compile well. */
  static final class Copying extends ContentCheck {
    private static final int MAX_WORDS = ContainerView.MAX_ARRAY_CARDINALITY / 4;

    /** Words from which on the copies pay. */
    private static final int MIN_WORDS = 64;

    private long[] values = {};
    private long[] next = {};

    /** What was found in all arrays so far, by the index of the word in its array. */
    private long[] faults = {};

    @Override
    boolean ascends(byte[] bytes, int at, int count) {
      int words = (count - 1) / 4;
      if (words < MIN_WORDS) {
        return ascendsOneByOne(bytes, at, count);
      }
      allocate();
      LittleEndian.i64s(bytes, at, values, words);
      LittleEndian.i64s(bytes, at + 2, next, words);
      compare(values, next, faults, words);
      return ascendsOneByOne(bytes, at + 8 * words, count - 4 * words);
    }

    private void allocate() {
      if (values.length == 0) {
        values = new long[MAX_WORDS];
        next = new long[MAX_WORDS];
        faults = new long[MAX_WORDS];
      }
    }

    // A method of its own, and no sum or the like: else it is not compiled to vector instructions.
    private static void compare(long[] values, long[] next, long[] faults, int words) {
      for (int i = 0; i < words; i++) {
        faults[i] |= notBelow(values[i], next[i]);
      }
    }

    @Override
    boolean isSure() {
      return Arrays.stream(faults).allMatch(fault -> fault == 0);
    }
  }
}
