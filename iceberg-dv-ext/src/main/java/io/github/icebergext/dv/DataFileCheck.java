package io.github.icebergext.dv;

import io.github.icebergext.puffin.Reason;
import org.apache.iceberg.ContentFile;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.StructLike;
import org.jspecify.annotations.Nullable;

/** Holds entries of vectors to the data files they are applied to, before anything is read. */
final class DataFileCheck {
  private DataFileCheck() {}

  /**
   * Checks that a vector, whose data file has the right location, belongs to it.
   *
   * @param spec the data file's partition spec; where it is not known only its ID is compared
   * @return the vector with the number of rows that its positions must fit
   */
  static VectorTarget check(
      VectorTarget vector, DeleteFile deleteFile, DataFile dataFile, @Nullable PartitionSpec spec) {
    checkPartition(vector, deleteFile, dataFile, spec);
    checkSequenceNumber(vector, deleteFile, dataFile);
    checkRecordCount(vector, deleteFile, dataFile);
    return vector.withRowCount(dataFile.recordCount());
  }

  private static void checkPartition(
      VectorTarget vector, DeleteFile deleteFile, DataFile dataFile, @Nullable PartitionSpec spec) {
    if (deleteFile.specId() != dataFile.specId()
        || (spec != null && !isSamePartition(spec, deleteFile, dataFile))) {
      throw vector.invalid(
          Reason.PARTITION,
          "its partition is "
              + describe(deleteFile)
              + ", expected that of the data file, "
              + describe(dataFile));
    }
  }

  private static boolean isSamePartition(
      PartitionSpec spec, DeleteFile deleteFile, DataFile dataFile) {
    StructLike tuple = dataFile.partition();
    return spec.isUnpartitioned()
        || new FilePartition(spec, tuple).contains(deleteFile.specId(), deleteFile.partition());
  }

  private static String describe(ContentFile<?> file) {
    return FilePartition.describe(file.specId(), file.partition());
  }

  private static void checkSequenceNumber(
      VectorTarget vector, DeleteFile deleteFile, DataFile dataFile) {
    Long actual = deleteFile.dataSequenceNumber();
    Long least = dataFile.dataSequenceNumber();
    if (actual != null && least != null && actual < least) {
      throw vector.invalid(
          Reason.SEQUENCE_NUMBER,
          "its data sequence number is "
              + actual
              + ", expected at least that of the data file, "
              + least);
    }
  }

  private static void checkRecordCount(
      VectorTarget vector, DeleteFile deleteFile, DataFile dataFile) {
    if (deleteFile.recordCount() > dataFile.recordCount()) {
      throw vector.invalid(
          Reason.POSITION_RANGE,
          "its record count is "
              + deleteFile.recordCount()
              + ", expected at most the data file's "
              + dataFile.recordCount()
              + " rows");
    }
  }
}
