package io.github.icebergext.dv;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The values of one container while they are collected: in ascending order as long as they are few
 * and come one by one, in runs where they come so and those are few, else as a bitset.
 */
final class ContainerBuilder {
  private static final int MAX_VALUES = ContainerView.MAX_ARRAY_CARDINALITY;

  /** Half the memory of a bitset. */
  private static final int MAX_RUNS = 1024;

  private char[] values = new char[4];
  private int count;

  /** The largest value, or −2 when there is none. */
  private int last = -2;

  /** Number of runs that the values make up. */
  private int runsOfValues;

  private @Nullable RunList runs;
  private long @Nullable [] words;

  void add(int value) {
    if (value > last && count < values.length) {
      values[count++] = (char) value;
      runsOfValues += value == last + 1 ? 0 : 1;
      last = value;
    } else if (words != null) {
      words[value >>> 6] |= 1L << value;
    } else if (runs != null) {
      add(value, value);
    } else if (value < last) {
      insert(value);
    } else if (value > last) {
      makeRoom();
      add(value);
    }
  }

  private void insert(int value) {
    int index = Arrays.binarySearch(values, 0, count, (char) value);
    if (index >= 0) {
      return;
    }
    if (count == values.length) {
      makeRoom();
      add(value);
      return;
    }
    index = -index - 1;
    int touching = values[index] == value + 1 ? 1 : 0;
    touching += index > 0 && values[index - 1] == value - 1 ? 1 : 0;
    System.arraycopy(values, index, values, index + 1, count - index);
    values[index] = (char) value;
    count++;
    runsOfValues += 1 - touching;
  }

  /** Makes room for one more value, as one of many if need be. */
  private void makeRoom() {
    if (count < MAX_VALUES) {
      reserve(1);
    } else if (runsOfValues <= MAX_RUNS / 4) {
      useRuns();
    } else {
      useWords();
    }
  }

  private void reserve(int more) {
    if (more > values.length - count) {
      int capacity = Math.max(count + more, 2 * count);
      values = Arrays.copyOf(values, Math.min(capacity, MAX_VALUES));
    }
  }

  /** Adds strictly ascending positions, all of which are in this container. */
  void addAscending(long[] positions, int from, int to) {
    if (words == null && count + to - from > MAX_VALUES) {
      useWords();
    }
    int first = (int) positions[from] & 0xFFFF;
    if (words != null) {
      setBits(words, positions, from, to);
    } else if (runs == null && (count == 0 || first > last)) {
      append(positions, from, to);
    } else {
      for (int i = from; i < to; i++) {
        add((int) positions[i] & 0xFFFF);
      }
    }
  }

  private void append(long[] positions, int from, int to) {
    reserve(to - from);
    int previous = last;
    int gaps = 0;
    for (int i = from; i < to; i++) {
      int value = (int) positions[i] & 0xFFFF;
      values[count + i - from] = (char) value;
      // Without a branch, which random positions make the processor guess wrong.
      gaps += (previous + 1 - value) >>> 31;
      previous = value;
    }
    count += to - from;
    runsOfValues += gaps;
    last = previous;
  }

  private static void setBits(long[] words, long[] positions, int from, int to) {
    for (int i = from; i < to; ) {
      long position = positions[i];
      int index = ((int) position & 0xFFFF) >>> 6;
      if ((position & 63) == 0 && i + 63 < to && positions[i + 63] == position + 63) {
        words[index] = -1;
        i += Long.SIZE;
      } else {
        words[index] |= 1L << position;
        i++;
      }
    }
  }

  /** Adds the values from {@code first} to {@code last}, inclusive. */
  void add(int first, int last) {
    if (words == null && runs == null) {
      if (first == last) {
        add(first);
        return;
      }
      useRuns();
    }
    if (runs != null) {
      runs.add(first, last);
      if (runs.size() > MAX_RUNS) {
        useWords();
      }
    } else if (words != null) {
      Bits.set(words, first, last + 1);
    }
  }

  private void useRuns() {
    RunList list = new RunList();
    for (int i = 0; i < count; i++) {
      list.add(values[i], values[i]);
    }
    clearValues();
    runs = list;
  }

  private void useWords() {
    long[] bits = new long[Bits.CONTAINER_WORDS];
    for (int i = 0; i < count; i++) {
      bits[values[i] >>> 6] |= 1L << values[i];
    }
    for (int i = 0; runs != null && i < runs.size(); i++) {
      Bits.set(bits, runs.first(i), runs.last(i) + 1);
    }
    clearValues();
    runs = null;
    words = bits;
  }

  private void clearValues() {
    values = new char[0];
    count = 0;
  }

  void add(ContainerView view) {
    view.forEachRange(0, Containers.SPAN, 0, (start, end) -> add((int) start, (int) end - 1));
  }

  /** Returns at least the bytes that this container is written in, and seldom more. */
  int maxBytes() {
    if (words != null) {
      return ContainerView.BITSET_BYTES;
    }
    return runs == null ? ContainerView.plainBytes(count) : ContainerView.runBytes(runs.size());
  }

  void appendTo(VectorWriter writer, long prefix) {
    if (words != null) {
      writer.append(prefix, words);
    } else if (runs != null) {
      writer.append(prefix, runs);
    } else {
      writer.append(prefix, values, count, runsOfValues);
    }
  }
}
