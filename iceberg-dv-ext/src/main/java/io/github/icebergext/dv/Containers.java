package io.github.icebergext.dv;

import java.util.Arrays;
import java.util.function.LongConsumer;

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

  /** Rows for each value from which on it pays to look at values one by one. */
  private static final int MANY_ROWS_A_VALUE = 64;

  private static final int PREFIX_SHIFT = 17;
  private static final long RUN_FLAG = 1L << 16;

  final byte[] bytes;
  final int count;
  final long cardinality;

  final Origin origin;

  /** For each container its prefix (47 bits), whether it holds runs, and its cardinality less 1. */
  private final long[] entries;

  /** For each container the offset of its values in {@link #bytes}. */
  private final int[] offsets;

  /** The number of positions before every fourth container. */
  private final long[] ranks;

  private final long firstPrefix;

  private Containers(byte[] bytes, long[] entries, int[] offsets, Origin origin) {
    this.bytes = bytes;
    this.origin = origin;
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
    this.firstPrefix = count == 0 ? 0 : prefix(0);
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

  boolean isBitset(int index) {
    return !isRun(index) && cardinality(index) > ContainerView.MAX_ARRAY_CARDINALITY;
  }

  boolean isArray(int index) {
    return !isRun(index) && cardinality(index) <= ContainerView.MAX_ARRAY_CARDINALITY;
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
    if (count == 0 || prefix <= firstPrefix) {
      return 0;
    }
    // Prefixes ascend, so no container lies further from the first than its prefix does.
    int to = (int) Math.min(prefix - firstPrefix, count);
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
    // Where it is if no prefix is left out.
    long guess = prefix - firstPrefix;
    int index = 0 <= guess && guess < count ? (int) guess : 0;
    if (index < count && prefix(index) != prefix) {
      index = ceiling(prefix);
    }
    return index < count && prefix(index) == prefix && contains(index, (int) position & 0xFFFF);
  }

  // For single positions there is one call site a kind, so that no view is ever allocated.

  boolean contains(int index, int low) {
    if (isRun(index)) {
      return runs(index).contains(low);
    }
    return isBitset(index) ? bitset(index).contains(low) : array(index).contains(low);
  }

  private int next(int index, int low) {
    if (isRun(index)) {
      return runs(index).next(low);
    }
    return isBitset(index) ? bitset(index).next(low) : array(index).next(low);
  }

  private int nextAbsent(int index, int low) {
    if (isRun(index)) {
      return runs(index).nextAbsent(low);
    }
    return isBitset(index) ? bitset(index).nextAbsent(low) : array(index).nextAbsent(low);
  }

  private RunView runs(int index) {
    return new RunView(bytes, offsets[index]);
  }

  private BitsetView bitset(int index) {
    return new BitsetView(bytes, offsets[index], cardinality(index));
  }

  ArrayView array(int index) {
    return new ArrayView(bytes, offsets[index], cardinality(index));
  }

  /** Returns the smallest position at or after {@code from}, or −1. */
  long next(long from) {
    long start = Math.max(from, 0);
    int index = ceiling(start >>> 16);
    if (index < count && prefix(index) == start >>> 16) {
      int low = next(index, (int) start & 0xFFFF);
      if (low < SPAN) {
        return base(index) + low;
      }
      index++;
    }
    return index < count ? base(index) + next(index, 0) : -1;
  }

  /** Returns the smallest number at or after {@code from} and 0 that is no position, or −1. */
  long nextAbsent(long from) {
    long absent = Math.max(from, 0);
    int index = ceiling(absent >>> 16);
    while (index < count && absent >= 0 && prefix(index) == absent >>> 16) {
      absent = base(index) + nextAbsent(index, (int) absent & 0xFFFF);
      if ((absent & 0xFFFF) != 0 || prefix(index) == absent >>> 16) {
        break;
      }
      index++;
    }
    return absent < 0 ? -1 : absent;
  }

  /** Returns the number of positions less than {@code position}. */
  long rank(long position) {
    if (position <= 0) {
      return 0;
    }
    long prefix = position >>> 16;
    int index = ceiling(prefix);
    long rank = before(index);
    return index < count && prefix(index) == prefix
        ? rank + view(index).rank((int) position & 0xFFFF)
        : rank;
  }

  /**
   * Inverts bit {@code p - first} for every position p of the {@code length} from {@code first}.
   */
  void flip(long first, int length, long[] words) {
    long last = last(first, length);
    for (int i = ceiling(first >> 16); i < count && base(i) <= last; i++) {
      view(i).flip(from(i, first), to(i, last), words, (int) (base(i) - first));
    }
  }

  /**
   * Tells whether the rows of the container that {@code first} is in are deleted and live in such a
   * mix that a mask of them is faster to look at than their ranges.
   */
  boolean isMixed(long first) {
    int index = ceiling(first >> 16);
    return index < count
        && prefix(index) == first >> 16
        && !isRun(index)
        && cardinality(index) > SPAN / MANY_ROWS_A_VALUE;
  }

  void forEach(long startInclusive, long endExclusive, LongConsumer consumer) {
    for (int i = ceiling(startInclusive >> 16); i < count && base(i) < endExclusive; i++) {
      view(i).forEach(from(i, startInclusive), to(i, endExclusive - 1), base(i), consumer);
    }
  }

  /** Passes the longest ranges of positions, also across containers, cut at the bounds given. */
  void forEachRange(long startInclusive, long endExclusive, PositionRangeConsumer consumer) {
    RangeJoiner joiner = new RangeJoiner(consumer);
    for (int i = ceiling(startInclusive >> 16); i < count && base(i) < endExclusive; i++) {
      view(i).forEachRange(from(i, startInclusive), to(i, endExclusive - 1), base(i), joiner);
    }
    joiner.flush();
  }

  /** Returns the last of {@code length} positions, or the largest that there is. */
  private static long last(long first, int length) {
    long last = first + length - 1;
    return first > 0 && last < 0 ? Long.MAX_VALUE : last;
  }

  /**
   * Returns the first value of a container from which on its positions are {@code first} or more.
   */
  private int from(int index, long first) {
    return first <= base(index) ? 0 : (int) Math.min(first - base(index), SPAN);
  }

  /** Returns the value of a container up to which its positions are {@code last} or less. */
  private int to(int index, long last) {
    return (int) Math.min(last - base(index), SPAN - 1) + 1;
  }

  /** Returns the number of positions in the containers before {@code index}. */
  private long before(int index) {
    int i = index & -(1 << RANK_SHIFT);
    long rank = i < count ? ranks[i >> RANK_SHIFT] : cardinality;
    for (; i < index; i++) {
      rank += cardinality(i);
    }
    return rank;
  }

  /** Returns a hash of which containers there are and how many positions each holds. */
  long cardinalityHash() {
    long hash = count;
    for (long entry : entries) {
      hash = 31 * hash + (entry & ~RUN_FLAG);
    }
    return hash;
  }

  /** Returns the bytes of this object and its arrays, {@link #bytes} included. */
  long retainedSizeInBytes() {
    int arrayHeader = 16;
    int self = 56;
    return self + 4 * arrayHeader + bytes.length + 8L * count + 4L * count + 8L * ranks.length;
  }

  /** How the bytes of a vector relate to those that {@link VectorWriter} writes. */
  enum Origin {
    /** They are the same. */
    WRITTEN,
    /** They differ at most in the choice of container kinds. */
    READ,
    /** They have legal oddities, or are no portable vector. */
    READ_WITH_ODDITIES
  }

  /** Collects the directory of a vector in ascending order. */
  static final class Builder {
    private long[] entries = new long[0];
    private int[] offsets = new int[0];
    private int count;

    /** Makes room for {@code more} containers, which the caller knows to be there. */
    void reserve(int more) {
      if (more > entries.length - count) {
        int capacity = count + Math.max(more, count);
        entries = Arrays.copyOf(entries, capacity);
        offsets = Arrays.copyOf(offsets, capacity);
      }
    }

    void add(long prefix, boolean run, int cardinality, int offset) {
      reserve(1);
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

    /** Returns the bytes that a container takes; those of the number of runs must be there. */
    int sizeInBytes(byte[] bytes, int index) {
      return isRun(index)
          ? ContainerView.runBytes(LittleEndian.u16(bytes, offsets[index]))
          : ContainerView.plainBytes(cardinality(index));
    }

    ContainerView view(byte[] bytes, int index) {
      return Containers.view(bytes, offsets[index], isRun(index), cardinality(index));
    }

    Containers build(byte[] bytes, Origin origin) {
      if (count < entries.length) {
        entries = Arrays.copyOf(entries, count);
        offsets = Arrays.copyOf(offsets, count);
      }
      return new Containers(bytes, entries, offsets, origin);
    }
  }
}
