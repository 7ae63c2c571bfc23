package io.github.icebergext.dv;

import static io.github.icebergext.dv.LittleEndian.u16;

import java.util.function.LongConsumer;

/** A container of runs: their number, then the start of each and its length less one. */
final class RunView extends ContainerView {
  private final int count;

  RunView(byte[] bytes, int at) {
    super(bytes, at);
    this.count = u16(bytes, at);
  }

  private int start(int index) {
    return u16(bytes, at + 2 + 4 * index);
  }

  /** Returns the number after the last value of a run. */
  private int end(int index) {
    return start(index) + u16(bytes, at + 4 + 4 * index) + 1;
  }

  /** Returns the index of the first run that ends after {@code low}. */
  private int indexOf(int low) {
    // The number of runs that start at or before low, of which only the last may end after it.
    int from = 0;
    int to = count;
    while (from < to) {
      int middle = (from + to) >>> 1;
      if (start(middle) <= low) {
        from = middle + 1;
      } else {
        to = middle;
      }
    }
    return from > 0 && end(from - 1) > low ? from - 1 : from;
  }

  @Override
  int sizeInBytes() {
    return runBytes(count);
  }

  @Override
  int check(ContentCheck check) {
    int cardinality = 0;
    int previousEnd = 0;
    for (int i = 0; i < count; i++) {
      int start = start(i);
      int end = end(i);
      if (start < previousEnd || end > Containers.SPAN) {
        return -1;
      }
      cardinality += end - start;
      previousEnd = end;
    }
    return count == 0 ? -1 : cardinality;
  }

  @Override
  String fault() {
    int previousEnd = 0;
    for (int i = 0; i < count; i++) {
      if (start(i) < previousEnd) {
        return "has a run from " + start(i) + " before the end of another, " + previousEnd;
      }
      previousEnd = end(i);
      if (previousEnd > Containers.SPAN) {
        return "has a run to " + (previousEnd - 1) + ", at most 65535 is legal";
      }
    }
    return "has no runs, at least one is needed";
  }

  @Override
  boolean contains(int low) {
    int index = indexOf(low);
    return index < count && start(index) <= low;
  }

  @Override
  int rank(int low) {
    int rank = 0;
    for (int i = 0; i < count && start(i) < low; i++) {
      rank += Math.min(end(i), low) - start(i);
    }
    return rank;
  }

  @Override
  int next(int low) {
    int index = indexOf(low);
    return index < count ? Math.max(start(index), low) : Containers.SPAN;
  }

  @Override
  int nextAbsent(int low) {
    int absent = low;
    // Runs may touch.
    for (int i = indexOf(low); i < count && start(i) <= absent; i++) {
      absent = end(i);
    }
    return absent;
  }

  @Override
  int last() {
    return end(count - 1) - 1;
  }

  @Override
  int runs(int limit) {
    int runs = count;
    for (int i = 1; i < count; i++) {
      runs -= start(i) == end(i - 1) ? 1 : 0;
    }
    return runs;
  }

  @Override
  void flip(int from, int to, long[] words, int shift) {
    for (int i = indexOf(from); i < count && start(i) < to; i++) {
      Bits.flip(words, shift + Math.max(start(i), from), shift + Math.min(end(i), to));
    }
  }

  @Override
  void forEach(int from, int to, long base, LongConsumer consumer) {
    for (int i = indexOf(from); i < count && start(i) < to; i++) {
      long end = base + Math.min(end(i), to);
      for (long position = base + Math.max(start(i), from); position < end; position++) {
        consumer.accept(position);
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
