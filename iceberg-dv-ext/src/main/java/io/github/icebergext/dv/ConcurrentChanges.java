package io.github.icebergext.dv;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataOperations;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.util.SnapshotUtil;

/**
 * What others did to data files that are about to get vectors.
 *
 * <p>Further deletes do no harm, and neither does another vector of the same deletes: all of them
 * are united. A row that was overwritten may live on in another data file, so that what deletes it
 * here would miss it there.
 */
final class ConcurrentChanges {
  private static final Set<String> HARMLESS =
      Set.of(DataOperations.APPEND, DataOperations.DELETE, DataOperations.REPLACE);

  private final FileIO io;
  private final List<Snapshot> since;

  /**
   * Looks at the snapshots of a history that are younger than one of it.
   *
   * @param head the last one
   * @param sequenceNumber that of the snapshot, which need not be there any more
   */
  ConcurrentChanges(Table table, FileIO io, Snapshot head, long sequenceNumber) {
    this.io = io;
    this.since = new ArrayList<>();
    for (Snapshot snapshot : SnapshotUtil.ancestorsOf(head.snapshotId(), table::snapshot)) {
      if (snapshot.sequenceNumber() <= sequenceNumber) {
        break;
      }
      since.add(snapshot);
    }
  }

  /** Returns what happened to those data files that cannot get their vectors, by location. */
  Map<String, String> conflicts(List<FlushedFile> files, LiveDataFiles live) {
    Map<String, String> conflicts = new LinkedHashMap<>();
    for (FlushedFile file : files) {
      live.complaint(file).ifPresent(complaint -> conflicts.put(file.file().location(), complaint));
    }
    if (!conflicts.isEmpty()) {
      conflicts.putAll(removals(conflicts.keySet()));
    }
    Map<String, String> overwritten = overwritten();
    overwritten.keySet().retainAll(files.stream().map(file -> file.file().location()).toList());
    overwritten.forEach(conflicts::putIfAbsent);
    return conflicts;
  }

  private Map<String, String> removals(Set<String> gone) {
    Map<String, String> removals = new HashMap<>();
    for (Snapshot snapshot : since) {
      if (!DataOperations.APPEND.equals(snapshot.operation())) {
        for (DataFile removed : snapshot.removedDataFiles(io)) {
          if (gone.contains(removed.location())) {
            removals.putIfAbsent(removed.location(), describe(snapshot) + " removed it");
          }
        }
      }
    }
    return removals;
  }

  private Map<String, String> overwritten() {
    Map<String, String> overwritten = new HashMap<>();
    for (Snapshot snapshot : since) {
      if (!HARMLESS.contains(snapshot.operation())) {
        for (DeleteFile added : snapshot.addedDeleteFiles(io)) {
          if (DeletionVectorIdentity.isVector(added) && added.referencedDataFile() != null) {
            overwritten.put(
                added.referencedDataFile(),
                describe(snapshot) + " deleted rows of it that may live on in another data file");
          }
        }
      }
    }
    return overwritten;
  }

  private static String describe(Snapshot snapshot) {
    return "snapshot " + snapshot.snapshotId() + " (" + snapshot.operation() + ")";
  }
}
