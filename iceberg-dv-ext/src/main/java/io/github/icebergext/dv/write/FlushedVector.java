package io.github.icebergext.dv.write;

import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.dv.commit.internal.PendingVector;
import io.github.icebergext.dv.internal.TargetFile;
import java.util.List;
import org.apache.iceberg.DeleteFile;

/**
 * A deletion vector that a flush wrote: all deletes of one data file, previous and new.
 *
 * <p>Immutable and thread-safe, as long as nobody changes the entries.
 */
public final class FlushedVector {
  private final TargetFile file;
  private final PreviousEntries previous;
  private final DeleteFile entry;
  private final List<DeleteFile> replaced;
  private final DeletedPositions newPositions;
  private final boolean allRowsDeleted;

  /**
   * Creates a vector.
   *
   * @param file its data file
   * @param previous the deletes that the vector contains besides the new ones
   */
  FlushedVector(
      TargetFile file,
      PreviousEntries previous,
      DeleteFile entry,
      List<DeleteFile> replaced,
      DeletedPositions newPositions,
      boolean allRowsDeleted) {
    this.file = file;
    this.previous = previous;
    this.entry = entry;
    this.replaced = List.copyOf(replaced);
    this.newPositions = newPositions;
    this.allRowsDeleted = allRowsDeleted;
  }

  /** Returns the location of the data file whose rows are deleted. */
  public String referencedDataFile() {
    return file.location();
  }

  /** Returns the entry of the new vector, ready to be committed. */
  public DeleteFile entry() {
    return entry;
  }

  /**
   * Returns the live entries whose deletes the new vector contains and that no other data file
   * needs, to be removed in the same commit.
   */
  public List<DeleteFile> replaced() {
    return replaced;
  }

  /** Returns the positions that were not deleted before; empty if nothing is new. */
  public DeletedPositions newPositions() {
    return newPositions;
  }

  /**
   * Returns whether the vector is known to delete every row, so the data file itself may be
   * removed.
   */
  public boolean allRowsDeleted() {
    return allRowsDeleted;
  }

  TargetFile file() {
    return file;
  }

  PreviousEntries previous() {
    return previous;
  }

  /** Returns the new positions, to be written once more. */
  PendingDeletes pendingAgain() {
    PendingDeletes pending = new PendingDeletes(file);
    pending.addAll(newPositions);
    return pending;
  }

  /** Returns what a commit has to know of it. */
  PendingVector pendingVector() {
    return new PendingVector(file, previous.deletes(), newPositions);
  }

  /** Returns whether the data file had deletes before. */
  boolean hasPrevious() {
    return entry.recordCount() > newPositions.cardinality();
  }

  @Override
  public String toString() {
    return newPositions.cardinality() + " new deletes of " + file.location();
  }
}
