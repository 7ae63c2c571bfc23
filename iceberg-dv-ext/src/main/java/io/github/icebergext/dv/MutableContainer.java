package io.github.icebergext.dv;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The values of one container while they are collected: ascending runs that do not touch, as long
 * as they are few; then a bitset.
 */
final class MutableContainer {
  /** As many as values in the largest array, which is written faster from runs than from bits. */
  private static final int MAX_RUNS = ContainerView.MAX_ARRAY_CARDINALITY;

  /** For each run its first value in the high 16 bits, and its last in the low. */
  private int[] runs = new int[2];

  private int count;
  private long @Nullable [] words;

  /** Returns the bits of runs in the form that {@link #runs} has. */
  static long[] words(int[] runs, int count) {
    long[] words = new long[Bits.CONTAINER_WORDS];
    for (int i = 0; i < count; i++) {
      Bits.set(words, runs[i] >>> 16, (runs[i] & 0xFFFF) + 1);
    }
    return words;
  }

  void add(int value) {
    if (words != null) {
      words[value >>> 6] |= 1L << value;
    } else if (count > 0 && value == last(count - 1) + 1) {
      runs[count - 1]++;
    } else {
      add(value, value);
    }
  }

  /**
   * Adds the positions from index {@code from} on that are in this container, as far as they ascend
   * after those that are here, and returns the index of the first one not added.
   */
  int append(long[] positions, int from, int to) {
    long prefix = positions[from] >>> 16;
    return words == null
        ? appendRuns(prefix, positions, from, to)
        : setBits(words, prefix, positions, from, to);
  }

  private int appendRuns(long prefix, long[] positions, int from, int to) {
    int previous = count == 0 ? -2 : last(count - 1);
    int i = from;
    while (i < to && positions[i] >>> 16 == prefix && count < MAX_RUNS) {
      int first = (int) positions[i] & 0xFFFF;
      if (first <= previous + 1) {
        break;
      }
      int last = first;
      for (i++; i < to && last < 0xFFFF && positions[i] == positions[i - 1] + 1; i++) {
        last++;
      }
      insert(count, first, last);
      previous = last;
    }
    return i;
  }

  private static int setBits(long[] words, long prefix, long[] positions, int from, int to) {
    int i = from;
    for (; i < to && positions[i] >>> 16 == prefix; i++) {
      int value = (int) positions[i] & 0xFFFF;
      words[value >>> 6] |= 1L << value;
    }
    return i;
  }

  /** Adds the values from {@code first} to {@code last}, inclusive. */
  void add(int first, int last) {
    if (words != null) {
      Bits.set(words, first, last + 1);
    } else if (count == 0 || first > last(count - 1) + 1) {
      insert(count, first, last);
    } else {
      merge(first, last);
    }
  }

  private int first(int run) {
    return runs[run] >>> 16;
  }

  private int last(int run) {
    return runs[run] & 0xFFFF;
  }

  /** Merges with the runs that overlap or touch, all of which stand next to each other. */
  private void merge(int first, int last) {
    int from = indexOf(first);
    int to = from;
    int start = first;
    int end = last;
    while (to < count && first(to) <= last + 1) {
      start = Math.min(start, first(to));
      end = Math.max(end, last(to));
      to++;
    }
    if (from == to) {
      insert(from, first, last);
      return;
    }
    runs[from] = start << 16 | end;
    System.arraycopy(runs, to, runs, from + 1, count - to);
    count -= to - from - 1;
  }

  /** Returns the index of the first run that ends at {@code value - 1} or later. */
  private int indexOf(int value) {
    if (last(count - 1) >= value - 1 && first(count - 1) <= value) {
      return count - 1;
    }
    int from = 0;
    int to = count;
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
    if (count == MAX_RUNS) {
      words = words(runs, count);
      runs = new int[0];
      Bits.set(words, first, last + 1);
      return;
    }
    if (count == runs.length) {
      runs = Arrays.copyOf(runs, Math.min(2 * count, MAX_RUNS));
    }
    if (index < count) {
      System.arraycopy(runs, index, runs, index + 1, count - index);
    }
    runs[index] = first << 16 | last;
    count++;
  }

  void add(ContainerView view) {
    view.forEachRange(0, Containers.SPAN, 0, (start, end) -> add((int) start, (int) end - 1));
  }

  void appendTo(VectorWriter writer, long prefix) {
    if (words == null) {
      writer.append(prefix, runs, count);
    } else {
      writer.append(prefix, words);
    }
  }
}
