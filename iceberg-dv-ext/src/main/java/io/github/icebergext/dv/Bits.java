package io.github.icebergext.dv;

/** Sets of small numbers as bits of a {@code long[]}, the least significant bit first. */
final class Bits {
  /** Words that hold one container: 65,536 bits. */
  static final int CONTAINER_WORDS = Containers.SPAN / Long.SIZE;

  private Bits() {}

  /** Returns the number of words that hold {@code bits} bits. */
  static int words(int bits) {
    return (int) ((bits + 63L) >>> 6);
  }

  /** Inverts the bits from {@code from} to {@code to}, exclusive. */
  static void flip(long[] words, int from, int to) {
    if (from >= to) {
      return;
    }
    int first = from >>> 6;
    int last = (to - 1) >>> 6;
    long head = -1L << from;
    long tail = -1L >>> -to;
    if (first == last) {
      words[first] ^= head & tail;
      return;
    }
    words[first] ^= head;
    for (int i = first + 1; i < last; i++) {
      words[i] = ~words[i];
    }
    words[last] ^= tail;
  }

  /** Sets the bits from {@code from} to {@code to}, exclusive. */
  static void set(long[] words, int from, int to) {
    int first = from >>> 6;
    int last = (to - 1) >>> 6;
    long head = -1L << from;
    long tail = -1L >>> -to;
    if (first == last) {
      words[first] |= head & tail;
      return;
    }
    words[first] |= head;
    for (int i = first + 1; i < last; i++) {
      words[i] = -1L;
    }
    words[last] |= tail;
  }

  /** Returns the number of set bits. */
  static int cardinality(long[] words) {
    int cardinality = 0;
    for (long word : words) {
      cardinality += Long.bitCount(word);
    }
    return cardinality;
  }

  /** Returns the number of runs of set bits. */
  static int runs(long[] words) {
    int runs = 0;
    long carry = 0;
    for (long word : words) {
      runs += Long.bitCount(word & ~(word << 1 | carry));
      carry = word >>> 63;
    }
    return runs;
  }

  /**
   * Returns the first set bit at or after {@code from}, or the number of bits when there is none.
   */
  static int next(long[] words, int from) {
    int bits = words.length << 6;
    if (from >= bits) {
      return bits;
    }
    int i = from >>> 6;
    long word = words[i] & -1L << from;
    while (word == 0) {
      if (++i == words.length) {
        return bits;
      }
      word = words[i];
    }
    return (i << 6) + Long.numberOfTrailingZeros(word);
  }

  /**
   * Returns the first clear bit at or after {@code from}, or the number of bits when there is none.
   */
  static int nextAbsent(long[] words, int from) {
    int bits = words.length << 6;
    if (from >= bits) {
      return bits;
    }
    int i = from >>> 6;
    long word = ~words[i] & -1L << from;
    while (word == 0) {
      if (++i == words.length) {
        return bits;
      }
      word = ~words[i];
    }
    return (i << 6) + Long.numberOfTrailingZeros(word);
  }
}
