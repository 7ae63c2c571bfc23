package io.github.icebergext.dv;

import java.util.Map;
import java.util.NoSuchElementException;
import java.util.TreeMap;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** The deleted row positions of one data file. Immutable and thread-safe. */
public final class DeletedPositions {
  /** The largest position that Iceberg's own classes read: key 2^31 − 2, low bits 2^31. */
  public static final long MAX_ICEBERG_POSITION = 0x7FFF_FFFE_8000_0000L;

  private final Containers containers;

  DeletedPositions(Containers containers) {
    this.containers = containers;
  }

  /** Returns a builder without positions. */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Tells whether the row at {@code position} is deleted; a position that no row can have is not.
   */
  public boolean isDeleted(long position) {
    return containers.contains(position);
  }

  /** Returns the number of deleted positions. */
  public long cardinality() {
    return containers.cardinality;
  }

  /** Tells whether no position is deleted. */
  public boolean isEmpty() {
    return containers.count == 0;
  }

  /**
   * Returns the smallest deleted position.
   *
   * @throws NoSuchElementException if there is none
   */
  public long firstPosition() {
    requirePosition();
    return containers.base(0) + containers.view(0).next(0);
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

  /** Calls {@code consumer} with each deleted position in ascending order. */
  public void forEach(LongConsumer consumer) {
    for (int i = 0; i < containers.count; i++) {
      containers.view(i).forEach(0, Containers.SPAN, containers.base(i), consumer);
    }
  }

  /** Returns the positions deleted here or in {@code other}. */
  public DeletedPositions union(DeletedPositions other) {
    return builder().addAll(this).addAll(other).build();
  }

  /** Returns the blob as {@link VectorWriter} writes it; not to be changed. */
  byte[] canonicalBlob() {
    if (isCanonical()) {
      return containers.bytes;
    }
    VectorWriter writer = new VectorWriter(containers.bytes.length);
    for (int i = 0; i < containers.count; i++) {
      writer.append(containers, i);
    }
    return writer.finish().bytes;
  }

  private boolean isCanonical() {
    if (!containers.canonicalHeaders) {
      return false;
    }
    for (int i = 0; i < containers.count; i++) {
      if (!VectorWriter.isSmallest(containers, i, containers.view(i))) {
        return false;
      }
    }
    return true;
  }

  /** Takes half-open ranges of positions. */
  @FunctionalInterface
  public interface RangeConsumer {
    /** Takes the positions from {@code startInclusive} to {@code endExclusive}. */
    void accept(long startInclusive, long endExclusive);
  }

  /** Collects positions, in any order; ascending ones are the fastest. Not thread-safe. */
  public static final class Builder {
    private final TreeMap<Long, MutableContainer> byPrefix = new TreeMap<>();
    private final long maxPosition = MAX_ICEBERG_POSITION;
    private long prefix = -1;
    private @Nullable MutableContainer current;

    private Builder() {}

    /**
     * Adds one position.
     *
     * @throws IllegalArgumentException if the position is negative or larger than allowed
     */
    public Builder add(long position) {
      checkPosition(position);
      int low = (int) position & 0xFFFF;
      container(position >>> 16).add(low, low);
      return this;
    }

    /**
     * Adds the positions from {@code startInclusive} to {@code endExclusive}; none if they are
     * equal.
     *
     * @throws IllegalArgumentException if the range is inverted, or holds a position that is
     *     negative or larger than allowed
     */
    public Builder addRange(long startInclusive, long endExclusive) {
      if (startInclusive > endExclusive) {
        throw new IllegalArgumentException(
            "Cannot add range: start " + startInclusive + " is after end " + endExclusive);
      }
      if (startInclusive == endExclusive) {
        return this;
      }
      checkPosition(startInclusive);
      checkPosition(endExclusive - 1);
      long last = endExclusive - 1;
      for (long p = startInclusive >>> 16; p <= last >>> 16; p++) {
        int from = p == startInclusive >>> 16 ? (int) startInclusive & 0xFFFF : 0;
        int to = p == last >>> 16 ? (int) last & 0xFFFF : 0xFFFF;
        container(p).add(from, to);
      }
      return this;
    }

    /** Adds the positions of {@code positions}. */
    public Builder addAll(DeletedPositions positions) {
      Containers containers = positions.containers;
      if (!positions.isEmpty()) {
        checkPosition(positions.lastPosition());
      }
      for (int i = 0; i < containers.count; i++) {
        container(containers.prefix(i)).add(containers.view(i));
      }
      return this;
    }

    private void checkPosition(long position) {
      if (position < 0 || position > maxPosition) {
        throw new IllegalArgumentException(
            "Cannot add position: " + position + " is not between 0 and " + maxPosition);
      }
    }

    private MutableContainer container(long prefix) {
      MutableContainer container = current;
      if (container == null || prefix != this.prefix) {
        container = byPrefix.computeIfAbsent(prefix, absent -> new MutableContainer());
        this.prefix = prefix;
        current = container;
      }
      return container;
    }

    /** Returns the positions added so far. */
    public DeletedPositions build() {
      VectorWriter writer = new VectorWriter(64);
      for (Map.Entry<Long, MutableContainer> entry : byPrefix.entrySet()) {
        entry.getValue().appendTo(writer, entry.getKey());
      }
      return new DeletedPositions(writer.finish());
    }
  }
}
