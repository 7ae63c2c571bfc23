package io.github.icebergext.dv.scan;

import java.util.HashMap;
import java.util.Map;
import org.apache.iceberg.FileScanTask;

/**
 * Tells the data files of a scan from their splits.
 *
 * <p>No two splits of a file start at the same byte: where several tasks of a location do, the file
 * stands in the table as often.
 */
final class DistinctDataFiles {
  private final Map<Start, Integer> tasks = new HashMap<>();
  private final Map<String, Integer> files = new HashMap<>();

  /** Returns whether the task shows a data file that no task before did. */
  boolean add(FileScanTask task) {
    String location = task.file().location();
    int occurrence = tasks.merge(new Start(location, task.start()), 1, Integer::sum);
    if (occurrence <= files.getOrDefault(location, 0)) {
      return false;
    }
    files.put(location, occurrence);
    return true;
  }

  private record Start(String location, long offset) {}
}
