package io.github.icebergext.dv;

import java.io.InvalidObjectException;
import java.io.ObjectInputStream;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.PrimitiveIterator;
import java.util.Queue;
import java.util.function.LongConsumer;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.deletes.PositionDeleteIndex;
import org.apache.iceberg.puffin.Blob;
import org.jspecify.annotations.Nullable;

/**
 * The deleted row positions of one data file.
 *
 * <p>A read-only view over one exact copy of the encoded vector, and a directory of at most 16
 * bytes for each 65,536 positions of which some are deleted. Memory follows the encoded bytes, not
 * the positions: one at 2^60 costs as much as one at 0.
 *
 * <p>Positions count a data file's rows from 0, including rows that a reader skips: one that skips
 * row groups or pages passes the position of the first row of each batch as it stands in the file.
 * Ranges are half-open. A negative position, or one after the last, is not deleted and may be asked
 * for.
 *
 * <p>Immutable and thread-safe. Serializable through its encoding.
 */
public final class DeletedPositions implements Serializable {
  private static final long serialVersionUID = 1L;

  /** The largest position that Iceberg's own classes take: 2^32 (2^31 − 2) + 2^31. */
  public static final long MAX_ICEBERG_POSITION = 0x7FFF_FFFE_8000_0000L;

  /** Never written: the encoding is, by {@link #writeReplace()}. */
  private final transient Containers containers;

  DeletedPositions(Containers containers) {
    this.containers = containers;
  }

  /** Returns a builder without positions. */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Returns the positions given, in any order.
   *
   * @throws IllegalArgumentException if one is negative or above {@link #MAX_ICEBERG_POSITION}
   */
  public static DeletedPositions of(long... positions) {
    return builder().addAll(positions, 0, positions.length).build();
  }

  /**
   * Returns the positions that stand at the start of an array in ascending order; some may be
   * equal. The order is not checked.
   *
   * @param sorted positions from 0 on, not negative; not kept
   * @param count how many of them there are
   */
  public static DeletedPositions ofAscending(int[] sorted, int count) {
    return new DeletedPositions(AscendingPositions.encode(sorted, count));
  }

  /**
   * Returns the positions that {@code index} deletes now; those it gets later are not seen.
   *
   * @throws IllegalArgumentException if one is negative or above {@link #MAX_ICEBERG_POSITION}
   */
  public static DeletedPositions copyOf(PositionDeleteIndex index) {
    return index instanceof DeletedPositionsIndex view
        ? view.positions()
        : builder().addAll(index).build();
  }

  /** Returns the positions deleted in any of {@code all}. */
  public static DeletedPositions unionOf(Collection<DeletedPositions> all) {
    Queue<DeletedPositions> rest = new ArrayDeque<>(all);
    if (rest.isEmpty()) {
      return builder().build();
    }
    // Pairs of results of like size, so that no position is copied more often than log2 of the
    // count.
    DeletedPositions union = rest.remove();
    while (!rest.isEmpty()) {
      rest.add(union.union(rest.remove()));
      union = rest.remove();
    }
    return union;
  }

  /** Tells whether the row at {@code position} is deleted. */
  public boolean isDeleted(long position) {
    return containers.contains(position);
  }

  /** Returns a cursor for one reader that asks for ascending positions. */
  public PositionCursor cursor() {
    return new PositionCursor(containers);
  }

  /** Returns the number of deleted positions. */
  public long cardinality() {
    return containers.cardinality;
  }

  /**
   * Returns the number of deleted positions from {@code startInclusive} to {@code endExclusive}.
   *
   * @throws IllegalArgumentException if the range is inverted
   */
  public long cardinality(long startInclusive, long endExclusive) {
    checkRange(startInclusive, endExclusive);
    return containers.rank(endExclusive) - containers.rank(startInclusive);
  }

  /** Tells whether no position is deleted. */
  public boolean isEmpty() {
    return containers.count == 0;
  }

  /**
   * Tells whether every position from {@code startInclusive} to {@code endExclusive} is deleted, so
   * that a reader may skip them. Of no position it is true.
   *
   * @throws IllegalArgumentException if the range is inverted
   */
  public boolean isFullyDeleted(long startInclusive, long endExclusive) {
    checkRange(startInclusive, endExclusive);
    if (startInclusive == endExclusive) {
      return true;
    }
    long live = startInclusive < 0 ? startInclusive : containers.nextAbsent(startInclusive);
    return live < startInclusive || live >= endExclusive;
  }

  /**
   * Tells whether no position from {@code startInclusive} to {@code endExclusive} is deleted, so
   * that a reader need not filter them. Of no position it is true.
   *
   * @throws IllegalArgumentException if the range is inverted
   */
  public boolean isFullyLive(long startInclusive, long endExclusive) {
    checkRange(startInclusive, endExclusive);
    long deleted = containers.next(startInclusive);
    return deleted < 0 || deleted >= endExclusive;
  }

  /**
   * Returns the smallest deleted position.
   *
   * @throws NoSuchElementException if there is none
   */
  public long firstPosition() {
    requirePosition();
    return containers.next(0);
  }

  /**
   * Returns the largest deleted position.
   *
   * @throws NoSuchElementException if there is none
   */
  public long lastPosition() {
    requirePosition();
    int last = containers.count - 1;
    return containers.base(last) + containers.view(last).last();
  }

  private void requirePosition() {
    if (isEmpty()) {
      throw new NoSuchElementException("No position is deleted");
    }
  }

  /**
   * Returns the smallest deleted position that is {@code from} or larger, or −1 if there is none.
   */
  public long nextDeleted(long from) {
    return containers.next(from);
  }

  /**
   * Returns the smallest position that is {@code from} or larger, not negative and not deleted; −1
   * if there is none up to 2^63 − 1. Where the data file ends is not known here.
   */
  public long nextLive(long from) {
    return containers.nextAbsent(from);
  }

  /**
   * Writes which rows of a batch are live: bit i of the mask, the least significant of each word
   * first, is 1 when position {@code startPosition + i} is not deleted. Bits of the last word from
   * {@code length} on are cleared; further words stay as they are.
   *
   * @param startPosition position in the data file of the batch's first row
   * @param length number of rows
   * @param mask has at least {@code length} bits
   * @throws IllegalArgumentException if the length is negative or the mask too short
   */
  public void keepMask(long startPosition, int length, long[] mask) {
    batch(startPosition, length, mask.length * 64L).mask(RowBatch.Fill.ONES, mask);
  }

  /**
   * Writes which rows of a batch are live, in the layout of Arrow's booleans: bit {@code i % 8} of
   * byte {@code i / 8}.
   *
   * @throws IllegalArgumentException if the length is negative or the mask too short
   * @see #keepMask(long, int, long[])
   */
  public void keepMask(long startPosition, int length, byte[] mask) {
    batch(startPosition, length, mask.length * 8L).mask(RowBatch.Fill.ONES, mask);
  }

  /**
   * Writes which rows of a batch are deleted: the opposite of {@link #keepMask(long, int, long[])}.
   *
   * @throws IllegalArgumentException if the length is negative or the mask too short
   */
  public void deleteMask(long startPosition, int length, long[] mask) {
    batch(startPosition, length, mask.length * 64L).mask(RowBatch.Fill.ZEROS, mask);
  }

  /**
   * Writes which rows of a batch are deleted: the opposite of {@link #keepMask(long, int, byte[])}.
   *
   * @throws IllegalArgumentException if the length is negative or the mask too short
   */
  public void deleteMask(long startPosition, int length, byte[] mask) {
    batch(startPosition, length, mask.length * 8L).mask(RowBatch.Fill.ZEROS, mask);
  }

  /**
   * Writes the live rows of a batch, ascending: each i for which position {@code startPosition + i}
   * is not deleted. What stands in {@code offsets} after them is undefined.
   *
   * @param startPosition position in the data file of the batch's first row
   * @param length number of rows
   * @param offsets has room for {@code length} numbers
   * @return the number of live rows
   * @throws IllegalArgumentException if the length is negative or the array too short
   */
  public int liveOffsets(long startPosition, int length, int[] offsets) {
    return batch(startPosition, length, offsets.length).liveOffsets(offsets);
  }

  private RowBatch batch(long startPosition, int length, long capacity) {
    return new RowBatch(containers, startPosition, length, capacity);
  }

  /** Calls {@code consumer} with each deleted position in ascending order. */
  public void forEach(LongConsumer consumer) {
    for (int i = 0; i < containers.count; i++) {
      containers.view(i).forEach(0, Containers.SPAN, containers.base(i), consumer);
    }
  }

  /**
   * Calls {@code consumer} with each deleted position from {@code startInclusive} to {@code
   * endExclusive}, in ascending order.
   *
   * @throws IllegalArgumentException if the range is inverted
   */
  public void forEach(long startInclusive, long endExclusive, LongConsumer consumer) {
    checkRange(startInclusive, endExclusive);
    containers.forEach(startInclusive, endExclusive, consumer);
  }

  /**
   * Calls {@code consumer} with each longest range of deleted positions from {@code startInclusive}
   * to {@code endExclusive}, ascending and cut at these two.
   *
   * @throws IllegalArgumentException if the range is inverted
   */
  public void forEachRange(long startInclusive, long endExclusive, PositionRangeConsumer consumer) {
    checkRange(startInclusive, endExclusive);
    containers.forEachRange(startInclusive, endExclusive, consumer);
  }

  /** Returns an iterator over the deleted positions in ascending order. */
  public PrimitiveIterator.OfLong iterator() {
    return new PositionIterator(containers);
  }

  private static void checkRange(long startInclusive, long endExclusive) {
    if (startInclusive > endExclusive) {
      throw new IllegalArgumentException(
          "Invalid range of positions: start " + startInclusive + " is after end " + endExclusive);
    }
  }

  /** Returns the positions deleted here or in {@code other}. */
  public DeletedPositions union(DeletedPositions other) {
    return combine(SetOperation.UNION, other);
  }

  /** Returns the positions deleted both here and in {@code other}. */
  public DeletedPositions intersection(DeletedPositions other) {
    return combine(SetOperation.INTERSECTION, other);
  }

  /**
   * Returns the positions deleted here and not in {@code other}: what a commit deleted, when this
   * is its vector and {@code other} the one before, all of which is in here.
   *
   * @see #containsAll
   */
  public DeletedPositions difference(DeletedPositions other) {
    return combine(SetOperation.DIFFERENCE, other);
  }

  private DeletedPositions combine(SetOperation operation, DeletedPositions other) {
    return new DeletedPositions(operation.apply(containers, other.containers));
  }

  /** Tells whether every position deleted in {@code other} is deleted here. */
  public boolean containsAll(DeletedPositions other) {
    return SetOperation.containsAll(containers, other.containers);
  }

  /**
   * Returns these positions as Iceberg's interface. The view is read-only: its {@code delete} and
   * {@code merge} throw {@code UnsupportedOperationException}. Thread-safe.
   *
   * @param deleteFiles what the view's {@code deleteFiles()} returns
   */
  public PositionDeleteIndex asPositionDeleteIndex(DeleteFile... deleteFiles) {
    return new DeletedPositionsIndex(this, List.of(deleteFiles));
  }

  /**
   * Returns these positions as an Iceberg blob for a Puffin file: uncompressed, of type {@code
   * deletion-vector-v1}, with the properties that the spec requires, and with snapshot ID and
   * sequence number −1, which are inherited on commit. Its data is a read-only view of the vector.
   *
   * @param referencedDataFile location of the data file, exactly as in table metadata
   * @throws IllegalStateException if the blob would take 2 GiB or more
   */
  public Blob toBlob(String referencedDataFile) {
    return DeletionVectorBlob.of(this, referencedDataFile);
  }

  /** Returns how the vector is laid out as it was decoded or built, for inspection. */
  public VectorLayout layout() {
    return VectorLayout.of(containers);
  }

  /** Returns the bytes of memory that this value retains. */
  public long retainedSizeInBytes() {
    int self = 16;
    return self + containers.retainedSizeInBytes();
  }

  /**
   * Returns the length in bytes of the blob that {@link DeletionVectorCodec#encode} gives.
   *
   * @throws IllegalStateException if it would be 2 GiB or more
   */
  public long serializedSizeInBytes() {
    return canonicalBlob().length;
  }

  /** Returns the blob as {@link VectorWriter} writes it; not to be changed. */
  byte[] canonicalBlob() {
    return VectorWriter.isCanonical(containers)
        ? containers.bytes
        : VectorWriter.write(containers).bytes;
  }

  /** Returns the blob as {@link VectorWriter} writes it, for the caller to keep. */
  ByteBuffer encoded() {
    byte[] blob = canonicalBlob();
    return ByteBuffer.wrap(blob == containers.bytes ? blob.clone() : blob);
  }

  /** Tells whether {@code other} deletes the same positions, however it was encoded. */
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof DeletedPositions that
        && cardinality() == that.cardinality()
        && (Arrays.equals(containers.bytes, that.containers.bytes) || containsAll(that));
  }

  @Override
  public int hashCode() {
    return isEmpty()
        ? 0
        : Objects.hash(
            firstPosition(), lastPosition(), cardinality(), containers.cardinalityHash());
  }

  /** Returns the number of positions, and the first and last of them. */
  @Override
  public String toString() {
    return "DeletedPositions{cardinality="
        + cardinality()
        + (isEmpty() ? "" : ", first=" + firstPosition() + ", last=" + lastPosition())
        + "}";
  }

  private Object writeReplace() {
    return new Encoded(canonicalBlob());
  }

  @SuppressWarnings("unused") // Called by serialization: a value comes from its encoding only.
  private void readObject(ObjectInputStream in) throws InvalidObjectException {
    throw new InvalidObjectException("Deleted positions are read from their encoding");
  }

  /** The serialized form; reading it checks the blob like any other. */
  private static final class Encoded implements Serializable {
    private static final long serialVersionUID = 1L;

    private final byte[] blob;

    private Encoded(byte[] blob) {
      this.blob = blob;
    }

    private Object readResolve() {
      return DeletionVectorCodec.decodeOwned(blob);
    }
  }

  /**
   * Collects positions, in any order and repeated at will; ascending ones are the fastest. After a
   * refused call, the builder is as before it. Not thread-safe.
   */
  public static final class Builder {
    private final PositionCollector collector = new PositionCollector();
    private long maxPosition = MAX_ICEBERG_POSITION;

    private Builder() {}

    /**
     * Allows positions up to {@code maxPosition} from now on, instead of {@link
     * #MAX_ICEBERG_POSITION}: the number of a data file's rows less 1, for instance, or {@link
     * Long#MAX_VALUE} for readers other than Iceberg's classes.
     *
     * @throws IllegalArgumentException if it is negative
     */
    public Builder maxPosition(long maxPosition) {
      if (maxPosition < 0) {
        throw new IllegalArgumentException("Invalid largest position: " + maxPosition);
      }
      this.maxPosition = maxPosition;
      return this;
    }

    /**
     * Adds one position.
     *
     * @throws IllegalArgumentException if it is negative or too large
     */
    public Builder add(long position) {
      checkPosition(position);
      collector.add(position);
      return this;
    }

    /**
     * Adds the positions from {@code startInclusive} to {@code endExclusive}; none if the two are
     * equal.
     *
     * @throws IllegalArgumentException if the range is inverted, holds a position that is negative
     *     or too large, or more positions than a vector of 2 GiB
     */
    public Builder addRange(long startInclusive, long endExclusive) {
      checkRange(startInclusive, endExclusive);
      if (startInclusive < endExclusive) {
        checkPosition(startInclusive);
        checkPosition(endExclusive - 1);
        checkEncodable(startInclusive, endExclusive);
        collector.add(startInclusive, endExclusive - 1);
      }
      return this;
    }

    /**
     * Adds the positions at index {@code fromIndex} to {@code toIndex}, exclusive, of an array.
     *
     * @throws IndexOutOfBoundsException if the indexes are not within the array
     * @throws IllegalArgumentException if a position is negative or too large
     */
    public Builder addAll(long[] positions, int fromIndex, int toIndex) {
      Objects.checkFromToIndex(fromIndex, toIndex, positions.length);
      if (isAscending(positions, fromIndex, toIndex)) {
        if (fromIndex < toIndex) {
          checkPosition(positions[toIndex - 1]);
        }
        collector.addAscending(positions, fromIndex, toIndex);
      } else {
        Arrays.stream(positions, fromIndex, toIndex).forEach(this::checkPosition);
        Arrays.stream(positions, fromIndex, toIndex).forEach(collector::add);
      }
      return this;
    }

    /** Tells whether positions are not negative and strictly ascend. */
    private static boolean isAscending(long[] positions, int from, int to) {
      long previous = -1;
      long negative = 0;
      for (int i = from; i < to; i++) {
        long position = positions[i];
        // Of two numbers that are not negative the difference does not overflow.
        negative |= position | (position - previous - 1);
        previous = position;
      }
      return negative >= 0;
    }

    /**
     * Adds the positions that are left in an iterator. Those before a refused one stay added.
     *
     * @throws IllegalArgumentException if a position is negative or too large
     */
    public Builder addAll(Iterator<Long> positions) {
      if (positions instanceof PrimitiveIterator.OfLong primitive) {
        primitive.forEachRemaining((LongConsumer) this::add);
      } else {
        positions.forEachRemaining(this::add);
      }
      return this;
    }

    /**
     * Adds all of {@code positions}.
     *
     * @throws IllegalArgumentException if the last of them is too large
     */
    public Builder addAll(DeletedPositions positions) {
      if (!positions.isEmpty()) {
        checkPosition(positions.lastPosition());
        collector.add(positions.containers);
      }
      return this;
    }

    /**
     * Adds the positions that {@code index} deletes. Those before a refused one stay added.
     *
     * @throws IllegalArgumentException if a position is negative or too large
     */
    public Builder addAll(PositionDeleteIndex index) {
      if (index instanceof DeletedPositionsIndex view) {
        return addAll(view.positions());
      }
      index.forEach(this::add);
      return this;
    }

    private static void checkEncodable(long startInclusive, long endExclusive) {
      if ((endExclusive - startInclusive) >>> 16 > VectorWriter.MAX_CONTAINERS) {
        throw new IllegalArgumentException(
            "Cannot delete positions from "
                + startInclusive
                + " to "
                + endExclusive
                + ": no vector below 2 GiB holds them");
      }
    }

    private void checkPosition(long position) {
      if (position < 0 || position > maxPosition) {
        throw new IllegalArgumentException(
            "Cannot delete position " + position + ": it is not between 0 and " + maxPosition);
      }
    }

    /**
     * Returns the positions added so far, encoded as small as can be. The builder may be used on.
     *
     * @throws IllegalStateException if the encoded vector would take 2 GiB or more
     */
    public DeletedPositions build() {
      return new DeletedPositions(collector.build());
    }
  }
}
