package io.github.icebergext.dv.write;

import io.github.icebergext.dv.DeletedPositions;
import java.util.List;
import org.apache.iceberg.DeleteFile;

/**
 * A deletion vector that a flush wrote: all deletes of one data file, earlier and new.
 *
 * @param vector entry of the new vector, ready to be committed
 * @param replaced live entries whose deletes the new vector contains and that no other data file
 *     needs, to be removed in the same commit
 * @param newPositions positions that were not deleted before; empty if nothing is new
 * @param allRowsDeleted whether the vector is known to delete every row, so that the data file
 *     itself may be removed
 */
public record FlushedVector(
    DeleteFile vector,
    List<DeleteFile> replaced,
    DeletedPositions newPositions,
    boolean allRowsDeleted) {
  /** Copies the list. */
  public FlushedVector {
    replaced = List.copyOf(replaced);
  }

  /** Returns the location of the data file whose rows are deleted. */
  public String referencedDataFile() {
    return vector.referencedDataFile();
  }
}
