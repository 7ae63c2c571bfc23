package io.github.icebergext.dv;

import java.util.Arrays;

/**
 * Where the containers of a vector are: a directory over its encoded bytes, ascending and without
 * empty containers, of 14 bytes a container.
 *
 * <p>A container holds the deleted ones of 65,536 consecutive positions, those with the same {@code
 * prefix}, which is the position without its low 16 bits. Immutable; the bytes are never changed
 * after construction.
 */
final class Containers {
  /** Positions that one container covers. */
  static final int SPAN = 1 << 16;

  /** Containers between two entries of {@link #ranks}, as a power of two. */
  private static final int RANK_SHIFT = 2;

  private static final int PREFIX_SHIFT = 17;
  private static final long RUN_FLAG = 1L << 16;

  final byte[] bytes;
  final int count;
  final long cardinality;

  /** Whether all but perhaps the choice of container kinds is as {@link VectorWriter} writes it. */
  final boolean canonicalHeaders;

  /** For each container its prefix (47 bits), whether it holds runs, and its cardinality less 1. */
  private final long[] entries;

  /** For each container the offset of its values in {@link #bytes}. */
  private final int[] offsets;

  /** The number of positions before every fourth container. */
  private final long[] ranks;

  private Containers(byte[] bytes, long[] entries, int[] offsets, boolean canonicalHeaders) {
    this.bytes = bytes;
    this.canonicalHeaders = canonicalHeaders;
    this.count = entries.length;
    this.entries = entries;
    this.offsets = offsets;
    this.ranks = new long[(count >> RANK_SHIFT) + 1];
    long total = 0;
    for (int i = 0; i < count; i++) {
      if (i % (1 << RANK_SHIFT) == 0) {
        ranks[i >> RANK_SHIFT] = total;
      }
      total += cardinality(i);
    }
    this.cardinality = total;
  }

  long prefix(int index) {
    return entries[index] >>> PREFIX_SHIFT;
  }

  /** Returns the first position that the container covers. */
  long base(int index) {
    return prefix(index) << 16;
  }

  int cardinality(int index) {
    return ((int) entries[index] & 0xFFFF) + 1;
  }

  boolean isRun(int index) {
    return (entries[index] & RUN_FLAG) != 0;
  }

  int offset(int index) {
    return offsets[index];
  }

  ContainerView view(int index) {
    return view(bytes, offsets[index], isRun(index), cardinality(index));
  }

  private static ContainerView view(byte[] bytes, int at, boolean run, int cardinality) {
    if (run) {
      return new RunView(bytes, at);
    }
    return cardinality <= ContainerView.MAX_ARRAY_CARDINALITY
        ? new ArrayView(bytes, at, cardinality)
        : new BitsetView(bytes, at, cardinality);
  }

  /** Returns the index of the first container whose prefix is {@code prefix} or more. */
  int ceiling(long prefix) {
    if (count == 0 || prefix <= prefix(0)) {
      return 0;
    }
    // Prefixes ascend, so no container lies further from the first than its prefix does.
    int to = (int) Math.min(prefix - prefix(0), count);
    if (to < count && prefix(to) == prefix) {
      return to;
    }
    int from = 1;
    while (from < to) {
      int middle = (from + to) >>> 1;
      if (prefix(middle) < prefix) {
        from = middle + 1;
      } else {
        to = middle;
      }
    }
    return from;
  }

  boolean contains(long position) {
    long prefix = position >> 16;
    int index = ceiling(prefix);
    return index < count && prefix(index) == prefix && contains(index, (int) position & 0xFFFF);
  }

  // One call site a kind, so that none of these views is ever allocated.
  boolean contains(int index, int low) {
    int at = offsets[index];
    if (isRun(index)) {
      return new RunView(bytes, at).contains(low);
    }
    int size = cardinality(index);
    return size <= ContainerView.MAX_ARRAY_CARDINALITY
        ? new ArrayView(bytes, at, size).contains(low)
        : new BitsetView(bytes, at, size).contains(low);
  }

  /** Returns the number of positions in the containers before {@code index}. */
  long rank(int index) {
    int i = index & -(1 << RANK_SHIFT);
    long rank = i < count ? ranks[i >> RANK_SHIFT] : cardinality;
    for (; i < index; i++) {
      rank += cardinality(i);
    }
    return rank;
  }

  /** Returns the bytes of this object and its arrays, {@link #bytes} included. */
  long retainedSizeInBytes() {
    int arrayHeader = 16;
    int self = 48;
    return self + 4 * arrayHeader + bytes.length + 8L * count + 4L * count + 8L * ranks.length;
  }

  /** Collects the directory of a vector in ascending order. */
  static final class Builder {
    private long[] entries = new long[4];
    private int[] offsets = new int[4];
    private int count;

    void add(long prefix, boolean run, int cardinality, int offset) {
      if (count == entries.length) {
        entries = Arrays.copyOf(entries, 2 * count);
        offsets = Arrays.copyOf(offsets, 2 * count);
      }
      entries[count] = prefix << PREFIX_SHIFT | (run ? RUN_FLAG : 0) | (cardinality - 1);
      offsets[count++] = offset;
    }

    int count() {
      return count;
    }

    long prefix(int index) {
      return entries[index] >>> PREFIX_SHIFT;
    }

    boolean isRun(int index) {
      return (entries[index] & RUN_FLAG) != 0;
    }

    int cardinality(int index) {
      return ((int) entries[index] & 0xFFFF) + 1;
    }

    void cardinality(int index, int cardinality) {
      entries[index] = (entries[index] & ~0xFFFFL) | (cardinality - 1);
    }

    int offset(int index) {
      return offsets[index];
    }

    void offset(int index, int offset) {
      offsets[index] = offset;
    }

    ContainerView view(byte[] bytes, int index) {
      return Containers.view(bytes, offsets[index], isRun(index), cardinality(index));
    }

    Containers build(byte[] bytes, boolean canonicalHeaders) {
      return new Containers(
          bytes, Arrays.copyOf(entries, count), Arrays.copyOf(offsets, count), canonicalHeaders);
    }
  }
}
