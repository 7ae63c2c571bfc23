package io.github.icebergext.dv;

import static io.github.icebergext.dv.LittleEndian.u16;

import java.util.Arrays;
import java.util.function.LongConsumer;

/** A container of ascending values, two bytes each. */
final class ArrayView extends ContainerView {
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
    int runs = 0;
    int previous = -2;
    for (int i = 0; i < cardinality && runs < limit; i++) {
      int value = value(i);
      runs += value == previous + 1 ? 0 : 1;
      previous = value;
    }
    return runs;
  }

  @Override
  void flip(int from, int to, long[] words, int shift) {
    int end = indexOf(to);
    for (int i = indexOf(from); i < end; i++) {
      int bit = shift + value(i);
      words[bit >>> 6] ^= 1L << bit;
    }
  }

  /** Does the same as {@link #flip}, faster where values are many. */
  void flipMany(int from, int to, long[] words, int shift, Scratch scratch) {
    int first = indexOf(from);
    int count = indexOf(to) - first;
    LittleEndian.u16s(bytes, at + 2 * first, scratch.values, count);
    Arrays.fill(scratch.bits, (byte) 0);
    set(scratch.values, count, scratch.bits);
    new BitsetView(scratch.bits, 0, count).flip(from, to, words, shift);
  }

  // Neighbours are less often in the same byte than in the same word, which makes writes wait.
  private static void set(char[] values, int count, byte[] bits) {
    for (int i = 0; i < count; i++) {
      int octet = values[i] >>> 3;
      bits[octet] = (byte) (bits[octet] ^ (1 << (values[i] & 7)));
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

  /** Room for the values of one container, and for their bits. */
  static final class Scratch {
    private final char[] values = new char[MAX_ARRAY_CARDINALITY];
    private final byte[] bits = new byte[BITSET_BYTES];
  }
}
