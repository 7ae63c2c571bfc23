package io.github.icebergext.dv.scan;

import io.github.icebergext.dv.DeletedPositions;
import java.util.List;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileScanTask;

/**
 * A scan task and the deletes of its data file.
 *
 * <p>A planner that knows which rows of the data file a row group or page holds leaves it out if
 * {@link #isFullyDeleted(long, long)}, and reads it without a filter if {@link #isFullyLive(long,
 * long)}:
 *
 * <pre>{@code
 * long first = 0;
 * for (BlockMetaData rowGroup : footer.getBlocks()) {
 *   long end = first + rowGroup.getRowCount();
 *   if (!deletes.isFullyDeleted(first, end)) {
 *     read(rowGroup, first, deletes.isFullyLive(first, end) ? noFilter : deletes);
 *   }
 *   first = end;   // also past what was left out: positions count all rows of the file
 * }
 * }</pre>
 *
 * <p>Immutable and thread-safe, as far as the task and the delete files are.
 *
 * @param task the task as planned
 * @param positions rows of the data file that its deletion vector, or else its position deletes,
 *     delete: of the whole file, also if the task is a split of it
 * @param equalityDeletes equality deletes as planned, which the caller applies to the rows that
 *     {@code positions} leave
 */
public record TaskDeletes(
    FileScanTask task, DeletedPositions positions, List<DeleteFile> equalityDeletes) {
  /** Copies the list. */
  public TaskDeletes {
    equalityDeletes = List.copyOf(equalityDeletes);
  }

  /**
   * Tells whether every row from {@code startInclusive} to {@code endExclusive} of the data file is
   * deleted by position, so that a reader may leave them out. Of no row it is true.
   *
   * @throws IllegalArgumentException if the range is inverted
   */
  public boolean isFullyDeleted(long startInclusive, long endExclusive) {
    return positions.isFullyDeleted(startInclusive, endExclusive);
  }

  /**
   * Tells whether no row from {@code startInclusive} to {@code endExclusive} of the data file can
   * be deleted, so that a reader need not filter them: none is by position, and there are no
   * equality deletes. Of no row it is true.
   *
   * @throws IllegalArgumentException if the range is inverted
   */
  public boolean isFullyLive(long startInclusive, long endExclusive) {
    return positions.isFullyLive(startInclusive, endExclusive)
        && (equalityDeletes.isEmpty() || startInclusive == endExclusive);
  }
}
