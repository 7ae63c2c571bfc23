package io.github.icebergext.dv;

/**
 * A vector that is to be committed.
 *
 * @param file its data file, as it was given
 * @param upon the deletes that the vector was written upon, which it contains
 * @param newPositions the positions that it adds to them
 */
record PendingVector(TargetFile file, PlannedDeletes upon, DeletedPositions newPositions) {
  String location() {
    return file.location();
  }
}
