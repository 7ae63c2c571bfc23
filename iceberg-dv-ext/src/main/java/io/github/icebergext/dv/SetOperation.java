package io.github.icebergext.dv;

import java.util.Arrays;

/** Combines two vectors, container by container, into a new one. */
enum SetOperation {
  UNION(true, true) {
    @Override
    void combine(long[] left, long[] right) {
      for (int i = 0; i < Bits.CONTAINER_WORDS; i++) {
        left[i] |= right[i];
      }
    }
  },
  INTERSECTION(false, false) {
    @Override
    void combine(long[] left, long[] right) {
      for (int i = 0; i < Bits.CONTAINER_WORDS; i++) {
        left[i] &= right[i];
      }
    }
  },
  DIFFERENCE(true, false) {
    @Override
    void combine(long[] left, long[] right) {
      for (int i = 0; i < Bits.CONTAINER_WORDS; i++) {
        left[i] &= ~right[i];
      }
    }
  };

  private final boolean keepsLeft;
  private final boolean keepsRight;

  SetOperation(boolean keepsLeft, boolean keepsRight) {
    this.keepsLeft = keepsLeft;
    this.keepsRight = keepsRight;
  }

  /** Leaves in {@code left} what the operation gives for the bits of one container. */
  abstract void combine(long[] left, long[] right);

  Containers apply(Containers left, Containers right) {
    VectorWriter writer = new VectorWriter(Math.max(left.bytes.length, right.bytes.length));
    long[] leftBits = new long[Bits.CONTAINER_WORDS];
    long[] rightBits = new long[Bits.CONTAINER_WORDS];
    ArrayView.Scratch scratch = new ArrayView.Scratch();
    int l = 0;
    int r = 0;
    while (l < left.count || r < right.count) {
      long leftPrefix = l < left.count ? left.prefix(l) : Long.MAX_VALUE;
      long rightPrefix = r < right.count ? right.prefix(r) : Long.MAX_VALUE;
      if (leftPrefix == rightPrefix) {
        expand(left, l++, leftBits, scratch);
        expand(right, r++, rightBits, scratch);
        combine(leftBits, rightBits);
        writer.append(leftPrefix, leftBits);
      } else if (leftPrefix < rightPrefix) {
        appendIf(keepsLeft, left, l++, writer);
      } else {
        appendIf(keepsRight, right, r++, writer);
      }
    }
    return writer.finish();
  }

  private static void appendIf(boolean kept, Containers source, int index, VectorWriter writer) {
    if (kept) {
      writer.append(source, index);
    }
  }

  /** Tells whether every position of {@code part} is in {@code whole}. */
  static boolean containsAll(Containers whole, Containers part) {
    long[] wholeBits = new long[Bits.CONTAINER_WORDS];
    long[] partBits = new long[Bits.CONTAINER_WORDS];
    ArrayView.Scratch scratch = new ArrayView.Scratch();
    int w = 0;
    for (int p = 0; p < part.count; p++) {
      while (w < whole.count && whole.prefix(w) < part.prefix(p)) {
        w++;
      }
      if (w == whole.count
          || whole.prefix(w) != part.prefix(p)
          || whole.cardinality(w) < part.cardinality(p)) {
        return false;
      }
      expand(whole, w, wholeBits, scratch);
      expand(part, p, partBits, scratch);
      for (int i = 0; i < Bits.CONTAINER_WORDS; i++) {
        if ((partBits[i] & ~wholeBits[i]) != 0) {
          return false;
        }
      }
    }
    return true;
  }

  private static void expand(Containers source, int index, long[] bits, ArrayView.Scratch scratch) {
    Arrays.fill(bits, 0);
    source.flip(index, 0, Containers.SPAN, bits, 0, scratch);
  }
}
