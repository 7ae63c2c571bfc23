package io.github.icebergext.dv.table;

import io.github.icebergext.dv.internal.SnapshotFiles;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataOperations;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.util.SnapshotUtil;

/** Finds the snapshots that removed data files. */
final class Removals {
  private Removals() {}

  /**
   * Returns, by location, the last snapshot that removed each of the data files, which {@code from}
   * has and {@code to} has not.
   *
   * @param from an ancestor of {@code to}
   */
  static Map<String, Snapshot> between(
      Table table, Snapshot from, Snapshot to, Collection<DataFile> dataFiles) {
    Map<String, Snapshot> found = new HashMap<>();
    Set<String> wanted = new HashSet<>();
    dataFiles.forEach(dataFile -> wanted.add(dataFile.location()));
    for (Snapshot snapshot :
        SnapshotUtil.ancestorsBetween(table, to.snapshotId(), from.snapshotId())) {
      if (wanted.isEmpty()) {
        break;
      }
      Long parentId = snapshot.parentId();
      // An append cannot remove files, but merges manifests.
      if (parentId != null && !DataOperations.APPEND.equals(snapshot.operation())) {
        for (String location : removed(table, table.snapshot(parentId), snapshot, wanted)) {
          found.put(location, snapshot);
          wanted.remove(location);
        }
      }
    }
    return found;
  }

  private static Set<String> removed(
      Table table, Snapshot parent, Snapshot snapshot, Set<String> wanted) {
    SnapshotFiles before = new SnapshotFiles(table, parent);
    SnapshotFiles after = new SnapshotFiles(table, snapshot);
    Set<String> removed = new HashSet<>();
    List<ManifestFile> onlyBefore =
        SnapshotComparison.without(before.dataManifests(), after.dataManifests());
    SnapshotFiles.forEach(
        before.dataFiles(onlyBefore),
        dataFile -> {
          if (wanted.contains(dataFile.location())) {
            removed.add(dataFile.location());
          }
        });
    if (!removed.isEmpty()) {
      List<ManifestFile> onlyAfter =
          SnapshotComparison.without(after.dataManifests(), before.dataManifests());
      SnapshotFiles.forEach(
          after.dataFiles(onlyAfter), dataFile -> removed.remove(dataFile.location()));
    }
    return removed;
  }
}
