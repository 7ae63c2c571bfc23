package io.github.icebergext.dv.write;

import io.github.icebergext.dv.DeletedPositions;
import java.util.Arrays;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * New positions of one data file while they are added, in any order and repeated at will.
 *
 * <p>Positions are appended to a buffer of four bytes each, which is encoded whenever it is full:
 * adding one searches for nothing, few positions take few bytes, and the memory of many follows
 * their encoded size. The result does not depend on the order of calls.
 *
 * <p>Of many that are held, the one that is added to may be lent a buffer, which saves it from
 * growing one of its own. Not thread-safe.
 */
class PositionBuffer {
  private static final int[] NONE = {};

  /** From here on encoding halves what random rows of a million take. */
  private static final int MIN_BUFFER_LIMIT = 4096;

  /** From here on encoding takes fewer bytes, of random rows of a million. */
  private static final int MIN_SETTLED = 256;

  /**
   * Encoded bytes for each position that the buffer may hold, so that what is encoded is written
   * anew only after it has grown by a good part, and the buffer takes no more than half of it.
   */
  private static final int ENCODED_BYTES_A_POSITION = 8;

  /** Up to here ranges and vectors take fewer bytes in the buffer. */
  private static final int FEW = 16;

  private int[] buffer = NONE;
  private int count;
  private @Nullable DeletedPositions encoded;

  /** Holds ranges, and positions from 2^31 on. */
  private DeletedPositions.@Nullable Builder collected;

  /**
   * Adds one position.
   *
   * @throws IllegalArgumentException if it is negative or above {@link
   *     DeletedPositions#MAX_ICEBERG_POSITION}
   */
  void add(long position) {
    if (fitsBuffer(position)) {
      append((int) position);
    } else {
      collect(builder -> builder.add(position));
    }
  }

  private void append(int position) {
    if (count == buffer.length) {
      makeRoom();
    }
    buffer[count++] = position;
  }

  private static boolean fitsBuffer(long position) {
    return position >>> (Integer.SIZE - 1) == 0;
  }

  private void collect(UnaryOperator<DeletedPositions.Builder> addition) {
    collected = addition.apply(collected == null ? DeletedPositions.builder() : collected);
  }

  /**
   * Adds the positions from {@code startInclusive} to {@code endExclusive}; none if the two are
   * equal.
   *
   * @throws IllegalArgumentException if the range is inverted, holds a position that is negative or
   *     too large, or more positions than a vector of 2 GiB
   */
  void addRange(long startInclusive, long endExclusive) {
    long length = endExclusive - startInclusive;
    if (0 <= length && length <= FEW && fitsBuffer(startInclusive) && fitsBuffer(endExclusive)) {
      for (long position = startInclusive; position < endExclusive; position++) {
        append((int) position);
      }
    } else if (length != 0) {
      collect(builder -> builder.addRange(startInclusive, endExclusive));
    }
  }

  /**
   * Adds positions, all or, when one is refused, none.
   *
   * @throws IllegalArgumentException if one is negative or too large
   */
  void addAll(long[] positions) {
    long bits = 0;
    for (long position : positions) {
      bits |= position;
    }
    if (!fitsBuffer(bits)) {
      collect(builder -> builder.addAll(positions, 0, positions.length));
      return;
    }
    for (long position : positions) {
      append((int) position);
    }
  }

  /** Adds all of {@code positions}, which are kept as they are where that is the best. */
  void addAll(DeletedPositions positions) {
    int few = encoded == null ? FEW : bufferLimit() / 2;
    if (positions.isEmpty()) {
      return;
    }
    if (positions.cardinality() <= few && fitsBuffer(positions.lastPosition())) {
      positions.forEach(position -> append((int) position));
    } else {
      encoded = encoded == null ? positions : encoded.union(positions);
    }
  }

  /** Returns a buffer to be lent. */
  static int[] newBuffer() {
    return new int[MIN_BUFFER_LIMIT];
  }

  /** Uses {@code lent} until {@link #settle}, unless there are positions in a buffer already. */
  final void borrow(int[] lent) {
    if (buffer == NONE) {
      buffer = lent;
    }
  }

  /**
   * Gives {@code lent} back, if it is in use, and keeps what was added in as few bytes as can be.
   */
  final void settle(int[] lent) {
    if (buffer != lent) {
      return;
    }
    if (count >= (encoded == null ? MIN_SETTLED : bufferLimit() / 4)) {
      encodeBuffer();
    } else {
      buffer = count == 0 ? NONE : Arrays.copyOf(lent, count);
    }
  }

  final boolean isEmpty() {
    return count == 0 && encoded == null && collected == null;
  }

  /** Returns all positions added so far; more may be added after it. */
  final DeletedPositions positions() {
    DeletedPositions all = encodedWithBuffer();
    return collected == null ? all : all.union(collected.build());
  }

  private void makeRoom() {
    if (count >= bufferLimit()) {
      encodeBuffer();
    }
    // An even number of them leaves no byte unused.
    int capacity = count + Math.max(count / 2, 2) + 1 & ~1;
    buffer = Arrays.copyOf(buffer, Math.min(capacity, bufferLimit()));
  }

  private void encodeBuffer() {
    encoded = encodedWithBuffer();
    buffer = NONE;
    count = 0;
  }

  private int bufferLimit() {
    long bytes = encoded == null ? 0 : encoded.retainedSizeInBytes();
    return (int) Math.max(MIN_BUFFER_LIMIT, bytes / ENCODED_BYTES_A_POSITION);
  }

  private DeletedPositions encodedWithBuffer() {
    if (encoded != null && count == 0) {
      return encoded;
    }
    buffer = RadixSort.sort(buffer, count);
    DeletedPositions added = DeletedPositions.ofAscending(buffer, count);
    return encoded == null ? added : encoded.union(added);
  }
}
