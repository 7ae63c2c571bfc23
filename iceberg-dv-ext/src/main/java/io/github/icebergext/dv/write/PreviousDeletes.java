package io.github.icebergext.dv.write;

import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.dv.InvalidDeletionVectorException;
import io.github.icebergext.dv.internal.TargetFile;
import io.github.icebergext.dv.table.LiveDeletes;
import java.util.OptionalLong;
import java.util.function.Function;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.Table;
import org.apache.iceberg.deletes.PositionDeleteIndex;
import org.jspecify.annotations.Nullable;

/**
 * The deletes that new deletion vectors have to contain, and the snapshot they were read from.
 *
 * <p>A deletion vector replaces all earlier deletes of its data file, so that a writer which does
 * not know them would bring deleted rows back. The snapshot is where the check for concurrent
 * deletes starts at the commit: it must be the one that the deletes were read from, not the current
 * one.
 *
 * <p>{@link #of} finds them by itself. The others take the word of the caller for being complete,
 * and are for callers that have planned a scan anyway, or hold the deletes already.
 *
 * <p>Immutable and thread-safe, as far as what they are made of is.
 */
public abstract sealed class PreviousDeletes
    permits PreviousOfSnapshot,
        NoPrevious,
        PreviousOfFiles,
        PreviousOfTasks,
        PreviousOfLoader,
        PreviousAfterCommit {

  PreviousDeletes() {}

  /** Takes what the manifests of a snapshot say, which is complete. */
  public static PreviousDeletes of(LiveDeletes live) {
    return new PreviousOfSnapshot(live);
  }

  /**
   * Says that no data file about to get deletes has any in the given snapshot.
   *
   * <p>Where it is not so, deleted rows come back, or the commit fails, or two live vectors make
   * the table unreadable. {@link DeletionVectorCommit} finds that out, and so does {@link
   * LiveDeletes}, at one read of the delete manifests.
   */
  public static PreviousDeletes none(long snapshotId) {
    return new NoPrevious(snapshotId);
  }

  /**
   * Takes the live delete files of a snapshot, or those of all data files that get deletes: their
   * vectors and their position deletes of version 2, which are matched by the data file they name
   * or by partition. Equality deletes are left out, as a vector does not replace them. The same
   * file may be given several times.
   *
   * @throws InvalidDeletionVectorException with {@link
   *     io.github.icebergext.puffin.Reason#ENTRY_COORDINATES} if a vector lacks a coordinate or has
   *     an impossible one
   */
  public static PreviousDeletes ofFiles(
      Table table, long snapshotId, Iterable<DeleteFile> deleteFiles) {
    return new PreviousOfFiles(table, snapshotId, deleteFiles);
  }

  /**
   * Takes the deletes of the tasks of a scan of the given snapshot. A data file that gets deletes
   * must be among them, split or whole.
   *
   * @throws IllegalArgumentException if two tasks of a data file have different deletes
   */
  public static PreviousDeletes ofTasks(long snapshotId, Iterable<FileScanTask> tasks) {
    return PreviousOfTasks.of(snapshotId, tasks);
  }

  /**
   * Takes deletes that were loaded already, by the location of their data file, in the form that
   * Iceberg's own writers take.
   *
   * <p>{@link PositionDeleteIndex#deleteFiles()} says which entries the positions came from: the
   * vector, if any, must be among them, as it is removed when the new one is committed. {@link
   * DeletedPositions#asPositionDeleteIndex} makes such an index. A flush throws {@link
   * IllegalArgumentException} if there are positions but no entries, or fewer positions than the
   * vector has by its record count.
   *
   * @param loaded asked once a data file and flush, when its new vector is written; returns null
   *     where there are no deletes
   */
  public static PreviousDeletes ofLoaded(
      long snapshotId, Function<String, @Nullable PositionDeleteIndex> loaded) {
    return new PreviousOfLoader(snapshotId, loaded);
  }

  /** Returns the snapshot the deletes were read from; empty if the table had none. */
  public abstract OptionalLong snapshotId();

  /** Tells whether these are all that the snapshot has, by its own manifests. */
  boolean isFromManifests() {
    return false;
  }

  /**
   * Returns the deletes of a data file.
   *
   * @throws InvalidDeletionVectorException if there are several vectors, or a malformed one
   * @throws IllegalArgumentException if it is not known whether there are any
   */
  abstract PreviousEntries of(TargetFile file);
}
