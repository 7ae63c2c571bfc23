package io.github.icebergext.dv;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;

/**
 * The deletes that a new deletion vector has to contain, and the snapshot they were read from.
 *
 * <p>A deletion vector replaces all earlier deletes of its data file, so that a writer which does
 * not know them would bring deleted rows back. The snapshot is where the check for concurrent
 * deletes starts at the commit: it must be the one that the deletes were read from, not the current
 * one.
 *
 * <p>Implementations are immutable and thread-safe.
 */
public sealed interface PreviousDeletes permits LiveDeletes, NoDeletes {

  /**
   * Says that no data file about to get deletes has any in the given snapshot.
   *
   * <p>Nothing checks that: where it is not so, deleted rows come back, or the commit fails, or two
   * live vectors make the table unreadable. {@link LiveDeletes} costs one read of the delete
   * manifests.
   */
  static PreviousDeletes none(long snapshotId) {
    return new NoDeletes(snapshotId);
  }

  /** Returns the snapshot the deletes were read from; empty if the table had none. */
  OptionalLong snapshotId();

  /**
   * Returns the live deletion vector of the data file at {@code dataFileLocation}.
   *
   * @throws InvalidDeletionVectorException if there are several
   */
  Optional<DeleteFile> vector(String dataFileLocation);

  /**
   * Returns the live position deletes other than vectors that apply, or may apply, to {@code
   * dataFile} as long as it has no vector.
   */
  List<DeleteFile> positionDeletes(DataFile dataFile);
}
