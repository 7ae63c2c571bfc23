package io.github.icebergext.dv.scan;

import io.github.icebergext.dv.InvalidDeletionVectorException;
import io.github.icebergext.dv.internal.AppliedDeletes;
import io.github.icebergext.puffin.Reason;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.expressions.Expression;

/**
 * How many rows are live, from metadata alone: nothing is read.
 *
 * <p>The count is exact where only deletion vectors delete. Elsewhere it is an upper bound:
 *
 * <ul>
 *   <li>Equality deletes may match any number of rows, also none.
 *   <li>Position deletes of version 2 are not subtracted. Their record counts say nothing certain:
 *       a file may hold records of several data files, and the same position may stand in it, or in
 *       another, again.
 *   <li>A filter of the scan that its planning leaves to be applied to rows may drop any number.
 * </ul>
 *
 * <p>Immutable and thread-safe.
 *
 * @param rows number of live rows, or no fewer than there are
 * @param exact whether it is the number itself
 */
public record LiveRowCount(long rows, boolean exact) {
  /**
   * Checks the count.
   *
   * @throws IllegalArgumentException if it is negative
   */
  public LiveRowCount {
    if (rows < 0) {
      throw new IllegalArgumentException("Invalid number of live rows: " + rows);
    }
  }

  /**
   * Counts the live rows of a data file.
   *
   * @param deleteFiles all delete files that apply to the data file
   * @throws InvalidDeletionVectorException with {@link Reason#DUPLICATE_VECTOR}, {@link
   *     Reason#NOT_DELETION_VECTOR}, {@link Reason#FORMAT_VERSION}, {@link
   *     Reason#ENTRY_COORDINATES}, {@link Reason#REFERENCED_DATA_FILE} or {@link
   *     Reason#POSITION_RANGE} if there are several vectors, delete files of another kind, deletes
   *     as of version 4, or a vector whose entry is invalid, names another data file, or deletes
   *     more rows than there are
   */
  public static LiveRowCount of(DataFile dataFile, Iterable<DeleteFile> deleteFiles) {
    AppliedDeletes deletes = AppliedDeletes.of(dataFile, deleteFiles);
    long rows = dataFile.recordCount() - deletes.vectorRecordCount(dataFile);
    boolean exact = deletes.positionDeletes().isEmpty() && deletes.equalityDeletes().isEmpty();
    return new LiveRowCount(rows, exact || rows == 0);
  }

  /**
   * Counts the live rows of a scan, of which {@code tasks} are all: the rows that it returns.
   *
   * <p>The splits of a data file count as one. A data file that stands in the table twice counts
   * twice, as the scan returns its rows twice.
   *
   * @throws InvalidDeletionVectorException as {@link #of(DataFile, Iterable)} does
   */
  public static LiveRowCount of(Iterable<FileScanTask> tasks) {
    LiveRowCount sum = new LiveRowCount(0, true);
    DistinctDataFiles files = new DistinctDataFiles();
    for (FileScanTask task : tasks) {
      if (files.add(task)) {
        sum = sum.plus(of(task));
      }
    }
    return sum;
  }

  /**
   * Returns the data files of a scan that have rows and whose vectors delete them all, each once: a
   * planner may drop their tasks, and the table both files and vectors.
   *
   * @throws InvalidDeletionVectorException as {@link #of(DataFile, Iterable)} does
   */
  public static List<DataFile> fullyDeleted(Iterable<FileScanTask> tasks) {
    Map<String, DataFile> found = new LinkedHashMap<>();
    for (FileScanTask task : tasks) {
      if (isFullyDeleted(task)) {
        found.putIfAbsent(task.file().location(), task.file());
      }
    }
    return List.copyOf(found.values());
  }

  /**
   * Tells whether a task's data file has rows and its vector deletes them all.
   *
   * @throws InvalidDeletionVectorException as {@link #of(DataFile, Iterable)} does
   */
  public static boolean isFullyDeleted(FileScanTask task) {
    return task.file().recordCount() > 0 && of(task.file(), task.deletes()).rows() == 0;
  }

  private static LiveRowCount of(FileScanTask task) {
    LiveRowCount count = of(task.file(), task.deletes());
    boolean filtered = task.residual().op() != Expression.Operation.TRUE;
    return filtered ? new LiveRowCount(count.rows, count.rows == 0) : count;
  }

  private LiveRowCount plus(LiveRowCount other) {
    return new LiveRowCount(Math.addExact(rows, other.rows), exact && other.exact);
  }
}
