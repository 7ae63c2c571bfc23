package io.github.icebergext.dv.scan;

import io.github.icebergext.dv.DeletionVectorEntry;
import io.github.icebergext.dv.DeletionVectorIdentity;
import io.github.icebergext.dv.InvalidDeletionVectorException;
import io.github.icebergext.dv.internal.AppliedDeletes;
import io.github.icebergext.puffin.Reason;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.ToLongFunction;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.TableProperties;

/**
 * What scan tasks cost, for planners that spread them evenly: the bytes to read, and no less than
 * the cost of opening the files.
 *
 * <p>A deletion vector weighs as much as its own bytes, not as the Puffin file that it shares with
 * others. Tasks that are read together weigh less than one by one: a vector that several splits
 * need, a position delete file that several data files need, and the opening of a Puffin file of
 * several vectors count once. Position deletes that a vector replaces weigh nothing.
 *
 * <p>Immutable and thread-safe.
 */
public final class TaskWeight implements ToLongFunction<FileScanTask> {
  private final long openFileCost;

  private TaskWeight(long openFileCost) {
    this.openFileCost = openFileCost;
  }

  /**
   * Returns weights under which opening a file costs as much as reading {@code openFileCost} bytes,
   * such as {@link TableProperties#SPLIT_OPEN_FILE_COST_DEFAULT}.
   *
   * @throws IllegalArgumentException if it is negative
   */
  public static TaskWeight withOpenFileCost(long openFileCost) {
    if (openFileCost < 0) {
      throw new IllegalArgumentException("Invalid cost of opening a file: " + openFileCost);
    }
    return new TaskWeight(openFileCost);
  }

  /**
   * Returns the weight of one task, in bytes.
   *
   * @throws InvalidDeletionVectorException with {@link Reason#ENTRY_COORDINATES}, {@link
   *     Reason#DUPLICATE_VECTOR}, {@link Reason#NOT_DELETION_VECTOR} or {@link
   *     Reason#FORMAT_VERSION} if its deletes cannot be applied
   */
  @Override
  public long applyAsLong(FileScanTask task) {
    return of(List.of(task));
  }

  /**
   * Returns the weight of tasks that are read together, in bytes.
   *
   * @throws InvalidDeletionVectorException as {@link #applyAsLong} does
   */
  public long of(Collection<? extends FileScanTask> tasks) {
    Set<DeletionVectorIdentity> contents = new HashSet<>();
    Set<String> locations = new HashSet<>();
    long bytes = 0;
    for (FileScanTask task : tasks) {
      bytes += task.length();
      locations.add(task.file().location());
      for (DeleteFile deleteFile : AppliedDeletes.of(task).applied()) {
        DeletionVectorIdentity content = content(deleteFile);
        locations.add(content.location());
        bytes += contents.add(content) ? content.contentSizeInBytes() : 0;
      }
    }
    return Math.max(bytes, locations.size() * openFileCost);
  }

  /** Delete files other than vectors are read whole. */
  private static DeletionVectorIdentity content(DeleteFile deleteFile) {
    return DeletionVectorIdentity.isVector(deleteFile)
        ? DeletionVectorEntry.of(deleteFile).identity()
        : new DeletionVectorIdentity(deleteFile.location(), 0, deleteFile.fileSizeInBytes());
  }
}
