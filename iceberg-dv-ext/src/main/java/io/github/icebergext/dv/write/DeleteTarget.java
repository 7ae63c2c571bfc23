package io.github.icebergext.dv.write;

import io.github.icebergext.dv.internal.FilePartition;
import io.github.icebergext.dv.internal.TargetFile;
import java.util.List;
import java.util.OptionalLong;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.StructLike;
import org.apache.iceberg.types.Types;
import org.jspecify.annotations.Nullable;

/**
 * A data file that rows are deleted from, as far as the caller knows it.
 *
 * <p>Not thread-safe where the partition it was given is changed meanwhile; writers copy what they
 * keep.
 */
public final class DeleteTarget {
  private final String location;
  private final int specId;
  private final StructLike partition;
  private final long recordCount;
  private final @Nullable Long dataSequenceNumber;

  private DeleteTarget(
      String location,
      int specId,
      StructLike partition,
      long recordCount,
      @Nullable Long dataSequenceNumber) {
    this.location = location;
    this.specId = specId;
    this.partition = partition;
    this.recordCount = recordCount;
    this.dataSequenceNumber = dataSequenceNumber;
  }

  /** Returns {@code dataFile} as a target, with its record count. */
  public static DeleteTarget of(DataFile dataFile) {
    return new DeleteTarget(
        dataFile.location(),
        dataFile.specId(),
        dataFile.partition(),
        dataFile.recordCount(),
        dataFile.dataSequenceNumber());
  }

  /**
   * Returns a data file of which the number of rows is not known, so that positions cannot be held
   * to it.
   *
   * @param location the location exactly as in table metadata
   * @param spec partition spec of the data file, not that of the table
   * @param partition partition of the data file in that spec; may be null if the spec is
   *     unpartitioned
   * @throws IllegalArgumentException if the location is empty, or the partition has another number
   *     of values than the spec has fields; null has none
   */
  public static DeleteTarget of(
      String location, PartitionSpec spec, @Nullable StructLike partition) {
    if (location.isEmpty()) {
      throw new IllegalArgumentException("Cannot delete rows of a data file without a location");
    }
    StructLike tuple = partition == null ? FilePartition.EMPTY : partition;
    checkSize(location, tuple, spec);
    return new DeleteTarget(location, spec.specId(), tuple, TargetFile.UNKNOWN_COUNT, null);
  }

  /** Refuses values that are none of the types of {@code spec}. */
  static void checkValues(String location, StructLike tuple, PartitionSpec spec) {
    checkSize(location, tuple, spec);
    List<Types.NestedField> fields = spec.partitionType().fields();
    for (int i = 0; i < fields.size(); i++) {
      checkValue(location, tuple, i, fields.get(i));
    }
  }

  private static void checkValue(
      String location, StructLike tuple, int index, Types.NestedField field) {
    try {
      Object value = tuple.get(index, field.type().typeId().javaClass());
      if (value == null || field.type().typeId().javaClass().isInstance(value)) {
        return;
      }
    } catch (ClassCastException | IllegalArgumentException | IllegalStateException e) {
      // Which of them depends on the kind of tuple.
    }
    throw new IllegalArgumentException(
        "Cannot delete rows of "
            + location
            + ": its value of partition field "
            + field.name()
            + " is no "
            + field.type());
  }

  private static void checkSize(String location, StructLike tuple, PartitionSpec spec) {
    if (tuple.size() != spec.partitionType().fields().size()) {
      throw new IllegalArgumentException(
          "Cannot delete rows of "
              + location
              + ": its partition has "
              + tuple.size()
              + " values, its spec "
              + spec.partitionType().fields().size()
              + " fields");
    }
  }

  /** Returns the location of the data file. */
  public String location() {
    return location;
  }

  /** Returns the ID of the data file's partition spec. */
  public int specId() {
    return specId;
  }

  /** Returns the data file's partition, in its spec. */
  public StructLike partition() {
    return partition;
  }

  /** Returns the number of rows in the data file, where it is known. */
  public OptionalLong recordCount() {
    return recordCount == TargetFile.UNKNOWN_COUNT
        ? OptionalLong.empty()
        : OptionalLong.of(recordCount);
  }

  /** Returns whether this is the data file {@code known} and says nothing else or more of it. */
  boolean describes(TargetFile known) {
    return location.equals(known.location())
        && known.partition().contains(specId, partition)
        && (recordCount == TargetFile.UNKNOWN_COUNT || recordCount == known.recordCount())
        && (dataSequenceNumber == null || dataSequenceNumber.equals(known.dataSequenceNumber()));
  }

  /** Returns the target in its partition, which is a copy. */
  TargetFile in(FilePartition copied) {
    return new TargetFile(location, copied, recordCount, dataSequenceNumber);
  }

  @Override
  public String toString() {
    return location;
  }
}
