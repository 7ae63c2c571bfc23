package io.github.icebergext.dv;

import static io.github.icebergext.dv.LittleEndian.i64;
import static io.github.icebergext.dv.LittleEndian.u16;

import java.util.function.LongConsumer;

/** A container of ascending values, two bytes each. */
final class ArrayView extends ContainerView {
  /** The lowest and the highest bit of each of four values. */
  private static final long ONES = 0x0001_0001_0001_0001L;

  /** Values from which on a copy pays, since arrays of numbers are read faster than bytes. */
  private static final int MANY_VALUES = 512;

  private static final long HIGH_BITS = 0x8000_8000_8000_8000L;

  private final int cardinality;

  ArrayView(byte[] bytes, int at, int cardinality) {
    super(bytes, at);
    this.cardinality = cardinality;
  }

  private int value(int index) {
    return u16(bytes, at + 2 * index);
  }

  /** Returns the index of the first value at or after {@code low}. */
  private int indexOf(int low) {
    // Where it is if values are spread evenly, and how far from there it rarely is if at random.
    int guess = (low * cardinality) >>> 16;
    int deviation = 1 << ((33 - Integer.numberOfLeadingZeros(cardinality)) / 2);
    int from = Math.max(guess - deviation, 0);
    int to = Math.min(guess + deviation, cardinality);
    if (from > 0 && value(from - 1) >= low) {
      from = 0;
    }
    if (to < cardinality && value(to) < low) {
      to = cardinality;
    }
    while (from < to) {
      int middle = (from + to) >>> 1;
      if (value(middle) < low) {
        from = middle + 1;
      } else {
        to = middle;
      }
    }
    return from;
  }

  /** Writes all values. */
  void copyTo(char[] values) {
    LittleEndian.u16s(bytes, at, values, cardinality);
  }

  @Override
  int sizeInBytes() {
    return 2 * cardinality;
  }

  @Override
  int check(ContentCheck check) {
    return check.ascends(bytes, at, cardinality) ? cardinality : -1;
  }

  @Override
  String fault() {
    for (int i = 1; i < cardinality; i++) {
      if (value(i) <= value(i - 1)) {
        return "holds " + value(i) + " after " + value(i - 1) + ", values ascend";
      }
    }
    throw new IllegalStateException("no fault");
  }

  @Override
  boolean contains(int low) {
    int index = indexOf(low);
    return index < cardinality && value(index) == low;
  }

  @Override
  int rank(int low) {
    return indexOf(low);
  }

  @Override
  int next(int low) {
    int index = indexOf(low);
    return index < cardinality ? value(index) : Containers.SPAN;
  }

  @Override
  int nextAbsent(int low) {
    int absent = low;
    for (int i = indexOf(low); i < cardinality && value(i) == absent; i++) {
      absent++;
    }
    return absent;
  }

  @Override
  int last() {
    return value(cardinality - 1);
  }

  @Override
  int runs(int limit) {
    int runs = 1;
    int i = 1;
    for (; i + 15 < cardinality && runs < limit; i += 16) {
      runs += 16 - neighbours(i) - neighbours(i + 4) - neighbours(i + 8) - neighbours(i + 12);
    }
    for (; i < cardinality && runs < limit; i++) {
      runs += value(i) == value(i - 1) + 1 ? 0 : 1;
    }
    return runs;
  }

  /** Returns how many of four values from {@code index} on are one more than the one before. */
  private int neighbours(int index) {
    long values = i64(bytes, at + 2 * index);
    // Values ascend, so that no subtraction borrows.
    long gaps = values - i64(bytes, at + 2 * index - 2) - ONES;
    return Long.bitCount(~(((gaps & ~HIGH_BITS) + ~HIGH_BITS) | gaps) & HIGH_BITS);
  }

  @Override
  void flip(int from, int to, long[] words, int shift) {
    int first = indexOf(from);
    int end = indexOf(to);
    if (end - first >= MANY_VALUES) {
      char[] values = new char[end - first];
      LittleEndian.u16s(bytes, at + 2 * first, values, values.length);
      flip(values, words, shift);
      return;
    }
    for (int i = first; i < end; i++) {
      int bit = shift + value(i);
      words[bit >>> 6] ^= 1L << bit;
    }
  }

  private static void flip(char[] values, long[] words, int shift) {
    for (char value : values) {
      int bit = shift + value;
      words[bit >>> 6] ^= 1L << bit;
    }
  }

  @Override
  void forEach(int from, int to, long base, LongConsumer consumer) {
    int end = indexOf(to);
    for (int i = indexOf(from); i < end; i++) {
      consumer.accept(base + value(i));
    }
  }

  @Override
  void forEachRange(int from, int to, long base, PositionRangeConsumer consumer) {
    int i = indexOf(from);
    int end = indexOf(to);
    while (i < end) {
      int start = value(i);
      int next = start + 1;
      for (i++; i < end && value(i) == next; i++) {
        next++;
      }
      consumer.accept(base + start, base + next);
    }
  }
}
