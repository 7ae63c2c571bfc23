package io.github.icebergext.dv.scan;

import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.dv.InvalidDeletionVectorException;
import io.github.icebergext.dv.internal.AppliedDeletes;
import io.github.icebergext.dv.internal.FormatVersions;
import io.github.icebergext.dv.internal.PositionDeleteLoader;
import io.github.icebergext.dv.read.DeletionVectorReader;
import io.github.icebergext.dv.read.TaskVector;
import io.github.icebergext.puffin.Reason;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.Table;
import org.apache.iceberg.encryption.EncryptingFileIO;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.FileIO;

/**
 * Reads the deletes of a scan's tasks.
 *
 * <p>Where a data file has a deletion vector, that one is read, and position deletes of version 2
 * do not count. Where it has none, they are read through Iceberg's own loader and united; for these
 * only, {@code org.apache.iceberg:iceberg-data} must be on the class path. A position delete file
 * that several data files share is read once, within the memory of {@link
 * Builder#withPositionDeleteBytes}. Equality deletes are handed on as planned.
 *
 * <p>Immutable and thread-safe, if its {@link FileIO} is; what {@link #read} returns is for one
 * thread.
 */
public final class ScanDeletes {
  private final FileIO io;
  private final DeletionVectorReader vectors;
  private final long positionDeleteBytes;

  private ScanDeletes(Builder builder) {
    this.io = builder.io;
    this.vectors = builder.vectors;
    this.positionDeleteBytes = builder.positionDeleteBytes;
  }

  /**
   * Returns a reader of the deletes of the table's scans, through its own storage and encryption.
   *
   * @throws InvalidDeletionVectorException with {@link Reason#FORMAT_VERSION} if the table's format
   *     version is more than 3
   */
  public static ScanDeletes of(Table table) {
    return builder(table).build();
  }

  /**
   * Starts a reader of the deletes of the table's scans, through its own storage and encryption.
   *
   * @throws InvalidDeletionVectorException with {@link Reason#FORMAT_VERSION} if the table's format
   *     version is more than 3
   */
  public static Builder builder(Table table) {
    FormatVersions.checkReadable(table);
    return builder(EncryptingFileIO.combine(table.io(), table.encryption()))
        .withVectorReader(DeletionVectorReader.of(table));
  }

  /**
   * Starts a reader that opens delete files through {@code io}; for an encrypted table that is
   * {@link EncryptingFileIO#combine}.
   */
  public static Builder builder(FileIO io) {
    return new Builder(io);
  }

  /**
   * Reads the deletes of {@code tasks}, in their order, as the result is iterated. The caller
   * closes it; {@code tasks} stay the caller's to close.
   *
   * <p>Iterating throws:
   *
   * <ul>
   *   <li>{@link InvalidDeletionVectorException} with {@link Reason#DUPLICATE_VECTOR} if a task has
   *       several vectors, with {@link Reason#NOT_DELETION_VECTOR} if it has delete files of
   *       another kind, with {@link Reason#FORMAT_VERSION} if its data file is of a table of
   *       version 4
   *   <li>whatever {@link DeletionVectorReader} throws
   *   <li>{@link IllegalStateException} if position deletes of version 2 are met and {@code
   *       iceberg-data}, or what it needs for their file format, is not on the class path; whatever
   *       else Iceberg's loader throws leaves as it is
   * </ul>
   */
  public CloseableIterable<TaskDeletes> read(Iterable<FileScanTask> tasks) {
    PositionDeleteLoader positionDeletes = new PositionDeleteLoader(io, positionDeleteBytes);
    return CloseableIterable.transform(
        vectors.readAllTasks(tasks), read -> deletes(read, positionDeletes));
  }

  private static TaskDeletes deletes(TaskVector read, PositionDeleteLoader positionDeletes) {
    FileScanTask task = read.task();
    AppliedDeletes planned = AppliedDeletes.of(task);
    DeletedPositions positions =
        read.vector()
            .orElseGet(
                () -> positionDeletes.read(planned.positionDeletes(), task.file().location()));
    return new TaskDeletes(task, positions, planned.equalityDeletes());
  }

  /** Collects how deletes are read. Not thread-safe. */
  public static final class Builder {
    private static final long DEFAULT_POSITION_DELETE_BYTES = 64 << 20;

    private final FileIO io;
    private DeletionVectorReader vectors;
    private long positionDeleteBytes = DEFAULT_POSITION_DELETE_BYTES;

    private Builder(FileIO io) {
      this.io = io;
      this.vectors = DeletionVectorReader.builder(io).build();
    }

    /** Reads vectors through {@code reader}, with its checks, limits and caches. */
    public Builder withVectorReader(DeletionVectorReader reader) {
      this.vectors = reader;
      return this;
    }

    /**
     * Replaces how much of the position delete files of version 2 may be kept between the tasks of
     * a scan, 64 MiB by default: so many bytes, or the last file read if that one is larger. A file
     * of more records than a sixteenth of the bytes is not kept but read for each data file.
     *
     * @throws IllegalArgumentException if it is negative
     */
    public Builder withPositionDeleteBytes(long bytes) {
      if (bytes < 0) {
        throw new IllegalArgumentException("Invalid bytes for position deletes: " + bytes);
      }
      this.positionDeleteBytes = bytes;
      return this;
    }

    /** Returns the reader. */
    public ScanDeletes build() {
      return new ScanDeletes(this);
    }
  }
}
