package io.github.icebergext.dv;

/** The positions added to a writer for one data file. Many are held at a time. */
final class PendingDeletes {
  private final DeletedPositions.Builder positions = DeletedPositions.builder();
  private TargetFile file;
  private boolean isEmpty = true;

  PendingDeletes(TargetFile file) {
    this.file = file;
  }

  TargetFile file() {
    return file;
  }

  String location() {
    return file.location();
  }

  /**
   * Learns what another description of the data file adds, such as its number of rows.
   *
   * @throws IllegalArgumentException if it contradicts what is known, or there are positions past
   *     the rows
   */
  void checkSame(TargetFile other) {
    TargetFile both = file.and(other);
    if (both.maxPosition() < file.maxPosition()) {
      DeletedPositions added = positions.build();
      if (!added.isEmpty()) {
        checkPosition(both, added.lastPosition());
      }
    }
    file = both;
  }

  void add(long position) {
    checkPosition(file, position);
    positions.add(position);
    isEmpty = false;
  }

  void addRange(long startInclusive, long endExclusive) {
    if (startInclusive > endExclusive) {
      throw new IllegalArgumentException(
          "Cannot delete rows of "
              + location()
              + ": the range from "
              + startInclusive
              + " to "
              + endExclusive
              + " is inverted");
    }
    if (startInclusive < endExclusive) {
      checkPosition(file, startInclusive);
      checkPosition(file, endExclusive - 1);
      positions.addRange(startInclusive, endExclusive);
      isEmpty = false;
    }
  }

  /** Adds all positions or, if one is refused, none. */
  void addAll(long[] added) {
    for (long position : added) {
      checkPosition(file, position);
    }
    positions.addAll(added, 0, added.length);
    isEmpty &= added.length == 0;
  }

  void addAll(DeletedPositions added) {
    if (!added.isEmpty()) {
      checkPosition(file, added.lastPosition());
      positions.addAll(added);
      isEmpty = false;
    }
  }

  /** Tells whether none was added, as when the first one was refused. */
  boolean isEmpty() {
    return isEmpty;
  }

  /** Returns the positions added so far. */
  DeletedPositions positions() {
    return positions.build();
  }

  private static void checkPosition(TargetFile file, long position) {
    if (position < 0 || position > file.maxPosition()) {
      throw new IllegalArgumentException(
          "Cannot delete row at position "
              + position
              + " of "
              + file.location()
              + ": expected 0 to "
              + file.maxPosition());
    }
  }
}
