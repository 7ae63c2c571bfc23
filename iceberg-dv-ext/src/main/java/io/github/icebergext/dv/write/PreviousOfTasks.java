package io.github.icebergext.dv.write;

import io.github.icebergext.dv.DeletionVectorIdentity;
import io.github.icebergext.dv.internal.TargetFile;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileScanTask;

/** The deletes of the data files of a scan. */
final class PreviousOfTasks extends PreviousDeletes {
  private final long snapshotId;
  private final Map<String, List<DeleteFile>> byDataFile;

  private PreviousOfTasks(long snapshotId, Map<String, List<DeleteFile>> byDataFile) {
    this.snapshotId = snapshotId;
    this.byDataFile = byDataFile;
  }

  static PreviousOfTasks of(long snapshotId, Iterable<FileScanTask> tasks) {
    Map<String, List<DeleteFile>> byDataFile = new HashMap<>();
    // All splits of a data file have the same deletes.
    for (FileScanTask task : tasks) {
      String dataFile = task.file().location();
      List<DeleteFile> other = byDataFile.put(dataFile, task.deletes());
      if (other != null && !entries(other).equals(entries(task.deletes()))) {
        throw new IllegalArgumentException(
            "Cannot tell the previous deletes of data file "
                + dataFile
                + ": two tasks have different ones, as if of different snapshots");
      }
    }
    return new PreviousOfTasks(snapshotId, byDataFile);
  }

  private static Set<DeletionVectorIdentity> entries(List<DeleteFile> deletes) {
    return deletes.stream().map(PreviousOfTasks::entry).collect(Collectors.toSet());
  }

  private static DeletionVectorIdentity entry(DeleteFile deletes) {
    return DeletionVectorIdentity.isVector(deletes)
        ? DeletionVectorIdentity.of(deletes)
        : new DeletionVectorIdentity(deletes.location(), 0, 0);
  }

  @Override
  public OptionalLong snapshotId() {
    return OptionalLong.of(snapshotId);
  }

  @Override
  PreviousEntries of(TargetFile file) {
    List<DeleteFile> planned = byDataFile.get(file.location());
    if (planned == null) {
      throw new IllegalArgumentException(
          "Cannot tell the previous deletes of data file "
              + file.location()
              + ": it is not among the tasks of the scan");
    }
    return PreviousEntries.of(file.location(), planned);
  }
}
