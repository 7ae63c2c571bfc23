package io.github.icebergext.dv;

import static io.github.icebergext.dv.LittleEndian.u16;

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
    int from = 0;
    int to = cardinality;
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
  int check() {
    int previous = -1;
    for (int i = 0; i < cardinality; i++) {
      int value = value(i);
      if (value <= previous) {
        return -1;
      }
      previous = value;
    }
    return cardinality;
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
  int runs() {
    int runs = 0;
    int previous = -2;
    for (int i = 0; i < cardinality; i++) {
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
