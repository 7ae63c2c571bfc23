package io.github.icebergext.dv;

import java.util.function.LongConsumer;

/** The deleted row positions of one data file. Immutable and thread-safe. */
public final class DeletedPositions {
  private DeletedPositions() {}

  /** Returns a builder without positions. */
  public static Builder builder() {
    throw new UnsupportedOperationException();
  }

  /**
   * Tells whether the row at {@code position} is deleted; a position that no row can have is not.
   */
  public boolean isDeleted(long position) {
    throw new UnsupportedOperationException();
  }

  /** Returns the number of deleted positions. */
  public long cardinality() {
    throw new UnsupportedOperationException();
  }

  /** Tells whether no position is deleted. */
  public boolean isEmpty() {
    return cardinality() == 0;
  }

  /** Returns the smallest deleted position. */
  public long firstPosition() {
    throw new UnsupportedOperationException();
  }

  /** Returns the largest deleted position. */
  public long lastPosition() {
    throw new UnsupportedOperationException();
  }

  /** Calls {@code consumer} with each deleted position in ascending order. */
  public void forEach(LongConsumer consumer) {
    throw new UnsupportedOperationException();
  }

  /** Returns the positions deleted here or in {@code other}. */
  public DeletedPositions union(DeletedPositions other) {
    throw new UnsupportedOperationException();
  }

  /** Collects positions. */
  public static final class Builder {
    private Builder() {}

    /** Adds one position. */
    public Builder add(long position) {
      throw new UnsupportedOperationException();
    }

    /** Adds the positions from {@code startInclusive} to {@code endExclusive}. */
    public Builder addRange(long startInclusive, long endExclusive) {
      throw new UnsupportedOperationException();
    }

    /** Returns the positions added so far. */
    public DeletedPositions build() {
      throw new UnsupportedOperationException();
    }
  }
}
