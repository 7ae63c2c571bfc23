package io.github.icebergext.dv.table;

import static io.github.icebergext.testing.TestEntries.list;
import static io.github.icebergext.testing.TestTables.dataFile;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.icebergext.dv.table.DeletesChange.DataFileAdded;
import io.github.icebergext.dv.table.DeletesChange.DataFileRemoved;
import io.github.icebergext.dv.table.DeletesChange.RowsDeleted;
import io.github.icebergext.dv.table.DeletesChange.RowsRestored;
import io.github.icebergext.dv.write.DeletionVectorWriter;
import io.github.icebergext.dv.write.FlushedVector;
import io.github.icebergext.dv.write.PreviousDeletes;
import io.github.icebergext.testing.TestTables;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataOperations;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.RewriteFiles;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.io.CloseableIterable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random commits to a table and, beside it, to a map from data file to deleted positions. The
 * difference between any two snapshots is that of their maps.
 */
class DeletesBetweenModelTest {
  private static final int COMMITS = 14;
  private static final int ROWS = 200;

  /** A snapshot, and the positions that are deleted of each of its data files. */
  private record State(Snapshot snapshot, Map<String, TreeSet<Long>> deleted) {}

  private final Table table = TestTables.unpartitioned();
  private final Map<String, DataFile> dataFiles = new TreeMap<>();
  private final Map<String, TreeSet<Long>> deleted = new TreeMap<>();
  private final Map<String, Snapshot> removedBy = new TreeMap<>();
  private final List<State> states = new ArrayList<>();
  private Random random = new Random();
  private int files;

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void differenceOfAnyTwoSnapshotsIsThatOfTheModel(long seed) throws IOException {
    random = new Random(seed);
    table.updateProperties().set(TableProperties.MANIFEST_MIN_MERGE_COUNT, "3").commit();
    append();
    for (int i = 0; i < COMMITS; i++) {
      commitAtRandom();
    }

    for (int from = 0; from < states.size(); from++) {
      for (int to = 0; to < states.size(); to++) {
        assertThat(actual(states.get(from), states.get(to)))
            .as("from commit " + from + " to commit " + to + " of seed " + seed)
            .isEqualTo(expected(states.get(from), states.get(to), from <= to));
      }
    }
  }

  private Map<String, String> expected(State from, State to, boolean fromIsAncestor) {
    Map<String, String> changes = new TreeMap<>();
    to.deleted()
        .forEach(
            (file, after) -> {
              TreeSet<Long> before = from.deleted().get(file);
              if (before == null && !after.isEmpty()) {
                changes.put(file, "added with " + after);
              } else if (before != null && !before.equals(after)) {
                changes.put(file, difference(before, after, fromIsAncestor));
              }
            });
    from.deleted().keySet().stream()
        .filter(file -> !to.deleted().containsKey(file))
        .forEach(file -> changes.put(file, removal(file, fromIsAncestor)));
    return changes;
  }

  private static String difference(Set<Long> before, Set<Long> after, boolean fromIsAncestor) {
    TreeSet<Long> deleted = new TreeSet<>(after);
    deleted.removeAll(before);
    TreeSet<Long> restored = new TreeSet<>(before);
    restored.removeAll(after);
    return restored.isEmpty()
        ? "deleted " + deleted
        : "deleted " + deleted + " restored " + restored + " problem " + fromIsAncestor;
  }

  private String removal(String file, boolean fromIsAncestor) {
    if (!fromIsAncestor) {
      return "removed";
    }
    Snapshot snapshot = requireNonNull(removedBy.get(file));
    return "removed by "
        + snapshot.snapshotId()
        + " rewritten "
        + snapshot.operation().equals(DataOperations.REPLACE);
  }

  private Map<String, String> actual(State from, State to) throws IOException {
    DeletesBetween between =
        DeletesBetween.of(table, from.snapshot().snapshotId(), to.snapshot().snapshotId());
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
      return "deleted "
          + list(rows.positions())
          + " restored "
          + list(rows.restored())
          + " problem "
          + rows.problem().isPresent();
    } else if (change instanceof DataFileAdded added) {
      return "added with " + list(added.positions().orElseThrow());
    } else if (change instanceof DataFileRemoved removed) {
      return removed
          .removedBy()
          .map(by -> "removed by " + by.snapshotId() + " rewritten " + removed.isRewritten())
          .orElse("removed");
    }
    return change.toString();
  }

  private void commitAtRandom() {
    switch (random.nextInt(9)) {
      case 0, 1 -> append();
      case 2 -> remove();
      case 3 -> rewrite();
      case 4 -> overwrite();
      case 5 -> compactVectors();
      case 6 -> rewriteManifests();
      default -> delete();
    }
  }

  private void append() {
    DataFile first = newDataFile();
    DataFile second = newDataFile();
    table.newAppend().appendFile(first).appendFile(second).commit();
    committed();
  }

  private void delete() {
    try (DeletionVectorWriter writer = DeletionVectorWriter.of(table, LiveDeletes.of(table))) {
      for (DataFile dataFile : someDataFiles()) {
        for (int i = random.nextInt(20); i >= 0; i--) {
          long position = random.nextInt(ROWS);
          writer.delete(dataFile, position);
          requireNonNull(deleted.get(dataFile.location())).add(position);
        }
      }
      writer.flush().applyTo(table.newRowDelta()).commit();
    }
    committed();
  }

  private void remove() {
    DataFile dataFile = someDataFiles().get(0);
    table.newDelete().deleteFile(dataFile).commit();
    removed(dataFile);
    committed();
  }

  private void rewrite() {
    DataFile dataFile = someDataFiles().get(0);
    Optional<DeleteFile> vector = vector(dataFile);
    RewriteFiles rewrite = table.newRewrite().deleteFile(dataFile).addFile(newDataFile());
    vector.ifPresent(rewrite::deleteFile);
    rewrite.validateFromSnapshot(table.currentSnapshot().snapshotId()).commit();
    removed(dataFile);
    committed();
  }

  private void overwrite() {
    DataFile dataFile = someDataFiles().get(0);
    table.newOverwrite().deleteFile(dataFile).addFile(newDataFile()).commit();
    removed(dataFile);
    committed();
  }

  /** Moves vectors to another Puffin file, with the positions that they have. */
  private void compactVectors() {
    LiveDeletes live = LiveDeletes.of(table);
    long current = table.currentSnapshot().snapshotId();
    RewriteFiles rewrite = table.newRewrite().validateFromSnapshot(current);
    try (DeletionVectorWriter writer =
        DeletionVectorWriter.of(table, PreviousDeletes.none(current))) {
      deleted.forEach(
          (file, positions) ->
              positions.forEach(
                  position -> writer.delete(requireNonNull(dataFiles.get(file)), position)));
      for (FlushedVector flushed : writer.flush().vectors()) {
        DeleteFile old = live.vector(flushed.entry().referencedDataFile()).orElseThrow();
        rewrite.deleteFile(old).addFile(flushed.entry(), old.dataSequenceNumber());
      }
      if (!live.vectors().isEmpty()) {
        rewrite.commit();
      }
    }
    committed();
  }

  private void rewriteManifests() {
    table.rewriteManifests().clusterBy(DataFile::location).commit();
    committed();
  }

  private DataFile newDataFile() {
    DataFile dataFile = dataFile(table.spec(), "file-" + files++, ROWS).build();
    dataFiles.put(dataFile.location(), dataFile);
    deleted.put(dataFile.location(), new TreeSet<>());
    return dataFile;
  }

  private List<DataFile> someDataFiles() {
    List<DataFile> live = new ArrayList<>();
    deleted.keySet().forEach(location -> live.add(dataFiles.get(location)));
    List<DataFile> some = new ArrayList<>();
    for (int i = random.nextInt(3); i >= 0; i--) {
      some.add(live.get(random.nextInt(live.size())));
    }
    return some;
  }

  private Optional<DeleteFile> vector(DataFile dataFile) {
    return LiveDeletes.of(table).vector(dataFile.location());
  }

  private void removed(DataFile dataFile) {
    removedBy.put(dataFile.location(), table.currentSnapshot());
    deleted.remove(dataFile.location());
    if (deleted.isEmpty()) {
      newDataFileIsAppended();
    }
  }

  /** So that there is always a data file to work on. */
  private void newDataFileIsAppended() {
    table.newAppend().appendFile(newDataFile()).commit();
  }

  private void committed() {
    Map<String, TreeSet<Long>> copy = new TreeMap<>();
    deleted.forEach((file, positions) -> copy.put(file, new TreeSet<>(positions)));
    states.add(new State(table.currentSnapshot(), copy));
  }
}
