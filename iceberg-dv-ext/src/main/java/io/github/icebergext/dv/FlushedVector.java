package io.github.icebergext.dv;

import java.util.List;
import org.apache.iceberg.DeleteFile;

/**
 * A deletion vector that a flush wrote: all deletes of one data file, earlier and new.
 *
 * @param vector entry of the new vector, ready to be committed
 * @param replaced live entries whose deletes the new vector contains, to be removed in the same
 *     commit
 * @param newPositionCount number of positions that the replaced entries do not delete
 * @param allRowsDeleted whether the vector deletes every row, so that the data file itself may be
 *     removed instead
 */
public record FlushedVector(
    DeleteFile vector, List<DeleteFile> replaced, long newPositionCount, boolean allRowsDeleted) {
  /** Copies the list. */
  public FlushedVector {
    replaced = List.copyOf(replaced);
  }

  /** Returns the location of the data file whose rows are deleted. */
  public String referencedDataFile() {
    return vector.referencedDataFile();
  }
}
