package io.github.icebergext.dv;

import java.util.Arrays;

/** Combines two vectors, container by container, into a new one. */
enum SetOperation {
  UNION(1, 1, 1),
  INTERSECTION(0, 1, 0),
  DIFFERENCE(1, 0, 0);

  /** Whether positions only in the left vector are kept: 1 or 0. */
  private final int leftOnly;

  private final int both;
  private final int rightOnly;

  SetOperation(int leftOnly, int both, int rightOnly) {
    this.leftOnly = leftOnly;
    this.both = both;
    this.rightOnly = rightOnly;
  }

  Containers apply(Containers left, Containers right) {
    VectorWriter writer = new VectorWriter(expectedBytes(left, right));
    Scratch scratch = new Scratch();
    int l = 0;
    int r = 0;
    while (l < left.count || r < right.count) {
      long leftPrefix = l < left.count ? left.prefix(l) : Long.MAX_VALUE;
      long rightPrefix = r < right.count ? right.prefix(r) : Long.MAX_VALUE;
      if (leftPrefix == rightPrefix) {
        append(left, l++, right, r++, scratch, writer);
      } else if (leftPrefix < rightPrefix) {
        appendIf(leftOnly, left, l++, writer);
      } else {
        appendIf(rightOnly, right, r++, writer);
      }
    }
    return writer.finish();
  }

  /** Returns the bytes that the containers of the result take at most, but for odd cases. */
  private int expectedBytes(Containers left, Containers right) {
    if (rightOnly == 0) {
      return leftOnly == 1 ? left.bytes.length : Math.min(left.bytes.length, right.bytes.length);
    }
    long copied = (long) left.bytes.length + right.bytes.length;
    long asBitsets = (long) prefixes(left, right) * ContainerView.BITSET_BYTES;
    return (int) Math.min(Math.min(copied, asBitsets), VectorWriter.MAX_BYTES);
  }

  /** Returns how many containers there are, those of the same prefix counted once. */
  private static int prefixes(Containers left, Containers right) {
    int prefixes = left.count + right.count;
    int l = 0;
    for (int r = 0; r < right.count; r++) {
      while (l < left.count && left.prefix(l) < right.prefix(r)) {
        l++;
      }
      if (l < left.count && left.prefix(l) == right.prefix(r)) {
        prefixes--;
      }
    }
    return prefixes;
  }

  private static void appendIf(int kept, Containers source, int index, VectorWriter writer) {
    if (kept == 1) {
      writer.append(source, index);
    }
  }

  /** Appends what the operation gives for two containers of the same prefix. */
  private void append(
      Containers left, int l, Containers right, int r, Scratch scratch, VectorWriter writer) {
    if (left.isArray(l) && right.isArray(r) && isArray(left.cardinality(l), right.cardinality(r))) {
      left.array(l).copyTo(scratch.left);
      right.array(r).copyTo(scratch.right);
      int count =
          merge(scratch.left, left.cardinality(l), scratch.right, right.cardinality(r), scratch);
      writer.append(left.prefix(l), scratch.merged, count);
    } else if (rightOnly == 0 && left.isArray(l) && right.isBitset(r)) {
      writer.append(left.prefix(l), scratch.merged, filter(left, l, right, r, scratch));
    } else if (!appendUnion(left, l, right, r, scratch, writer)
        && !appendUnion(right, r, left, l, scratch, writer)) {
      expand(left, l, scratch.leftBits);
      if (this == UNION && right.isArray(r)) {
        setBits(right, r, scratch.leftBits, scratch.right);
      } else {
        expand(right, r, scratch.rightBits);
        combine(scratch.leftBits, scratch.rightBits);
      }
      writer.append(left.prefix(l), scratch.leftBits);
    }
  }

  /** Appends the union of a bitset and an array, if that is what is asked for, and a bitset. */
  private boolean appendUnion(
      Containers left, int l, Containers right, int r, Scratch scratch, VectorWriter writer) {
    if (this != UNION || !left.isBitset(l) || !right.isArray(r)) {
      return false;
    }
    int count = DIFFERENCE.filter(right, r, left, l, scratch);
    return writer.appendBitset(left, l, scratch.merged, count);
  }

  /** Keeps what the operation gives for an array and anything else, and returns the number. */
  private int filter(Containers left, int l, Containers right, int r, Scratch scratch) {
    left.array(l).copyTo(scratch.left);
    int count = 0;
    for (int i = 0; i < left.cardinality(l); i++) {
      scratch.merged[count] = scratch.left[i];
      count += right.contains(r, scratch.left[i]) ? both : leftOnly;
    }
    return count;
  }

  private static void setBits(Containers source, int index, long[] bits, char[] values) {
    source.array(index).copyTo(values);
    for (int i = 0; i < source.cardinality(index); i++) {
      bits[values[i] >>> 6] |= 1L << values[i];
    }
  }

  private static void expand(Containers source, int index, long[] bits) {
    Arrays.fill(bits, 0);
    source.view(index).flip(0, Containers.SPAN, bits, 0);
  }

  /** Tells whether what comes of two arrays is sure to be small enough for one. */
  private boolean isArray(int leftCardinality, int rightCardinality) {
    return rightOnly == 0 || leftCardinality + rightCardinality <= Scratch.MAX_VALUES;
  }

  /** Leaves in {@code left} what the operation gives for the bits of one container. */
  private void combine(long[] left, long[] right) {
    long leftMask = -leftOnly;
    long bothMask = -both;
    long rightMask = -rightOnly;
    for (int i = 0; i < Bits.CONTAINER_WORDS; i++) {
      long l = left[i];
      long r = right[i];
      left[i] = (l & ~r & leftMask) | (l & r & bothMask) | (~l & r & rightMask);
    }
  }

  /** Writes what the operation gives for two arrays, and returns the number of values. */
  private int merge(char[] left, int leftCount, char[] right, int rightCount, Scratch scratch) {
    char[] merged = scratch.merged;
    int l = 0;
    int r = 0;
    int count = 0;
    while (l < leftCount && r < rightCount) {
      int fromLeft = left[l];
      int fromRight = right[r];
      // Without branches, which random positions make the processor guess wrong.
      int leftIsNext = notAbove(fromLeft, fromRight);
      int rightIsNext = notAbove(fromRight, fromLeft);
      merged[count] = (char) Math.min(fromLeft, fromRight);
      count +=
          (leftIsNext & ~rightIsNext & leftOnly)
              | (leftIsNext & rightIsNext & both)
              | (~leftIsNext & rightIsNext & rightOnly);
      l += leftIsNext;
      r += rightIsNext;
    }
    int leftRest = leftOnly * (leftCount - l);
    System.arraycopy(left, l, merged, count, leftRest);
    int rightRest = rightOnly * (rightCount - r);
    System.arraycopy(right, r, merged, count + leftRest, rightRest);
    return count + leftRest + rightRest;
  }

  /** Returns 1 if {@code left} is not above {@code right}, else 0. */
  private static int notAbove(int left, int right) {
    return (left - right - 1) >>> 31;
  }

  /** Tells whether every position of {@code part} is in {@code whole}. */
  static boolean containsAll(Containers whole, Containers part) {
    Scratch scratch = new Scratch();
    int w = 0;
    for (int p = 0; p < part.count; p++) {
      while (w < whole.count && whole.prefix(w) < part.prefix(p)) {
        w++;
      }
      if (w == whole.count
          || whole.prefix(w) != part.prefix(p)
          || whole.cardinality(w) < part.cardinality(p)
          || !containsAll(whole, w, part, p, scratch)) {
        return false;
      }
    }
    return true;
  }

  private static boolean containsAll(
      Containers whole, int w, Containers part, int p, Scratch scratch) {
    expand(whole, w, scratch.leftBits);
    expand(part, p, scratch.rightBits);
    for (int i = 0; i < Bits.CONTAINER_WORDS; i++) {
      if ((scratch.rightBits[i] & ~scratch.leftBits[i]) != 0) {
        return false;
      }
    }
    return true;
  }

  /** Room for two containers, and for what comes of them. */
  private static final class Scratch {
    private static final int MAX_VALUES = ContainerView.MAX_ARRAY_CARDINALITY;

    private final char[] left = new char[MAX_VALUES];
    private final char[] right = new char[MAX_VALUES];

    /** One more, as a value is written before it is known whether it is kept. */
    private final char[] merged = new char[MAX_VALUES + 1];

    private final long[] leftBits = new long[Bits.CONTAINER_WORDS];
    private final long[] rightBits = new long[Bits.CONTAINER_WORDS];
  }
}
