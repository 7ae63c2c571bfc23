package io.github.icebergext.dv;

import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Collects the containers of a vector in any order. */
final class PositionCollector {
  private final TreeMap<Long, ContainerBuilder> byPrefix = new TreeMap<>();
  private long prefix = -1;
  private @Nullable ContainerBuilder current;

  void add(long position) {
    container(position >>> 16).add((int) position & 0xFFFF);
  }

  /** Adds the positions from {@code first} to {@code last}, inclusive. */
  void add(long first, long last) {
    for (long p = first >>> 16; p <= last >>> 16; p++) {
      int from = p == first >>> 16 ? (int) first & 0xFFFF : 0;
      int to = p == last >>> 16 ? (int) last & 0xFFFF : 0xFFFF;
      container(p).add(from, to);
    }
  }

  /** Adds strictly ascending positions. */
  void addAscending(long[] positions, int from, int to) {
    for (int i = from; i < to; ) {
      int end = endOfContainer(positions, i, to);
      container(positions[i] >>> 16).addAscending(positions, i, end);
      i = end;
    }
  }

  /**
   * Returns the index of the first position outside of the container of the one at {@code from}.
   */
  private static int endOfContainer(long[] positions, int from, int to) {
    long last = positions[from] | 0xFFFF;
    int low = from + 1;
    int high = (int) Math.min(low + (last - positions[from]), to);
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (positions[middle] <= last) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  void add(Containers containers) {
    for (int i = 0; i < containers.count; i++) {
      container(containers.prefix(i)).add(containers.view(i));
    }
  }

  private ContainerBuilder container(long prefix) {
    ContainerBuilder container = current;
    if (container == null || prefix != this.prefix) {
      container = byPrefix.computeIfAbsent(prefix, absent -> new ContainerBuilder());
      this.prefix = prefix;
      current = container;
    }
    return container;
  }

  Containers build() {
    long expected = byPrefix.values().stream().mapToLong(ContainerBuilder::maxBytes).sum();
    VectorWriter writer = new VectorWriter((int) Math.min(expected, VectorWriter.MAX_BYTES));
    for (Map.Entry<Long, ContainerBuilder> entry : byPrefix.entrySet()) {
      entry.getValue().appendTo(writer, entry.getKey());
    }
    return writer.finish();
  }
}
