package io.github.icebergext.dv;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileScanTask;

/** The deletes of the data files of a scan. */
final class PlannedTasks extends PreviousDeletes {
  private final long snapshotId;
  private final Map<String, List<DeleteFile>> byDataFile;

  private PlannedTasks(long snapshotId, Map<String, List<DeleteFile>> byDataFile) {
    this.snapshotId = snapshotId;
    this.byDataFile = byDataFile;
  }

  static PlannedTasks of(long snapshotId, Iterable<FileScanTask> tasks) {
    Map<String, List<DeleteFile>> byDataFile = new HashMap<>();
    // All splits of a data file have the same deletes.
    tasks.forEach(task -> byDataFile.put(task.file().location(), task.deletes()));
    return new PlannedTasks(snapshotId, byDataFile);
  }

  @Override
  public OptionalLong snapshotId() {
    return OptionalLong.of(snapshotId);
  }

  @Override
  EarlierDeletes of(TargetFile file) {
    List<DeleteFile> planned = byDataFile.get(file.location());
    if (planned == null) {
      throw new IllegalArgumentException(
          "Cannot tell the previous deletes of data file "
              + file.location()
              + ": it is not among the tasks of the scan");
    }
    return EarlierDeletes.of(file.location(), planned);
  }
}
