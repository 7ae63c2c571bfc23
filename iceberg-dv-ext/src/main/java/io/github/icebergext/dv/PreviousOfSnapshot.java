package io.github.icebergext.dv;

import java.util.List;
import java.util.OptionalLong;

/** What a snapshot's manifests say. */
final class PreviousOfSnapshot extends PreviousDeletes {
  private final LiveDeletes live;

  PreviousOfSnapshot(LiveDeletes live) {
    this.live = live;
  }

  @Override
  public OptionalLong snapshotId() {
    return live.snapshotId();
  }

  @Override
  boolean isFromManifests() {
    return true;
  }

  @Override
  EarlierDeletes of(TargetFile file) {
    return live.vector(file.location())
        .map(vector -> EarlierDeletes.of(file.location(), List.of(vector)))
        .orElseGet(
            () ->
                EarlierDeletes.of(
                    file.location(),
                    live.positionDeletes(
                        file.location(),
                        file.partition().spec(),
                        file.partition().tuple(),
                        file.dataSequenceNumber())));
  }
}
