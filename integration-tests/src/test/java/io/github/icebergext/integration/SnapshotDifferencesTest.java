package io.github.icebergext.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.dv.table.DeletesBetween;
import io.github.icebergext.dv.table.DeletesChange;
import io.github.icebergext.dv.table.DeletesChange.DataFileAdded;
import io.github.icebergext.dv.table.DeletesChange.DataFileRemoved;
import io.github.icebergext.dv.table.DeletesChange.PositionDeletesChanged;
import io.github.icebergext.dv.table.DeletesChange.RowsDeleted;
import io.github.icebergext.dv.table.DeletesChange.RowsRestored;
import io.github.icebergext.testing.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.BaseDeleteLoader;
import org.apache.iceberg.io.CloseableIterable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tables that Spark wrote: what changed between any two of their snapshots is what Iceberg's own
 * planning and loading of deletes give for the one and not for the other.
 */
class SnapshotDifferencesTest {
  /** Deleted positions of a data file, and the locations and offsets of what deletes them. */
  private record Deletes(TreeSet<Long> positions, Set<String> vectors, Set<String> others) {}

  @ParameterizedTest
  @ValueSource(strings = {"orc", "part", "shapes", "unpart", "upgraded", "v2pos"})
  void differenceIsThatOfWhatIcebergReads(String name) throws IOException {
    Table table = open(name);
    Map<Long, Map<String, Deletes>> states = new HashMap<>();
    for (Snapshot snapshot : table.snapshots()) {
      states.put(snapshot.snapshotId(), byIceberg(table, snapshot));
    }

    for (long from : states.keySet()) {
      for (long to : states.keySet()) {
        assertThat(actual(DeletesBetween.of(table, from, to)))
            .as("from " + from + " to " + to)
            .isEqualTo(expected(states.get(from), states.get(to)));
      }
    }
  }

  private static Table open(String name) throws IOException {
    Path warehouse = TestData.tables().resolve("spark-3.5.9-iceberg-1.12.0");
    Path metadata = warehouse.resolve("db").resolve(name).resolve("metadata");
    String version = Files.readString(metadata.resolve("version-hint.text")).strip();
    return RelocatedTable.open(
        metadata.resolve("v" + version + ".metadata.json"), "file:/warehouse", warehouse);
  }

  private static Map<String, Deletes> byIceberg(Table table, Snapshot snapshot) throws IOException {
    BaseDeleteLoader loader =
        new BaseDeleteLoader(file -> table.io().newInputFile(file.location()));
    Map<String, Deletes> deletes = new TreeMap<>();
    try (CloseableIterable<FileScanTask> tasks =
        table.newScan().useSnapshot(snapshot.snapshotId()).planFiles()) {
      for (FileScanTask task : tasks) {
        String location = task.file().location();
        TreeSet<Long> positions = new TreeSet<>();
        loader.loadPositionDeletes(task.deletes(), location).forEach(positions::add);
        Set<String> vectors = new TreeSet<>();
        Set<String> others = new TreeSet<>();
        for (DeleteFile file : task.deletes()) {
          (file.format() == FileFormat.PUFFIN ? vectors : others)
              .add(file.location() + " " + file.contentOffset());
        }
        deletes.put(location, new Deletes(positions, vectors, others));
      }
    }
    return deletes;
  }

  private static Map<String, String> expected(
      Map<String, Deletes> before, Map<String, Deletes> after) {
    Map<String, String> changes = new TreeMap<>();
    after.forEach(
        (file, now) -> {
          Deletes old = before.get(file);
          if (old == null) {
            if (!now.vectors().isEmpty()) {
              changes.put(file, "added " + now.positions());
            } else if (!now.others().isEmpty()) {
              changes.put(file, "added with position deletes");
            }
          } else if (!old.vectors().equals(now.vectors()) || !old.others().equals(now.others())) {
            changes.put(file, difference(old, now));
          }
        });
    before.keySet().stream()
        .filter(file -> !after.containsKey(file))
        .forEach(file -> changes.put(file, "removed"));
    return changes;
  }

  private static String difference(Deletes old, Deletes now) {
    if (!old.others().isEmpty() || (!now.others().isEmpty() && old.vectors().isEmpty())) {
      return "position deletes";
    }
    TreeSet<Long> deleted = new TreeSet<>(now.vectors().isEmpty() ? Set.of() : now.positions());
    TreeSet<Long> restored = new TreeSet<>(old.positions());
    restored.removeAll(deleted);
    deleted.removeAll(old.positions());
    return restored.isEmpty()
        ? "deleted " + deleted
        : "deleted " + deleted + " restored " + restored;
  }

  private static Map<String, String> actual(DeletesBetween between) throws IOException {
    Map<String, String> changes = new TreeMap<>();
    try (CloseableIterable<DeletesChange> all = between.changes()) {
      for (DeletesChange change : all) {
        assertThat(changes.put(change.dataFile().location(), describe(change))).isNull();
      }
    }
    return changes;
  }

  private static String describe(DeletesChange change) {
    if (change instanceof RowsDeleted rows) {
      return "deleted " + list(rows.positions());
    } else if (change instanceof RowsRestored rows) {
      return "deleted " + list(rows.positions()) + " restored " + list(rows.restored());
    } else if (change instanceof DataFileAdded added) {
      return added
          .positions()
          .map(positions -> "added " + list(positions))
          .orElse("added with position deletes");
    } else if (change instanceof PositionDeletesChanged) {
      return "position deletes";
    } else if (change instanceof DataFileRemoved) {
      return "removed";
    }
    return change.toString();
  }

  private static List<Long> list(DeletedPositions positions) {
    List<Long> list = new ArrayList<>();
    positions.forEach(list::add);
    return list;
  }
}
