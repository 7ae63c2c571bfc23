package io.github.icebergext.cli.table;

import io.github.icebergext.dv.DeletedPositions;

/** The rows of one data file that are to be deleted, and where they were read. Not thread-safe. */
final class RowsToDelete {
  private final String dataFile;
  private final long firstLine;
  private final DeletedPositions.Builder positions = DeletedPositions.builder();
  private long lastPosition;
  private long lineOfLastPosition;

  RowsToDelete(String dataFile, long firstLine) {
    this.dataFile = dataFile;
    this.firstLine = firstLine;
  }

  /**
   * Adds a row; one that is there already counts once.
   *
   * @throws IllegalArgumentException if no data file has such a position
   */
  void add(long position, long line) {
    positions.add(position);
    if (lineOfLastPosition == 0 || position > lastPosition) {
      lastPosition = position;
      lineOfLastPosition = line;
    }
  }

  String dataFile() {
    return dataFile;
  }

  long firstLine() {
    return firstLine;
  }

  long lastPosition() {
    return lastPosition;
  }

  /** Returns the line on which the last position stands first. */
  long lineOfLastPosition() {
    return lineOfLastPosition;
  }

  DeletedPositions positions() {
    return positions.build();
  }
}
