package io.github.icebergext.dv.read;

import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.dv.DeletionVectorIdentity;
import org.apache.iceberg.DeleteFile;

/**
 * A vector that was read and checked.
 *
 * @param deleteFile the entry that points at it
 * @param positions the deleted positions
 */
public record ReadVector(DeleteFile deleteFile, DeletedPositions positions) {
  /** Returns the identity of the vector. */
  public DeletionVectorIdentity identity() {
    return DeletionVectorIdentity.of(deleteFile);
  }
}
