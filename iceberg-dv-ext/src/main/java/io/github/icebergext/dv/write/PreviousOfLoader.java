package io.github.icebergext.dv.write;

import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.dv.DeletionVectorEntry;
import io.github.icebergext.dv.internal.TargetFile;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Function;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.deletes.PositionDeleteIndex;
import org.jspecify.annotations.Nullable;

/** Deletes that a caller has read. */
final class PreviousOfLoader extends PreviousDeletes {
  private final long snapshotId;
  private final Function<String, @Nullable PositionDeleteIndex> loaded;

  PreviousOfLoader(long snapshotId, Function<String, @Nullable PositionDeleteIndex> loaded) {
    this.snapshotId = snapshotId;
    this.loaded = loaded;
  }

  @Override
  public OptionalLong snapshotId() {
    return OptionalLong.of(snapshotId);
  }

  @Override
  PreviousEntries of(TargetFile file) {
    return PreviousEntries.loading(() -> load(file.location()));
  }

  private PreviousPositions load(String dataFile) {
    PositionDeleteIndex index = loaded.apply(dataFile);
    PreviousEntries entries =
        index == null
            ? PreviousEntries.none()
            : PreviousEntries.of(dataFile, List.copyOf(index.deleteFiles()));
    DeletedPositions positions =
        index == null ? DeletedPositions.of() : DeletedPositions.copyOf(index);
    checkComplete(dataFile, entries, positions);
    return PreviousPositions.loaded(entries, dataFile, positions);
  }

  /** What is missing here would come back, and an entry left out would stay beside the new one. */
  private static void checkComplete(
      String dataFile, PreviousEntries entries, DeletedPositions positions) {
    if (entries.isNone() && !positions.isEmpty()) {
      throw new IllegalArgumentException(
          "Cannot take the previous deletes of data file "
              + dataFile
              + ": there are "
              + positions.cardinality()
              + " positions, and deleteFiles() does not say which entries they came from");
    }
    entries.vector().ifPresent(vector -> checkComplete(vector, positions));
  }

  private static void checkComplete(DeleteFile vector, DeletedPositions positions) {
    if (positions.cardinality() < vector.recordCount()) {
      throw new IllegalArgumentException(
          "Cannot take the previous deletes of data file "
              + vector.referencedDataFile()
              + ": there are "
              + positions.cardinality()
              + " positions, but "
              + vector.recordCount()
              + " in their "
              + DeletionVectorEntry.describe(vector));
    }
  }
}
