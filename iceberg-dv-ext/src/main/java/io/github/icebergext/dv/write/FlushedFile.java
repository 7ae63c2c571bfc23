package io.github.icebergext.dv.write;

import io.github.icebergext.dv.commit.internal.PendingVector;
import io.github.icebergext.dv.internal.TargetFile;

/**
 * A data file and the vector that a flush wrote for it.
 *
 * @param earlier the deletes that the vector contains besides the new ones
 */
record FlushedFile(TargetFile file, PreviousEntries earlier, FlushedVector vector) {

  /** Returns the new positions, to be written once more. */
  PendingDeletes pendingAgain() {
    PendingDeletes pending = new PendingDeletes(file);
    pending.addAll(vector.newPositions());
    return pending;
  }

  /** Returns what a commit has to know of it. */
  PendingVector pendingVector() {
    return new PendingVector(file, earlier.deletes(), vector.newPositions());
  }

  /** Tells whether the data file had deletes before. */
  boolean hasOld() {
    return vector.vector().recordCount() > vector.newPositions().cardinality();
  }
}
