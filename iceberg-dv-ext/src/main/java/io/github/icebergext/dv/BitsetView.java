package io.github.icebergext.dv;

import static io.github.icebergext.dv.LittleEndian.i64;

import java.util.function.LongConsumer;

/** A container of 65,536 bits, the least significant of each 64-bit word first. */
final class BitsetView extends ContainerView {
  private final int cardinality;

  BitsetView(byte[] bytes, int at, int cardinality) {
    super(bytes, at);
    this.cardinality = cardinality;
  }

  private long word(int index) {
    return i64(bytes, at + 8 * index);
  }

  /** Returns the word at {@code index} without the bits outside {@code from} to {@code to}. */
  private long word(int index, int from, int to) {
    long word = word(index);
    int start = index << 6;
    if (from > start) {
      word &= -1L << from;
    }
    if (to < start + Long.SIZE) {
      word &= -1L >>> -to;
    }
    return word;
  }

  @Override
  int sizeInBytes() {
    return BITSET_BYTES;
  }

  @Override
  int check(ContentCheck check) {
    return ContentCheck.population(bytes, at) == cardinality ? cardinality : -1;
  }

  @Override
  String fault() {
    return "has " + rank(Containers.SPAN) + " bits set, " + cardinality + " are declared";
  }

  @Override
  boolean contains(int low) {
    return (bytes[at + (low >>> 3)] >>> (low & 7) & 1) != 0;
  }

  @Override
  int rank(int low) {
    int rank = 0;
    int whole = low >>> 6;
    for (int i = 0; i < whole; i++) {
      rank += Long.bitCount(word(i));
    }
    return (low & 63) == 0 ? rank : rank + Long.bitCount(word(whole, 0, low));
  }

  @Override
  int next(int low) {
    int i = low >>> 6;
    if (i == Bits.CONTAINER_WORDS) {
      return Containers.SPAN;
    }
    long word = word(i) & -1L << low;
    while (word == 0) {
      if (++i == Bits.CONTAINER_WORDS) {
        return Containers.SPAN;
      }
      word = word(i);
    }
    return (i << 6) + Long.numberOfTrailingZeros(word);
  }

  @Override
  int nextAbsent(int low) {
    int i = low >>> 6;
    if (i == Bits.CONTAINER_WORDS) {
      return Containers.SPAN;
    }
    long word = ~word(i) & -1L << low;
    while (word == 0) {
      if (++i == Bits.CONTAINER_WORDS) {
        return Containers.SPAN;
      }
      word = ~word(i);
    }
    return (i << 6) + Long.numberOfTrailingZeros(word);
  }

  @Override
  int last() {
    int i = Bits.CONTAINER_WORDS - 1;
    while (word(i) == 0) {
      i--;
    }
    return (i << 6) + 63 - Long.numberOfLeadingZeros(word(i));
  }

  @Override
  int runs(int limit) {
    int runs = 0;
    long carry = 0;
    for (int i = 0; i < Bits.CONTAINER_WORDS && runs < limit; i++) {
      long word = word(i);
      runs += Long.bitCount(word & ~(word << 1 | carry));
      carry = word >>> 63;
    }
    return runs;
  }

  @Override
  void flip(int from, int to, long[] words, int shift) {
    if (from >= to) {
      return;
    }
    if ((shift & 63) == 0) {
      flipAligned(from, to, words, shift >> 6);
      return;
    }
    int last = (to - 1) >>> 6;
    for (int i = from >>> 6; i <= last; i++) {
      long word = word(i, from, to);
      int bit = shift + (i << 6);
      // Shifted words straddle two of the target; the half outside the range has no bits.
      long low = word << bit;
      if (low != 0) {
        words[bit >> 6] ^= low;
      }
      long high = word >>> -bit;
      if (high != 0) {
        words[(bit >> 6) + 1] ^= high;
      }
    }
  }

  private void flipAligned(int from, int to, long[] words, int shift) {
    int first = from >>> 6;
    int last = (to - 1) >>> 6;
    words[shift + first] ^= word(first, from, to);
    for (int i = first + 1; i < last; i++) {
      words[shift + i] ^= word(i);
    }
    if (last > first) {
      words[shift + last] ^= word(last, from, to);
    }
  }

  @Override
  void forEach(int from, int to, long base, LongConsumer consumer) {
    if (from >= to) {
      return;
    }
    int last = (to - 1) >>> 6;
    for (int i = from >>> 6; i <= last; i++) {
      long start = base + (i << 6);
      for (long word = word(i, from, to); word != 0; word &= word - 1) {
        consumer.accept(start + Long.numberOfTrailingZeros(word));
      }
    }
  }

  @Override
  void forEachRange(int from, int to, long base, PositionRangeConsumer consumer) {
    int start = next(from);
    while (start < to) {
      int end = Math.min(nextAbsent(start), to);
      consumer.accept(base + start, base + end);
      start = next(end);
    }
  }
}
