package io.github.icebergext.dv.table;

import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.dv.InvalidDeletionVectorException;
import java.util.List;
import java.util.Optional;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataOperations;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.Snapshot;

/**
 * How the deletes by position of one data file differ between two snapshots.
 *
 * <p>Immutable and thread-safe, as long as nobody changes the data and delete files.
 *
 * @see DeletesBetween
 */
public sealed interface DeletesChange {
  /** Returns the data file, without statistics, as the later of the snapshots that have it does. */
  DataFile dataFile();

  /**
   * Rows were deleted, and none that were deleted before are back: exactly {@code positions}.
   *
   * @param before the deletes in the first snapshot; no position-delete files apply
   * @param after the deletes in the second snapshot, a vector
   * @param positions positions deleted in the second snapshot and not in the first; not empty
   */
  record RowsDeleted(
      DataFile dataFile, DataFileDeletes before, DataFileDeletes after, DeletedPositions positions)
      implements DeletesChange {}

  /**
   * The vector of the second snapshot lacks positions that the one of the first has, or there is no
   * vector any more. Where the first snapshot is an ancestor of the second this breaks the rule
   * that vectors only grow.
   *
   * @param before the deletes in the first snapshot, a vector
   * @param after the deletes in the second snapshot; position-delete files of it, which apply
   *     without a vector, may delete some of the restored positions
   * @param positions positions in the second vector and not in the first; may be empty
   * @param restored positions in the first vector and not in the second; not empty
   * @param problem the broken rule, which names the data file and both entries; empty if the first
   *     snapshot is not an ancestor of the second
   */
  record RowsRestored(
      DataFile dataFile,
      DataFileDeletes before,
      DataFileDeletes after,
      DeletedPositions positions,
      DeletedPositions restored,
      Optional<InvalidDeletionVectorException> problem)
      implements DeletesChange {}

  /**
   * The position-delete files that apply are others, or a vector took their place. Which rows these
   * delete is in the files, and has to be read there.
   *
   * @param before the deletes in the first snapshot
   * @param after the deletes in the second snapshot; a vector of it holds all rows deleted, of
   *     which position-delete files had deleted some before
   */
  record PositionDeletesChanged(DataFile dataFile, DataFileDeletes before, DataFileDeletes after)
      implements DeletesChange {}

  /**
   * The vectors differ, and in one of the snapshots the data file has more than one, so that nobody
   * can tell which rows are deleted.
   *
   * @param before all live vectors of the data file in the first snapshot
   * @param after all live vectors of the data file in the second snapshot
   * @param problem the broken rule, which names the vectors
   */
  record DuplicateVectors(
      DataFile dataFile,
      List<DeleteFile> before,
      List<DeleteFile> after,
      InvalidDeletionVectorException problem)
      implements DeletesChange {}

  /**
   * The second snapshot has a data file that the first one has not, and it has deletes already.
   *
   * @param deletes the deletes in the second snapshot; not empty
   * @param positions positions of its vector; empty if it has position-delete files instead
   */
  record DataFileAdded(
      DataFile dataFile, DataFileDeletes deletes, Optional<DeletedPositions> positions)
      implements DeletesChange {}

  /**
   * The second snapshot does not have a data file of the first. Where its rows went, if anywhere,
   * is not guessed.
   *
   * @param removedBy the snapshot, after the first and up to the second, that removed it last;
   *     empty if the first is not an ancestor of the second
   */
  record DataFileRemoved(DataFile dataFile, Optional<Snapshot> removedBy) implements DeletesChange {

    /**
     * Tells whether the file was removed by an operation that replaces files without changing rows,
     * so that its live rows are in other files now.
     */
    public boolean isRewritten() {
      return removedBy
          .filter(snapshot -> DataOperations.REPLACE.equals(snapshot.operation()))
          .isPresent();
    }
  }
}
