package io.github.icebergext.dv.write;

import io.github.icebergext.dv.internal.TargetFile;
import java.util.OptionalLong;

/** The word of a caller that there are no deletes. */
final class NoPrevious extends PreviousDeletes {
  private final long snapshotId;

  NoPrevious(long snapshotId) {
    this.snapshotId = snapshotId;
  }

  @Override
  public OptionalLong snapshotId() {
    return OptionalLong.of(snapshotId);
  }

  @Override
  PreviousEntries of(TargetFile file) {
    return PreviousEntries.none();
  }
}
