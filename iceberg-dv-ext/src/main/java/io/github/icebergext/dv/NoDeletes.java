package io.github.icebergext.dv;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;

/** The word of a caller that there are no deletes. */
record NoDeletes(long id) implements PreviousDeletes {
  @Override
  public OptionalLong snapshotId() {
    return OptionalLong.of(id);
  }

  @Override
  public Optional<DeleteFile> vector(String dataFileLocation) {
    return Optional.empty();
  }

  @Override
  public List<DeleteFile> positionDeletes(DataFile dataFile) {
    return List.of();
  }
}
