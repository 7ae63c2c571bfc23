package io.github.icebergext.dv.internal;

import io.github.icebergext.dv.DeletedPositions;
import java.util.OptionalLong;
import org.apache.iceberg.DataFile;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a data file that gets a vector. Many are held at a time, so that it is little.
 *
 * @param recordCount number of its rows, or {@link #UNKNOWN_COUNT}
 * @param dataSequenceNumber null if it is not known
 */
public record TargetFile(
    String location, FilePartition partition, long recordCount, @Nullable Long dataSequenceNumber) {
  public static final long UNKNOWN_COUNT = -1;

  public static TargetFile of(DataFile dataFile, FilePartition partition) {
    return new TargetFile(
        dataFile.location(), partition, dataFile.recordCount(), dataFile.dataSequenceNumber());
  }

  public boolean hasRecordCount() {
    return recordCount != UNKNOWN_COUNT;
  }

  public OptionalLong rowCount() {
    return hasRecordCount() ? OptionalLong.of(recordCount) : OptionalLong.empty();
  }

  /** Returns the largest position that a row may have. */
  public long maxPosition() {
    return hasRecordCount() ? recordCount - 1 : DeletedPositions.MAX_ICEBERG_POSITION;
  }

  /** Tells whether {@code positions} are as many as there are rows. */
  public boolean isFullyDeletedBy(DeletedPositions positions) {
    return hasRecordCount() && positions.cardinality() == recordCount;
  }

  /**
   * Returns this with what another description of the same data file adds.
   *
   * @throws IllegalArgumentException if the two contradict each other
   */
  public TargetFile and(TargetFile other) {
    if (contradicts(other)) {
      throw new IllegalArgumentException(
          "Cannot delete rows of "
              + location
              + ": it was given with "
              + describe()
              + ", now with "
              + other.describe());
    }
    return new TargetFile(
        location,
        partition,
        hasRecordCount() ? recordCount : other.recordCount,
        dataSequenceNumber == null ? other.dataSequenceNumber : dataSequenceNumber);
  }

  /** Tells whether another description of the same data file cannot be true if this is. */
  public boolean contradicts(TargetFile other) {
    return (recordCount != other.recordCount && hasRecordCount() && other.hasRecordCount())
        || !partition.contains(other.partition.spec().specId(), other.partition.tuple());
  }

  /** Returns what is known beside the location, as it stands in messages. */
  public String describe() {
    return (hasRecordCount() ? recordCount + " rows in " : "") + partition;
  }
}
