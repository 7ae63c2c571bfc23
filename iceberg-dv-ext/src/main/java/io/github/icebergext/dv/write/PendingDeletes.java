package io.github.icebergext.dv.write;

import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.dv.internal.TargetFile;

/**
 * The positions added to a writer for one data file, all of which are rows of it. Many are held at
 * a time, so that they are one object.
 */
final class PendingDeletes extends PositionBuffer {
  private TargetFile file;

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
    file = and(other);
  }

  /** Returns what {@link #checkSame} would make of the data file. */
  TargetFile and(TargetFile other) {
    TargetFile both = file.and(other);
    if (both.maxPosition() < file.maxPosition()) {
      DeletedPositions added = positions();
      if (!added.isEmpty()) {
        checkPosition(both, added.lastPosition());
      }
    }
    return both;
  }

  @Override
  void add(long position) {
    checkPosition(file, position);
    super.add(position);
  }

  @Override
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
      super.addRange(startInclusive, endExclusive);
    }
  }

  /** Adds all positions or, if one is refused, none. */
  @Override
  void addAll(long[] added) {
    for (long position : added) {
      checkPosition(file, position);
    }
    super.addAll(added);
  }

  @Override
  void addAll(DeletedPositions added) {
    checkPositions(added);
    super.addAll(added);
  }

  /** Refuses positions that the data file does not have. */
  void checkPositions(DeletedPositions added) {
    if (!added.isEmpty()) {
      checkPosition(file, added.lastPosition());
    }
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
