package io.github.icebergext.dv;

import java.util.OptionalLong;

/** The word of a caller that there are no deletes. */
final class NoDeletes extends PreviousDeletes {
  private final long snapshotId;

  NoDeletes(long snapshotId) {
    this.snapshotId = snapshotId;
  }

  @Override
  public OptionalLong snapshotId() {
    return OptionalLong.of(snapshotId);
  }

  @Override
  EarlierDeletes of(TargetFile file) {
    return EarlierDeletes.none();
  }
}
