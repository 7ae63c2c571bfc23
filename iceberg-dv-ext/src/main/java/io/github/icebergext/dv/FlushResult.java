package io.github.icebergext.dv;

import java.util.List;
import java.util.OptionalLong;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.RowDelta;
import org.apache.iceberg.io.DeleteWriteResult;
import org.apache.iceberg.util.CharSequenceSet;

/**
 * What a flush wrote: for each data file its new deletion vector and the entries that one replaces.
 *
 * <p>Additions and removals belong into one commit. Immutable and thread-safe.
 */
public final class FlushResult {
  private final OptionalLong snapshotId;
  private final List<FlushedVector> vectors;

  FlushResult(OptionalLong snapshotId, List<FlushedVector> vectors) {
    this.snapshotId = snapshotId;
    this.vectors = List.copyOf(vectors);
  }

  /** Tells whether there was nothing to write, in which case no file was. */
  public boolean isEmpty() {
    return vectors.isEmpty();
  }

  /** Returns the new vectors, in the order in which their data files were first given. */
  public List<FlushedVector> vectors() {
    return vectors;
  }

  /**
   * Returns the snapshot that the previous deletes were read from; empty if the table had none. A
   * commit validates what happened since.
   */
  public OptionalLong snapshotId() {
    return snapshotId;
  }

  /**
   * Adds the new vectors to {@code rowDelta}, removes what they replace, and turns on the
   * validation without which concurrent deletes are lost. Called last, before the commit.
   *
   * <p>The commit then fails with {@link org.apache.iceberg.exceptions.ValidationException} if,
   * since the previous deletes were read, one of the data files got another vector or was removed.
   * Do not set a {@link RowDelta#conflictDetectionFilter} narrower than the data files here: it
   * hides concurrent vectors outside of it from that validation, and a table with two vectors for a
   * data file cannot be scanned. Do not replace the snapshot by a later one: what was deleted in
   * between would be lost.
   *
   * @return {@code rowDelta}; unchanged if this result is empty
   */
  public RowDelta applyTo(RowDelta rowDelta) {
    if (isEmpty()) {
      return rowDelta;
    }
    vectors.forEach(flushed -> rowDelta.addDeletes(flushed.vector()));
    replaced().forEach(rowDelta::removeDeletes);
    // Without a snapshot nothing is set: Iceberg then validates the whole history.
    snapshotId.ifPresent(rowDelta::validateFromSnapshot);
    return rowDelta.validateDataFilesExist(referencedDataFiles()).validateDeletedFiles();
  }

  /**
   * Returns additions and removals as Iceberg's writers do, for callers that commit such results.
   * They have to validate from {@link #snapshotId()} themselves.
   */
  public DeleteWriteResult toDeleteWriteResult() {
    return new DeleteWriteResult(
        vectors.stream().map(FlushedVector::vector).toList(),
        CharSequenceSet.of(referencedDataFiles()),
        replaced());
  }

  private List<DeleteFile> replaced() {
    return vectors.stream().flatMap(flushed -> flushed.replaced().stream()).toList();
  }

  private List<CharSequence> referencedDataFiles() {
    return vectors.stream().<CharSequence>map(FlushedVector::referencedDataFile).toList();
  }
}
