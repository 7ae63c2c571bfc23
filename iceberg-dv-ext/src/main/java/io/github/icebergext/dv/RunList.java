package io.github.icebergext.dv;

import java.util.Arrays;

/** Runs of 16-bit values, ascending, that neither overlap nor touch. */
final class RunList {
  /** For each run its first value in the high 16 bits, and its last in the low. */
  private int[] runs = new int[2];

  private int size;

  int size() {
    return size;
  }

  int first(int index) {
    return runs[index] >>> 16;
  }

  int last(int index) {
    return runs[index] & 0xFFFF;
  }

  /** Returns the number of values in all runs. */
  int cardinality() {
    int cardinality = size;
    for (int i = 0; i < size; i++) {
      cardinality += last(i) - first(i);
    }
    return cardinality;
  }

  /** Adds the values from {@code first} to {@code last}, inclusive. */
  void add(int first, int last) {
    if (size == 0 || first > last(size - 1) + 1) {
      insert(size, first, last);
    } else if (first == last(size - 1) + 1) {
      runs[size - 1] += last - first + 1;
    } else {
      merge(first, last);
    }
  }

  /** Merges with the runs that overlap or touch, all of which stand next to each other. */
  private void merge(int first, int last) {
    int from = indexOf(first);
    int to = from;
    int start = first;
    int end = last;
    while (to < size && first(to) <= last + 1) {
      start = Math.min(start, first(to));
      end = Math.max(end, last(to));
      to++;
    }
    if (from == to) {
      insert(from, first, last);
      return;
    }
    runs[from] = start << 16 | end;
    System.arraycopy(runs, to, runs, from + 1, size - to);
    size -= to - from - 1;
  }

  /** Returns the index of the first run that ends at {@code value - 1} or later. */
  private int indexOf(int value) {
    if (last(size - 1) >= value - 1 && first(size - 1) <= value) {
      return size - 1;
    }
    int from = 0;
    int to = size;
    while (from < to) {
      int middle = (from + to) >>> 1;
      if (last(middle) < value - 1) {
        from = middle + 1;
      } else {
        to = middle;
      }
    }
    return from;
  }

  private void insert(int index, int first, int last) {
    if (size == runs.length) {
      runs = Arrays.copyOf(runs, 2 * size);
    }
    System.arraycopy(runs, index, runs, index + 1, size - index);
    runs[index] = first << 16 | last;
    size++;
  }
}
