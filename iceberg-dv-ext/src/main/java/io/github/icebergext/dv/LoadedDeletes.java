package io.github.icebergext.dv;

import java.util.List;
import java.util.OptionalLong;
import java.util.function.Function;
import org.apache.iceberg.deletes.PositionDeleteIndex;
import org.jspecify.annotations.Nullable;

/** Deletes that a caller has read. */
final class LoadedDeletes extends PreviousDeletes {
  private final long snapshotId;
  private final Function<String, @Nullable PositionDeleteIndex> loaded;

  LoadedDeletes(long snapshotId, Function<String, @Nullable PositionDeleteIndex> loaded) {
    this.snapshotId = snapshotId;
    this.loaded = loaded;
  }

  @Override
  public OptionalLong snapshotId() {
    return OptionalLong.of(snapshotId);
  }

  @Override
  EarlierDeletes of(TargetFile file) {
    PositionDeleteIndex index = loaded.apply(file.location());
    return index == null
        ? EarlierDeletes.none()
        : EarlierDeletes.of(file.location(), List.copyOf(index.deleteFiles()), index);
  }
}
