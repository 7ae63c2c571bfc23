package io.github.icebergext.dv;

import io.github.icebergext.puffin.Reason;
import java.util.Optional;
import org.apache.iceberg.DeleteFile;

/**
 * The new deletes of a data file, and those that its vector is to contain as well.
 *
 * @param attempt a vector with the same new deletes that was written upon earlier ones, which must
 *     all be among those there are now
 */
record Replacement(PendingDeletes deletes, EarlierDeletes earlier, Optional<FlushedFile> attempt) {
  /**
   * Finds what the new vector replaces.
   *
   * @throws InvalidDeletionVectorException if there are several vectors, or one in another
   *     partition or older than the data file
   */
  static Replacement of(PendingDeletes deletes, PreviousDeletes previous) {
    return of(deletes, previous, Optional.empty());
  }

  /** Writes the new deletes of {@code attempt} once more, upon those there are now. */
  static Replacement of(FlushedFile attempt, PreviousDeletes previous) {
    return of(attempt.pendingAgain(), previous, Optional.of(attempt));
  }

  private static Replacement of(
      PendingDeletes deletes, PreviousDeletes previous, Optional<FlushedFile> attempt) {
    TargetFile file = deletes.file();
    EarlierDeletes earlier = previous.of(file);
    if (earlier.vector().isPresent()) {
      DeleteFile vector = earlier.vector().get();
      DataFileCheck.checkPartition(vector, file.partition());
      DataFileCheck.checkSequenceNumber(vector, file.dataSequenceNumber());
      DataFileCheck.checkRecordCount(vector, file.rowCount());
    }
    return new Replacement(deletes, earlier, attempt);
  }

  /** Returns the vector that has to be read. */
  Optional<VectorRequest> request(ReadContext context) {
    return earlier.loaded().isPresent()
        ? Optional.empty()
        : earlier.vector().map(vector -> VectorRequest.of(vector, context));
  }

  /**
   * Returns what is deleted already.
   *
   * @param vector what was read for {@link #request}
   * @throws InvalidDeletionVectorException with {@link Reason#POSITION_RANGE} if the data file has
   *     no such rows
   */
  DeletedPositions old(Optional<DeletedPositions> vector, PositionDeleteFiles positionDeletes) {
    DeletedPositions old =
        earlier
            .loaded()
            .or(() -> vector)
            .orElseGet(() -> positionDeletes.read(earlier.positionDeletes(), deletes.location()));
    DataFileCheck.checkPositions(this::describeOld, old, deletes.file().rowCount());
    return old;
  }

  /** Returns the attempt whose vector has to be read, to know what it was written upon. */
  Optional<FlushedFile> attemptToCheck() {
    return attempt.filter(FlushedFile::hasOld);
  }

  /**
   * Refuses to go on where rows came back since the attempt.
   *
   * @param attempted positions in the vector of {@link #attemptToCheck}
   * @throws InvalidDeletionVectorException with {@link Reason#SHRUNK_VECTOR} if so
   */
  void checkNothingCameBack(DeletedPositions old, DeletedPositions attempted) {
    DeletedPositions before = attempted.difference(attempt.orElseThrow().vector().newPositions());
    if (!old.containsAll(before)) {
      throw new InvalidDeletionVectorException(
          Reason.SHRUNK_VECTOR,
          "Cannot commit deletes of data file "
              + deletes.location()
              + ": "
              + before.difference(old).cardinality()
              + " rows that were deleted before are live now, as "
              + describeOld()
              + " does not delete them");
    }
  }

  private String describeOld() {
    return earlier
        .vector()
        .map(DeletionVectorEntry::describe)
        .or(
            () ->
                earlier.positionDeletes().stream()
                    .findFirst()
                    .map(file -> "position delete file " + file.location()))
        .orElse("what is known of its previous deletes");
  }
}
