package io.github.icebergext.dv.internal;

import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.dv.DeletionVectorEntry;
import io.github.icebergext.dv.InvalidDeletionVectorException;
import io.github.icebergext.puffin.Reason;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.PartitionSpec;
import org.jspecify.annotations.Nullable;

/**
 * Holds vectors to the data file they are of: what their entries say before anything is read, and
 * the positions once they are. What is not known of a data file is not checked.
 */
public final class DataFileCheck {
  private DataFileCheck() {}

  /**
   * Checks the entry of a vector whose data file has the right location.
   *
   * @param spec the data file's partition spec; where it is not known only its ID is compared
   * @throws InvalidDeletionVectorException with {@link Reason#PARTITION}, {@link
   *     Reason#SEQUENCE_NUMBER} or {@link Reason#POSITION_RANGE}
   */
  public static void checkEntry(
      DeleteFile vector, DataFile dataFile, @Nullable PartitionSpec spec) {
    if (spec != null) {
      checkPartition(vector, new FilePartition(spec, dataFile.partition()));
    } else if (vector.specId() != dataFile.specId()) {
      throw otherPartition(vector, FilePartition.describe(dataFile.specId(), dataFile.partition()));
    }
    checkSequenceNumber(vector, dataFile.dataSequenceNumber());
    checkRecordCount(vector, OptionalLong.of(dataFile.recordCount()));
  }

  /** Checks that a vector is of its data file's partition spec and partition. */
  public static void checkPartition(DeleteFile vector, FilePartition partition) {
    PartitionSpec spec = partition.spec();
    boolean isSame =
        spec.isUnpartitioned()
            ? vector.specId() == spec.specId()
            : partition.contains(vector.specId(), vector.partition());
    if (!isSame) {
      throw otherPartition(vector, partition.toString());
    }
  }

  private static InvalidDeletionVectorException otherPartition(DeleteFile vector, String expected) {
    return invalid(
        Reason.PARTITION,
        vector,
        "its partition is "
            + FilePartition.describe(vector.specId(), vector.partition())
            + ", expected that of the data file, "
            + expected);
  }

  /** Checks that a vector is not older than its data file. */
  public static void checkSequenceNumber(DeleteFile vector, @Nullable Long sequenceNumber) {
    if (isOlder(vector, sequenceNumber)) {
      throw invalid(
          Reason.SEQUENCE_NUMBER,
          vector,
          "its data sequence number is "
              + vector.dataSequenceNumber()
              + ", expected at least that of the data file, "
              + sequenceNumber);
    }
  }

  /** Tells whether both sequence numbers are known and that of the deletes is the smaller one. */
  static boolean isOlder(DeleteFile deletes, @Nullable Long sequenceNumber) {
    Long ofDeletes = deletes.dataSequenceNumber();
    return ofDeletes != null && sequenceNumber != null && ofDeletes < sequenceNumber;
  }

  /** Checks that a vector deletes no more rows than its data file has. */
  public static void checkRecordCount(DeleteFile vector, OptionalLong rows) {
    if (rows.isPresent() && vector.recordCount() > rows.getAsLong()) {
      throw invalid(
          Reason.POSITION_RANGE,
          vector,
          "its record count is "
              + vector.recordCount()
              + ", expected at most the data file's "
              + rows.getAsLong()
              + " rows");
    }
  }

  /** Checks that the positions of a vector are rows of its data file. */
  public static void checkPositions(
      DeleteFile vector, DeletedPositions positions, OptionalLong rows) {
    checkPositions(() -> DeletionVectorEntry.describe(vector), positions, rows);
  }

  /** Checks the positions of a vector that may have no entry. */
  public static void checkPositions(
      Supplier<String> description, DeletedPositions positions, OptionalLong rows) {
    if (rows.isPresent() && !positions.isEmpty() && positions.lastPosition() >= rows.getAsLong()) {
      throw invalid(
          Reason.POSITION_RANGE,
          description.get(),
          "its last position is "
              + positions.lastPosition()
              + ", expected less than the data file's "
              + rows.getAsLong()
              + " rows");
    }
  }

  /** Returns what is thrown for a vector that is not of the data file at {@code location}. */
  public static InvalidDeletionVectorException otherDataFile(String description, String location) {
    return invalid(Reason.REFERENCED_DATA_FILE, description, "it is not of data file " + location);
  }

  /**
   * Returns the one vector of a data file, if there is any.
   *
   * @throws InvalidDeletionVectorException with {@link Reason#DUPLICATE_VECTOR} if there are
   *     several
   */
  public static Optional<DeleteFile> single(String dataFileLocation, List<DeleteFile> vectors) {
    if (vectors.size() > 1) {
      throw several(dataFileLocation, vectors);
    }
    return vectors.stream().findFirst();
  }

  /** Returns what is thrown for a data file that has several vectors. */
  public static InvalidDeletionVectorException several(
      String dataFileLocation, List<DeleteFile> vectors) {
    return new InvalidDeletionVectorException(
        Reason.DUPLICATE_VECTOR,
        "Cannot choose among "
            + vectors.size()
            + " deletion vectors of data file "
            + dataFileLocation
            + ": "
            + vectors.stream()
                .map(DeletionVectorEntry::describe)
                .collect(Collectors.joining(", ")));
  }

  private static InvalidDeletionVectorException invalid(
      Reason reason, DeleteFile vector, String complaint) {
    return invalid(reason, DeletionVectorEntry.describe(vector), complaint);
  }

  private static InvalidDeletionVectorException invalid(
      Reason reason, String description, String complaint) {
    return new InvalidDeletionVectorException(reason, "Invalid " + description + ": " + complaint);
  }
}
