package io.github.icebergext.dv.write;

import java.util.Arrays;

/**
 * Sorts numbers that are not negative by their digits, each as wide as the count of them allows.
 */
final class RadixSort {
  /** Counters of digits up to this width stay in the fastest cache. */
  private static final int MAX_DIGIT_BITS = 11;

  /** Fewer numbers are sorted faster by comparison. */
  private static final int MIN_COUNT = 64;

  private RadixSort() {}

  /**
   * Sorts the first {@code count} numbers.
   *
   * @return {@code values} or a new array of {@code count} numbers, whichever has the sorted ones
   *     first; what {@code values} holds is undefined if it is not the one returned
   */
  static int[] sort(int[] values, int count) {
    if (isAscending(values, count)) {
      return values;
    }
    if (count < MIN_COUNT) {
      Arrays.sort(values, 0, count);
      return values;
    }
    return sortByDigits(values, count);
  }

  private static boolean isAscending(int[] values, int count) {
    for (int i = 1; i < count; i++) {
      if (values[i - 1] > values[i]) {
        return false;
      }
    }
    return true;
  }

  private static int[] sortByDigits(int[] values, int count) {
    int bits = differingBits(values, count);
    int maxDigitBits = Math.min(MAX_DIGIT_BITS, Integer.SIZE - Integer.numberOfLeadingZeros(count));
    int passes = (bits + maxDigitBits - 1) / maxDigitBits;
    int digitBits = (bits + passes - 1) / passes;
    int[] starts = new int[1 << digitBits];
    int[] from = values;
    int[] to = new int[count];
    for (int pass = 0; pass < passes; pass++) {
      distribute(from, to, count, pass * digitBits, starts);
      int[] sorted = to;
      to = from;
      from = sorted;
    }
    return from;
  }

  /** Returns how many low bits hold all in which the numbers differ. */
  private static int differingBits(int[] values, int count) {
    int differing = 0;
    for (int i = 1; i < count; i++) {
      differing |= values[0] ^ values[i];
    }
    return Integer.SIZE - Integer.numberOfLeadingZeros(differing);
  }

  /** Copies the numbers in the order of one digit, and of {@code from} where that is equal. */
  private static void distribute(int[] from, int[] to, int count, int shift, int[] starts) {
    int mask = starts.length - 1;
    Arrays.fill(starts, 0);
    for (int i = 0; i < count; i++) {
      starts[from[i] >>> shift & mask]++;
    }
    int start = 0;
    for (int digit = 0; digit < starts.length; digit++) {
      int next = start + starts[digit];
      starts[digit] = start;
      start = next;
    }
    for (int i = 0; i < count; i++) {
      int value = from[i];
      to[starts[value >>> shift & mask]++] = value;
    }
  }
}
