package io.github.icebergext.dv.table;

import io.github.icebergext.dv.InvalidDeletionVectorException;
import io.github.icebergext.dv.internal.SnapshotFiles;
import io.github.icebergext.dv.read.DeletionVectorReader;
import io.github.icebergext.dv.read.ReadVector;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.RewriteFiles;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.io.CloseableIterable;

/**
 * Data files of which vectors delete every row, so that both may be removed from the table.
 *
 * <p>To expire snapshots afterwards, call {@code PuffinGuard.of(table).expire(e ->
 * e.expireOlderThan(t).retainLast(n))}: a plain {@code table.expireSnapshots()} may delete Puffin
 * files that hold live vectors.
 *
 * <p>Immutable and thread-safe.
 */
public final class FullyDeletedFiles {
  private final Snapshot snapshot;
  private final List<DataFile> dataFiles;
  private final List<DeleteFile> vectors;

  private FullyDeletedFiles(Snapshot snapshot, List<DataFile> dataFiles, List<DeleteFile> vectors) {
    this.snapshot = snapshot;
    this.dataFiles = List.copyOf(dataFiles);
    this.vectors = List.copyOf(vectors);
  }

  /**
   * Finds them in {@code snapshot}: by the record counts in its manifests, and then by reading
   * their vectors in full, as a count is no proof.
   *
   * @throws InvalidDeletionVectorException if an entry or a vector breaks a rule, see {@link
   *     LiveDeletes#of(Table, Snapshot)} and {@link DeletionVectorReader#read(DeleteFile,
   *     DataFile)}
   * @throws UncheckedIOException if the storage fails
   */
  public static FullyDeletedFiles of(Table table, Snapshot snapshot) {
    LiveDeletes live = LiveDeletes.of(table, snapshot);
    Map<String, DataFile> candidates = new HashMap<>();
    List<DeleteFile> candidateVectors = new ArrayList<>();
    SnapshotFiles.forEach(
        live.dataFiles(),
        dataFile ->
            live.deletes(dataFile)
                .vector()
                .filter(vector -> vector.recordCount() == dataFile.recordCount())
                .ifPresent(
                    vector -> {
                      candidates.put(dataFile.location(), dataFile.copyWithoutStats());
                      candidateVectors.add(vector);
                    }));
    List<DataFile> dataFiles = new ArrayList<>();
    List<DeleteFile> vectors = new ArrayList<>();
    try (CloseableIterable<ReadVector> all =
        DeletionVectorReader.of(table).readAll(candidateVectors)) {
      for (ReadVector read : all) {
        DeleteFile vector = read.deleteFile();
        DataFile dataFile = candidates.get(vector.referencedDataFile());
        if (dataFile != null && read.positions().isFullyDeleted(0, dataFile.recordCount())) {
          dataFiles.add(dataFile);
          vectors.add(vector);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new FullyDeletedFiles(snapshot, dataFiles, vectors);
  }

  /** Returns the data files. */
  public List<DataFile> dataFiles() {
    return dataFiles;
  }

  /** Returns their vectors, in the same order. */
  public List<DeleteFile> vectors() {
    return vectors;
  }

  /**
   * Adds the removal of data files and vectors to {@code rewrite}, which then fails if one of them
   * was changed since the snapshot. To be called with at least one data file, as Iceberg refuses a
   * rewrite of none.
   */
  public RewriteFiles applyTo(RewriteFiles rewrite) {
    dataFiles.forEach(rewrite::deleteFile);
    vectors.forEach(rewrite::deleteFile);
    return rewrite.validateFromSnapshot(snapshot.snapshotId());
  }
}
