package io.github.icebergext.dv;

import java.util.function.LongConsumer;

/**
 * The values of one container where they stand in the encoded vector: 16-bit numbers, of which this
 * is a read-only view.
 *
 * <p>Views are cheap and short-lived; a vector keeps none. Except for {@link #check} they expect
 * bytes that were checked. Bounds {@code from} and {@code to} are 0 to 65,536 and half-open.
 */
abstract sealed class ContainerView permits ArrayView, BitsetView, RunView {
  /** Largest number of values for which an array is no larger than a bitset. */
  static final int MAX_ARRAY_CARDINALITY = 4096;

  static final int BITSET_BYTES = 8192;

  final byte[] bytes;
  final int at;

  ContainerView(byte[] bytes, int at) {
    this.bytes = bytes;
    this.at = at;
  }

  /** Returns the size of a container without runs that holds {@code cardinality} values. */
  static int plainBytes(int cardinality) {
    return cardinality <= MAX_ARRAY_CARDINALITY ? cardinality * 2 : BITSET_BYTES;
  }

  /**
   * Returns the number of runs from which on a container of them is not smaller than a plain one.
   */
  static int tooManyRuns(int cardinality) {
    return (plainBytes(cardinality) + 1) / 4;
  }

  /** Returns the size of a container of {@code runs} runs. */
  static int runBytes(int runs) {
    return 2 + 4 * runs;
  }

  /** Returns the bytes that this container takes, from {@link #at} on. */
  abstract int sizeInBytes();

  /**
   * Checks the values and returns their number, which is the declared one except for runs.
   *
   * @return the cardinality, or −1 when the values break the format
   */
  abstract int check(ContentCheck check);

  /** Returns what {@link #check} found, in words. */
  abstract String fault();

  abstract boolean contains(int low);

  /** Returns the number of values less than {@code low}. */
  abstract int rank(int low);

  /** Returns the smallest value at or after {@code low}, or 65,536. */
  abstract int next(int low);

  /** Returns the smallest number at or after {@code low} that is no value, 65,536 at most. */
  abstract int nextAbsent(int low);

  abstract int last();

  /**
   * Returns the smallest number of runs that hold these values, or any number from {@code limit} on
   * when that is not less.
   */
  abstract int runs(int limit);

  /** Inverts, for every value from {@code from} to {@code to}, bit {@code shift + value}. */
  abstract void flip(int from, int to, long[] words, int shift);

  /** Passes {@code base + value} for every value from {@code from} to {@code to}. */
  abstract void forEach(int from, int to, long base, LongConsumer consumer);

  /** Passes the runs of values between {@code from} and {@code to}, each added to {@code base}. */
  abstract void forEachRange(int from, int to, long base, PositionRangeConsumer consumer);
}
