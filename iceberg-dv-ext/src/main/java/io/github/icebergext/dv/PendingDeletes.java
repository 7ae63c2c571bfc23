package io.github.icebergext.dv;

import org.apache.iceberg.DataFile;
import org.apache.iceberg.PartitionSpec;
import org.jspecify.annotations.Nullable;

/** The positions added to a writer for one data file, and what the file's vector takes from it. */
final class PendingDeletes {
  private final DataFile dataFile;
  private final FilePartition partition;
  private final DeletedPositions.Builder single = DeletedPositions.builder();
  private @Nullable DeletedPositions whole;

  PendingDeletes(DataFile dataFile, PartitionSpec spec) {
    this.dataFile = dataFile.copyWithoutStats();
    this.partition = new FilePartition(spec, this.dataFile.partition());
  }

  DataFile dataFile() {
    return dataFile;
  }

  String location() {
    return dataFile.location();
  }

  FilePartition partition() {
    return partition;
  }

  /** Refuses another data file of the same location, whose vector would apply to only one. */
  void checkSame(DataFile other) {
    if (!partition.contains(other.specId(), other.partition())
        || dataFile.recordCount() != other.recordCount()) {
      throw new IllegalArgumentException(
          "Cannot delete rows of "
              + location()
              + ": it was given with "
              + describe(dataFile)
              + ", now with "
              + describe(other));
    }
  }

  private static String describe(DataFile dataFile) {
    return dataFile.recordCount()
        + " rows in "
        + FilePartition.describe(dataFile.specId(), dataFile.partition());
  }

  void add(long position) {
    single.add(position);
  }

  void addAll(DeletedPositions positions) {
    whole = whole == null ? positions : whole.union(positions);
  }

  DeletedPositions positions() {
    DeletedPositions added = single.build();
    return whole == null ? added : added.union(whole);
  }
}
