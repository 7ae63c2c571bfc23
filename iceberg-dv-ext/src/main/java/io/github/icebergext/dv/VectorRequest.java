package io.github.icebergext.dv;

import io.github.icebergext.puffin.Reason;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.PartitionSpec;
import org.jspecify.annotations.Nullable;

/**
 * A vector that is asked for by its entry. All that can be checked without the storage is.
 *
 * @param deleteFile the entry as it was given
 * @param entry its coordinates
 * @param target what to read and expect
 */
record VectorRequest(DeleteFile deleteFile, DeletionVectorEntry entry, VectorTarget target) {

  static VectorRequest of(DeleteFile deleteFile, ReadContext context) {
    DeletionVectorEntry entry = DeletionVectorEntry.of(deleteFile, context.limits());
    return new VectorRequest(deleteFile, entry, VectorTarget.of(entry));
  }

  /**
   * Asks for the vector of a data file.
   *
   * @param spec the data file's partition spec if it is known
   */
  static VectorRequest of(
      DeleteFile deleteFile, DataFile dataFile, @Nullable PartitionSpec spec, ReadContext context) {
    VectorRequest request = of(deleteFile, context);
    VectorTarget target = request.target;
    context.checks().checkLocation(target, request.entry.referencedDataFile(), dataFile.location());
    return new VectorRequest(
        deleteFile, request.entry, DataFileCheck.check(target, deleteFile, dataFile, spec));
  }

  /** Asks for the vector of a scan task, if it has one. */
  static Optional<VectorRequest> of(FileScanTask task, ReadContext context) {
    List<DeleteFile> vectors =
        task.deletes().stream().filter(DeletionVectorIdentity::isVector).toList();
    if (vectors.size() > 1) {
      throw duplicates(task, vectors);
    }
    return vectors.stream()
        .findFirst()
        .map(vector -> of(vector, task.file(), task.spec(), context));
  }

  private static InvalidDeletionVectorException duplicates(
      FileScanTask task, List<DeleteFile> vectors) {
    return new InvalidDeletionVectorException(
        Reason.DUPLICATE_VECTOR,
        "Cannot choose among "
            + vectors.size()
            + " deletion vectors of data file "
            + task.file().location()
            + ": "
            + vectors.stream()
                .map(DeletionVectorEntry::describe)
                .collect(Collectors.joining(", ")));
  }
}
