package io.github.icebergext.dv.write;

import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.dv.DeletionVectorEntry;
import io.github.icebergext.dv.InvalidDeletionVectorException;
import io.github.icebergext.dv.internal.DataFileCheck;
import io.github.icebergext.dv.internal.PositionDeleteLoader;
import io.github.icebergext.dv.internal.TargetFile;
import io.github.icebergext.puffin.Reason;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.iceberg.DeleteFile;

/**
 * The new deletes of a data file, and those that its vector is to contain as well.
 *
 * @param attempt a vector with the same new deletes that was written upon previous ones, which must
 *     all be among those there are now
 */
record Replacement(
    PendingDeletes deletes, PreviousEntries previous, Optional<FlushedVector> attempt) {
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
  static Replacement of(FlushedVector attempt, PreviousDeletes previous) {
    return of(attempt.pendingAgain(), previous, Optional.of(attempt));
  }

  private static Replacement of(
      PendingDeletes deletes, PreviousDeletes known, Optional<FlushedVector> attempt) {
    TargetFile file = deletes.file();
    PreviousEntries previous = known.of(file);
    previous.vector().ifPresent(vector -> checkApplies(vector, file));
    return new Replacement(deletes, previous, attempt);
  }

  private static void checkApplies(DeleteFile vector, TargetFile file) {
    DataFileCheck.checkPartition(vector, file.partition());
    DataFileCheck.checkSequenceNumber(vector, file.dataSequenceNumber());
    DataFileCheck.checkRecordCount(vector, file.rowCount());
  }

  /**
   * Returns what is deleted already.
   *
   * @param vector what was read of {@link #previous}'s vector
   * @throws InvalidDeletionVectorException with {@link Reason#POSITION_RANGE} if the data file has
   *     no such rows; as {@link #of} if it is known only now what there is
   */
  PreviousPositions read(Optional<DeletedPositions> vector, PositionDeleteLoader positionDeletes) {
    PreviousPositions old =
        previous
            .loading()
            .map(Supplier::get)
            .orElseGet(
                () -> PreviousPositions.of(previous, deletes.location(), vector, positionDeletes));
    old.entries().vector().ifPresent(found -> checkApplies(found, deletes.file()));
    checkRows(old);
    return old;
  }

  /** Returns the attempt whose vector has to be read, to know what it was written upon. */
  Optional<FlushedVector> attemptToCheck() {
    return attempt.filter(FlushedVector::hasPrevious);
  }

  /**
   * Refuses to go on where rows came back since the attempt.
   *
   * @param attempted positions in the vector of {@link #attemptToCheck}
   * @throws InvalidDeletionVectorException with {@link Reason#SHRUNK_VECTOR} if so
   */
  void checkNothingCameBack(PreviousPositions old, DeletedPositions attempted) {
    DeletedPositions before = attempted.difference(attempt.orElseThrow().newPositions());
    if (!old.positions().containsAll(before)) {
      throw new InvalidDeletionVectorException(
          Reason.SHRUNK_VECTOR,
          "Cannot commit deletes of data file "
              + deletes.location()
              + ": "
              + before.difference(old.positions()).cardinality()
              + " rows that were deleted before are live now, as "
              + describe(old.entries())
              + " does not delete them");
    }
  }

  private void checkRows(PreviousPositions old) {
    TargetFile file = deletes.file();
    DeletedPositions positions = old.positions();
    if (!positions.isEmpty() && positions.lastPosition() > file.maxPosition()) {
      throw new InvalidDeletionVectorException(
          Reason.POSITION_RANGE,
          "Cannot write deletion vector of "
              + file.location()
              + ": "
              + describe(old.entries())
              + " deletes position "
              + positions.lastPosition()
              + (file.hasRecordCount()
                  ? ", but the data file has " + file.recordCount() + " rows"
                  : ", expected at most " + file.maxPosition()));
    }
  }

  private static String describe(PreviousEntries previous) {
    return previous
        .vector()
        .map(DeletionVectorEntry::describe)
        .orElseGet(() -> describePositionDeletes(previous.positionDeletes()));
  }

  private static String describePositionDeletes(List<DeleteFile> files) {
    String locations = files.stream().map(DeleteFile::location).collect(Collectors.joining(", "));
    return switch (files.size()) {
      case 0 -> "what is known of its previous deletes";
      case 1 -> "position delete file " + locations;
      default -> "one of the position delete files " + locations;
    };
  }
}
