package io.github.icebergext.dv.write;

import io.github.icebergext.dv.internal.TargetFile;
import io.github.icebergext.dv.table.LiveDeletes;
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
  PreviousEntries of(TargetFile file) {
    return live.vector(file.location())
        .map(vector -> PreviousEntries.of(file.location(), List.of(vector)))
        .orElseGet(
            () ->
                PreviousEntries.of(
                    file.location(),
                    live.positionDeletes(
                        file.location(),
                        file.partition().spec(),
                        file.partition().tuple(),
                        file.dataSequenceNumber())));
  }
}
