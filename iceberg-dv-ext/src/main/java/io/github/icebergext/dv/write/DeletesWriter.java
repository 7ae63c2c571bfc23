package io.github.icebergext.dv.write;

import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.dv.internal.FilePartition;
import io.github.icebergext.dv.internal.TargetFile;
import java.io.Closeable;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.deletes.PositionDeleteIndex;
import org.apache.iceberg.util.PartitionMap;
import org.jspecify.annotations.Nullable;

/**
 * Takes deleted row positions, which count the rows of a data file from 0.
 *
 * <p>Every method throws {@link IllegalStateException} if the writer is closed, or cannot take
 * positions since a flush failed; {@link IllegalArgumentException} if a position is negative or not
 * less than the data file's record count, or above {@link DeletedPositions#MAX_ICEBERG_POSITION}
 * where that is not known; and {@link IllegalArgumentException} if the table had no such partition
 * spec when the writer was made, the partition is none of it, or the same location was given with
 * another spec, partition or record count. What is refused adds nothing. Given no positions at all,
 * they do nothing.
 *
 * <p>Not thread-safe.
 */
public abstract sealed class DeletesWriter implements Closeable
    permits DeletionVectorWriter, ClusteredDeletionVectorWriter {
  final WriteContext context;

  /** Each partition once, however many data files are in it. */
  private final PartitionMap<FilePartition> partitions;

  private @Nullable FilePartition lastPartition;

  /** Lent to {@link #last}. */
  private final int[] buffer = PositionBuffer.newBuffer();

  private @Nullable DataFile lastDataFile;
  private @Nullable PendingDeletes last;

  DeletesWriter(WriteContext context) {
    this.context = context;
    this.partitions = PartitionMap.create(context.specs());
  }

  /** Deletes one row of {@code dataFile}. */
  public final void delete(DataFile dataFile, long position) {
    pending(dataFile).add(position);
  }

  /** Deletes the rows of {@code dataFile} from {@code startInclusive} to {@code endExclusive}. */
  public final void delete(DataFile dataFile, long startInclusive, long endExclusive) {
    pending(dataFile).addRange(startInclusive, endExclusive);
  }

  /** Deletes rows of {@code dataFile}; the positions are in any order, and may repeat. */
  public final void delete(DataFile dataFile, long[] positions) {
    if (positions.length > 0) {
      pending(dataFile).addAll(positions);
    }
  }

  /** Deletes rows of {@code dataFile}. */
  public final void delete(DataFile dataFile, DeletedPositions positions) {
    delete(DeleteTarget.of(dataFile), positions);
  }

  /** Deletes the rows of {@code dataFile} that {@code positions} deletes now. */
  public final void delete(DataFile dataFile, PositionDeleteIndex positions) {
    delete(DeleteTarget.of(dataFile), positions);
  }

  /** Deletes one row of {@code target}. */
  public final void delete(DeleteTarget target, long position) {
    pending(target).add(position);
  }

  /** Deletes the rows of {@code target} from {@code startInclusive} to {@code endExclusive}. */
  public final void delete(DeleteTarget target, long startInclusive, long endExclusive) {
    pending(target).addRange(startInclusive, endExclusive);
  }

  /** Deletes rows of {@code target}; the positions are in any order, and may repeat. */
  public final void delete(DeleteTarget target, long[] positions) {
    if (positions.length > 0) {
      pending(target).addAll(positions);
    }
  }

  /** Deletes rows of {@code target}. */
  public final void delete(DeleteTarget target, DeletedPositions positions) {
    if (!positions.isEmpty()) {
      pending(target).addAll(positions);
    }
  }

  /** Deletes the rows of {@code target} that {@code positions} deletes now. */
  public final void delete(DeleteTarget target, PositionDeleteIndex positions) {
    delete(target, DeletedPositions.copyOf(positions));
  }

  /** Refuses positions that cannot be taken any more. */
  abstract void checkTakes();

  /** Returns where the positions of {@code file} go. */
  abstract PendingDeletes pending(TargetFile file);

  /** Forgets where positions went, as they go elsewhere from now on. */
  final void forgetLast() {
    if (last != null) {
      last.settle(buffer);
    }
    lastDataFile = null;
    last = null;
  }

  /** Forgets partitions that nothing held is in any more. */
  final void forgetPartitions() {
    partitions.clear();
  }

  private PendingDeletes pending(DataFile dataFile) {
    PendingDeletes known = last;
    // Rows of one file come together, mostly. An entry that is reused for another file has another
    // location by then.
    if (known != null && dataFile == lastDataFile && known.location().equals(dataFile.location())) {
      return known;
    }
    known = pending(DeleteTarget.of(dataFile));
    lastDataFile = dataFile;
    return known;
  }

  private PendingDeletes pending(DeleteTarget target) {
    PendingDeletes known = last;
    if (known != null && target.describes(known.file())) {
      return known;
    }
    checkTakes();
    forgetLast();
    known = pending(target.in(partition(target)));
    known.borrow(buffer);
    last = known;
    return known;
  }

  private FilePartition partition(DeleteTarget target) {
    FilePartition known = lastPartition;
    if (known == null || !known.contains(target.specId(), target.partition())) {
      known = findPartition(target);
      lastPartition = known;
    }
    return known;
  }

  private FilePartition findPartition(DeleteTarget target) {
    PartitionSpec spec = context.specs().get(target.specId());
    if (spec == null) {
      throw new IllegalArgumentException(
          "Cannot delete rows of "
              + target.location()
              + ": the table has no partition spec "
              + target.specId());
    }
    DeleteTarget.checkValues(target.location(), target.partition(), spec);
    FilePartition known = partitions.get(target.specId(), target.partition());
    if (known == null) {
      known = new FilePartition(spec, target.partition()).copy();
      partitions.put(target.specId(), known.tuple(), known);
    }
    return known;
  }
}
