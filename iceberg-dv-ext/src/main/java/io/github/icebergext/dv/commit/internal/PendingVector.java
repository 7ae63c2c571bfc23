package io.github.icebergext.dv.commit.internal;

import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.dv.internal.AppliedDeletes;
import io.github.icebergext.dv.internal.TargetFile;

/**
 * A vector that is to be committed.
 *
 * @param file its data file, as it was given
 * @param upon the deletes that the vector was written upon, which it contains
 * @param newPositions the positions that it adds to them
 */
public record PendingVector(TargetFile file, AppliedDeletes upon, DeletedPositions newPositions) {
  String location() {
    return file.location();
  }
}
