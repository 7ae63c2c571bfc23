package io.github.icebergext.dv;

/**
 * Answers one reader, which asks for ascending positions, faster than {@link
 * DeletedPositions#isDeleted}. Any other order is answered too, without the gain.
 *
 * <p>Not thread-safe; each reader takes its own from {@link DeletedPositions#cursor()}.
 */
public final class PositionCursor {
  private static final int NO_BITSET = -1;

  private final Containers containers;

  /** The positions that the fields below are about; an exclusive end. */
  private long from;

  private long to;

  /** Whether all of them are deleted, unless they are those of a bitset. */
  private boolean deleted;

  private int bitsetAt = NO_BITSET;

  PositionCursor(Containers containers) {
    this.containers = containers;
  }

  /** Tells whether the row at {@code position} is deleted. */
  public boolean isDeleted(long position) {
    if (position < from || position >= to) {
      if (position < 0 || position == Long.MAX_VALUE) {
        return containers.contains(position);
      }
      move(position);
    }
    if (bitsetAt == NO_BITSET) {
      return deleted;
    }
    int low = (int) position & 0xFFFF;
    return (containers.bytes[bitsetAt + (low >>> 3)] >>> (low & 7) & 1) != 0;
  }

  private void move(long position) {
    int index = containers.ceiling(position >>> 16);
    boolean inside = index < containers.count && containers.prefix(index) == position >>> 16;
    if (inside && containers.isBitset(index)) {
      bitsetAt = containers.offset(index);
      from = containers.base(index);
      to = end(from + Containers.SPAN);
      return;
    }
    bitsetAt = NO_BITSET;
    from = position;
    long next = containers.next(position);
    deleted = next == position;
    to = end(deleted ? containers.nextAbsent(position) : next);
  }

  private static long end(long position) {
    return position < 0 ? Long.MAX_VALUE : position;
  }
}
