package io.github.icebergext.dv.read;

import io.github.icebergext.dv.DeletionVectorEntry;
import io.github.icebergext.dv.DeletionVectorIdentity;
import io.github.icebergext.dv.internal.DataFileCheck;
import java.util.List;
import java.util.Optional;
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
    DataFileCheck.checkEntry(deleteFile, dataFile, spec);
    return new VectorRequest(
        deleteFile, request.entry, target.withRowCount(dataFile.recordCount()));
  }

  /** Asks for the vector of a scan task, if it has one. */
  static Optional<VectorRequest> of(FileScanTask task, ReadContext context) {
    List<DeleteFile> vectors =
        task.deletes().stream().filter(DeletionVectorIdentity::isVector).toList();
    return DataFileCheck.single(task.file().location(), vectors)
        .map(vector -> of(vector, task.file(), task.spec(), context));
  }
}
