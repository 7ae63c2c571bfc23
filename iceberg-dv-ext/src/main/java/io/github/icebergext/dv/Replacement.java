package io.github.icebergext.dv;

import io.github.icebergext.puffin.Reason;
import java.util.List;
import java.util.Optional;
import org.apache.iceberg.DeleteFile;

/** The new deletes of a data file and the live vector, if any, that theirs is to replace. */
record Replacement(PendingDeletes deletes, Optional<DeleteFile> replaced) {
  /**
   * Finds what the new vector replaces.
   *
   * @throws InvalidDeletionVectorException if there are several vectors, or one in another
   *     partition
   * @throws IllegalStateException if position deletes would be lost
   */
  static Replacement of(PendingDeletes deletes, PreviousDeletes previous) {
    Optional<DeleteFile> replaced = previous.vector(deletes.location());
    if (replaced.isPresent()) {
      checkPartition(deletes, replaced.get());
    } else {
      checkNothingElse(deletes, previous.positionDeletes(deletes.dataFile()));
    }
    return new Replacement(deletes, replaced);
  }

  /** Refuses the positions of the replaced vector if the data file has no such rows. */
  void checkInDataFile(DeletedPositions old) {
    long rows = deletes.dataFile().recordCount();
    if (!old.isEmpty() && old.lastPosition() >= rows) {
      throw DeletionVectorEntry.invalid(
          Reason.POSITION_RANGE,
          DeletionVectorEntry.describe(replaced.orElseThrow()),
          "it deletes position "
              + old.lastPosition()
              + ", but the data file has "
              + rows
              + " rows");
    }
  }

  private static void checkPartition(PendingDeletes deletes, DeleteFile replaced) {
    if (!deletes.partition().contains(replaced.specId(), replaced.partition())) {
      throw DeletionVectorEntry.invalid(
          Reason.PARTITION,
          DeletionVectorEntry.describe(replaced),
          "it has "
              + FilePartition.describe(replaced.specId(), replaced.partition())
              + ", its data file has "
              + deletes.partition());
    }
  }

  private static void checkNothingElse(PendingDeletes deletes, List<DeleteFile> others) {
    if (!others.isEmpty()) {
      throw new IllegalStateException(
          "Cannot write deletion vector of "
              + deletes.location()
              + ": it would hide "
              + others.size()
              + " live position delete files that may apply to the data file, the first of them "
              + others.get(0).location());
    }
  }
}
