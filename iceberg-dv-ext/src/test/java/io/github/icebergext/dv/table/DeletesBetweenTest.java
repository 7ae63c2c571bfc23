package io.github.icebergext.dv.table;

import static io.github.icebergext.testing.TestEntries.list;
import static io.github.icebergext.testing.TestEntries.positions;
import static io.github.icebergext.testing.TestTables.append;
import static io.github.icebergext.testing.TestTables.dataFile;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.icebergext.dv.DeletionVectorEntry;
import io.github.icebergext.dv.DeletionVectorIdentity;
import io.github.icebergext.dv.InvalidDeletionVectorException;
import io.github.icebergext.dv.table.DeletesChange.DataFileAdded;
import io.github.icebergext.dv.table.DeletesChange.DataFileRemoved;
import io.github.icebergext.dv.table.DeletesChange.DuplicateVectors;
import io.github.icebergext.dv.table.DeletesChange.PositionDeletesChanged;
import io.github.icebergext.dv.table.DeletesChange.RowsDeleted;
import io.github.icebergext.dv.table.DeletesChange.RowsRestored;
import io.github.icebergext.dv.write.DeletionVectorWriter;
import io.github.icebergext.dv.write.FlushedVector;
import io.github.icebergext.dv.write.PreviousDeletes;
import io.github.icebergext.puffin.Reason;
import io.github.icebergext.testing.RecordingFile;
import io.github.icebergext.testing.RecordingFileIO;
import io.github.icebergext.testing.TestEntries;
import io.github.icebergext.testing.TestTables;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataOperations;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileMetadata;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Table;
import org.apache.iceberg.io.CloseableIterable;
import org.junit.jupiter.api.Test;

class DeletesBetweenTest {
  private final RecordingFileIO storage = RecordingFileIO.rangeReadable();
  private final Table table =
      TestTables.withFiles(storage, PartitionSpec.unpartitioned(), /* formatVersion= */ 3);
  private final DataFile data = append(table, "data");
  private final DataFile other = append(table, "other");
  private final long start = current();

  private long current() {
    return table.currentSnapshot().snapshotId();
  }

  private DeleteFile delete(DataFile dataFile, long... positions) {
    try (DeletionVectorWriter writer = DeletionVectorWriter.of(table, LiveDeletes.of(table))) {
      writer.delete(dataFile, positions(positions));
      writer.flush().applyTo(table.newRowDelta()).commit();
    }
    return LiveDeletes.of(table).vector(dataFile.location()).orElseThrow();
  }

  /** Writes a vector that knows nothing of earlier deletes, and commits nothing. */
  private DeleteFile forgetful(DataFile dataFile, long... positions) {
    try (DeletionVectorWriter writer =
        DeletionVectorWriter.of(table, PreviousDeletes.none(current()))) {
      writer.delete(dataFile, positions(positions));
      return writer.flush().vectors().get(0).entry();
    }
  }

  private void replace(DeleteFile old, DeleteFile vector) {
    table
        .newRewrite()
        .validateFromSnapshot(current())
        .deleteFile(old)
        .addFile(vector, old.dataSequenceNumber())
        .commit();
  }

  private static List<DeletesChange> changes(DeletesBetween between) {
    try (CloseableIterable<DeletesChange> changes = between.changes()) {
      List<DeletesChange> list = new ArrayList<>();
      changes.forEach(list::add);
      return list;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<DeletesChange> changes(Table table, long from, long to) {
    return changes(DeletesBetween.of(table, from, to));
  }

  private <T extends DeletesChange> T onlyChange(Class<T> type, long from, long to) {
    return onlyChange(type, table, from, to);
  }

  private static <T extends DeletesChange> T onlyChange(
      Class<T> type, Table table, long from, long to) {
    List<DeletesChange> changes = changes(table, from, to);
    assertThat(changes).hasSize(1);
    assertThat(changes.get(0)).isInstanceOf(type);
    return type.cast(changes.get(0));
  }

  @Test
  void firstVectorDeletesAllItsPositions() {
    DeleteFile vector = delete(data, 3, 5);

    RowsDeleted change = onlyChange(RowsDeleted.class, start, current());

    assertThat(change.dataFile().location()).isEqualTo(data.location());
    assertThat(list(change.positions())).containsExactly(3L, 5L);
    assertThat(change.before().isEmpty()).isTrue();
    assertThat(change.after().vector().map(DeletionVectorIdentity::of))
        .hasValue(DeletionVectorIdentity.of(vector));
  }

  @Test
  void grownVectorDeletesWhatTheOldOneHasNot() {
    DeleteFile old = delete(data, 3, 5);
    long from = current();
    delete(data, 4, 5, 9);

    RowsDeleted change = onlyChange(RowsDeleted.class, from, current());

    assertThat(list(change.positions())).containsExactly(4L, 9L);
    assertThat(change.before().vector().map(DeletionVectorIdentity::of))
        .hasValue(DeletionVectorIdentity.of(old));
  }

  @Test
  void unchangedVectorsAreNotRead() {
    DeleteFile unchanged = delete(data, 3, 5);
    long from = current();
    DeleteFile changed = delete(other, 1);
    storage.forget();

    onlyChange(RowsDeleted.class, from, current());

    assertThat(storage.file(unchanged.location()).requests()).isEmpty();
    assertThat(storage.file(unchanged.location()).count(RecordingFile.Call.OPEN)).isZero();
    assertThat(storage.file(changed.location()).requests()).isNotEmpty();
  }

  @Test
  void nothingIsReadOfAVectorBeforeTheChangesAreIterated() throws IOException {
    DeleteFile vector = delete(data, 3, 5);
    DeletesBetween between = DeletesBetween.of(table, start, current());
    storage.forget();

    try (CloseableIterable<DeletesChange> changes = between.changes()) {
      assertThat(storage.file(vector.location()).requests()).isEmpty();
      assertThat(changes).hasSize(1);
    }
    assertThat(storage.file(vector.location()).requests()).isNotEmpty();
  }

  @Test
  void changesAreReadAnewByEveryIterator() throws IOException {
    delete(data, 3, 5);

    try (CloseableIterable<DeletesChange> changes =
        DeletesBetween.of(table, start, current()).changes()) {
      assertThat(changes).hasSize(1);
      assertThat(changes).hasSize(1);
    }
    assertThat(storage.openStreams()).isZero();
  }

  @Test
  void noStreamStaysOpenWhenTheCallerStopsEarly() throws IOException, InterruptedException {
    delete(data, 3, 5);
    delete(other, 1);

    try (CloseableIterable<DeletesChange> changes =
        DeletesBetween.of(table, start, current()).changes()) {
      assertThat(changes.iterator().next()).isNotNull();
    }
    storage.awaitClosedStreams();
  }

  @Test
  void iteratorEndsAsIteratorsDo() throws IOException {
    try (CloseableIterable<DeletesChange> changes =
        DeletesBetween.of(table, start, start).changes()) {
      Iterator<DeletesChange> iterator = changes.iterator();
      assertThat(iterator.hasNext()).isFalse();
      assertThatThrownBy(iterator::next).isInstanceOf(NoSuchElementException.class);
    }
  }

  @Test
  void snapshotDoesNotDifferFromItself() {
    delete(data, 3, 5);

    assertThat(changes(table, current(), current())).isEmpty();
    assertThat(DeletesBetween.of(table, current(), current()).fromIsAncestor()).isTrue();
  }

  @Test
  void vectorThatMovedWithItsPositionsIsNoChange() {
    DeleteFile old = delete(data, 3, 5);
    long from = current();
    replace(old, forgetful(data, 3, 5));

    assertThat(changes(table, from, current())).isEmpty();
  }

  // apache/iceberg#17754, apache/iceberg#10935: vectors only grow.
  @Test
  void vectorThatLostPositionsIsAProblemThatNamesFileAndBothEntries() {
    DeleteFile old = delete(data, 3, 5, 7);
    long from = current();
    DeleteFile forgetful = forgetful(data, 5, 6);
    replace(old, forgetful);

    RowsRestored change = onlyChange(RowsRestored.class, from, current());

    assertThat(list(change.positions())).containsExactly(6L);
    assertThat(list(change.restored())).containsExactly(3L, 7L);
    assertThat(change.problem())
        .hasValueSatisfying(
            problem -> {
              assertThat(problem.reason()).isEqualTo(Reason.SHRUNK_VECTOR);
              assertThat(problem)
                  .hasMessage(
                      "Deleted rows of data file "
                          + data.location()
                          + " are back: 2 positions of the "
                          + DeletionVectorEntry.describe(old)
                          + ", in snapshot "
                          + from
                          + ", are missing in the "
                          + DeletionVectorEntry.describe(forgetful)
                          + ", in snapshot "
                          + current());
            });
  }

  @Test
  void vectorThatIsGoneIsAProblem() {
    DeleteFile old = delete(data, 3, 5);
    long from = current();
    table.newRowDelta().removeDeletes(old).commit();

    RowsRestored change = onlyChange(RowsRestored.class, from, current());

    assertThat(list(change.restored())).containsExactly(3L, 5L);
    assertThat(change.positions().isEmpty()).isTrue();
    assertThat(change.problem())
        .hasValueSatisfying(
            problem ->
                assertThat(problem.getMessage())
                    .contains("are missing in no vector at all, in snapshot " + current()));
  }

  @Test
  void goingBackInTimeRestoresRowsWithoutAProblem() {
    delete(data, 3, 5);
    long later = current();
    DeletesBetween back = DeletesBetween.of(table, later, start);

    assertThat(back.fromIsAncestor()).isFalse();
    RowsRestored change = onlyChange(RowsRestored.class, later, start);
    assertThat(list(change.restored())).containsExactly(3L, 5L);
    assertThat(change.problem()).isEmpty();
  }

  @Test
  void branchesAreComparedThoughNeitherIsTheAncestor() {
    table.manageSnapshots().createBranch("branch", start).commit();
    try (DeletionVectorWriter writer =
        DeletionVectorWriter.of(table, LiveDeletes.of(table, table.snapshot("branch")))) {
      writer.delete(data, positions(1, 2));
      writer.flush().applyTo(table.newRowDelta().toBranch("branch")).commit();
    }
    delete(data, 2, 3);
    table.newDelete().deleteFile(other).commit();
    long branch = table.snapshot("branch").snapshotId();

    DeletesBetween between = DeletesBetween.of(table, branch, current());

    assertThat(between.fromIsAncestor()).isFalse();
    assertThat(changes(between))
        .satisfiesExactly(
            change -> {
              RowsRestored rows = (RowsRestored) change;
              assertThat(list(rows.positions())).containsExactly(3L);
              assertThat(list(rows.restored())).containsExactly(1L);
              assertThat(rows.problem()).isEmpty();
            },
            change -> {
              DataFileRemoved removed = (DataFileRemoved) change;
              assertThat(removed.dataFile().location()).isEqualTo(other.location());
              assertThat(removed.removedBy()).isEmpty();
              assertThat(removed.isRewritten()).isFalse();
            });
  }

  @Test
  void expiredSnapshotIsSaidToBeMissing() {
    delete(data, 1);
    table.expireSnapshots().expireSnapshotId(start).commit();

    assertThatThrownBy(() -> DeletesBetween.of(table, start, current()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "Cannot compare snapshots of table "
                + table.name()
                + ": it has no snapshot "
                + start
                + ", which has expired or never was one of this table");
    assertThatThrownBy(() -> DeletesBetween.of(table, current(), 5))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("it has no snapshot 5");
  }

  @Test
  void expiredSnapshotBetweenLeavesOpenWhetherFromIsAnAncestor() {
    delete(data, 1);
    long between = current();
    delete(data, 2);
    table.expireSnapshots().expireSnapshotId(between).cleanExpiredFiles(false).commit();

    DeletesBetween deletes = DeletesBetween.of(table, start, current());

    assertThat(deletes.fromIsAncestor()).isFalse();
    assertThat(list(((RowsDeleted) changes(deletes).get(0)).positions())).containsExactly(1L, 2L);
  }

  @Test
  void dataFileThatCameWithDeletesIsSaidToBeNew() {
    DataFile added = dataFile(table.spec(), "added", 100).build();
    DeleteFile vector = forgetful(added, 8, 9);
    table.newRowDelta().addRows(added).addDeletes(vector).commit();
    append(table, "without-deletes");

    DataFileAdded change = onlyChange(DataFileAdded.class, start, current());

    assertThat(change.dataFile().location()).isEqualTo(added.location());
    assertThat(list(change.positions().orElseThrow())).containsExactly(8L, 9L);
    assertThat(change.deletes().vector()).isPresent();
  }

  // manuzhang on apache/iceberg#14264: rewrites break what accumulates.
  @Test
  void dataFileThatARewriteReplacedIsReportedAndNotFollowed() {
    DeleteFile vector = delete(data, 3, 5);
    long from = current();
    DataFile rewritten = dataFile(table.spec(), "rewritten", 98).build();
    table
        .newRewrite()
        .validateFromSnapshot(from)
        .deleteFile(data)
        .deleteFile(vector)
        .addFile(rewritten)
        .commit();
    long rewrite = current();
    delete(rewritten, 1);

    assertThat(changes(table, from, current()))
        .satisfiesExactly(
            change -> {
              DataFileAdded added = (DataFileAdded) change;
              assertThat(added.dataFile().location()).isEqualTo(rewritten.location());
              assertThat(list(added.positions().orElseThrow())).containsExactly(1L);
            },
            change -> {
              DataFileRemoved removed = (DataFileRemoved) change;
              assertThat(removed.dataFile().location()).isEqualTo(data.location());
              assertThat(removed.isRewritten()).isTrue();
              assertThat(removed.removedBy().orElseThrow().snapshotId()).isEqualTo(rewrite);
            });
  }

  @Test
  void removedDataFileIsReportedWithTheSnapshotThatRemovedIt() {
    table.newDelete().deleteFile(data).commit();
    long removal = current();
    append(table, "later");

    DataFileRemoved change = onlyChange(DataFileRemoved.class, start, current());

    assertThat(change.isRewritten()).isFalse();
    assertThat(change.removedBy())
        .hasValueSatisfying(
            snapshot -> {
              assertThat(snapshot.snapshotId()).isEqualTo(removal);
              assertThat(snapshot.operation()).isEqualTo(DataOperations.DELETE);
            });
  }

  // apache/iceberg-go#1372, apache/iceberg#17206
  @Test
  void twoVectorsOfADataFileAreAProblemAndNotRead() {
    DeleteFile one = delete(data, 1);
    long from = current();
    DeleteFile two = forgetful(data, 2);
    table.newRowDelta().addDeletes(two).validateFromSnapshot(from).commit();
    storage.forget();

    DuplicateVectors change = onlyChange(DuplicateVectors.class, from, current());

    assertThat(change.before()).hasSize(1);
    assertThat(change.after()).hasSize(2);
    assertThat(change.problem().reason()).isEqualTo(Reason.DUPLICATE_VECTOR);
    assertThat(change.problem())
        .hasMessageContaining(DeletionVectorEntry.describe(one))
        .hasMessageContaining(DeletionVectorEntry.describe(two));
    assertThat(storage.file(two.location()).requests()).isEmpty();
    long duplicated = current();
    append(table, "later");
    assertThat(changes(table, duplicated, current())).isEmpty();
  }

  @Test
  void danglingVectorsAreNoChange() {
    DataFile absent = dataFile(table.spec(), "absent", 100).build();
    DeleteFile dangling = forgetful(absent, 1);
    table.newRowDelta().addDeletes(dangling).validateFromSnapshot(current()).commit();

    assertThat(LiveDeletes.of(table).danglingVectors()).hasSize(1);
    assertThat(changes(table, start, current())).isEmpty();
  }

  @Test
  void vectorPastTheRowsOfItsDataFileIsRefused() {
    DataFile large = dataFile(table.spec(), "data", 1000).build();
    DeleteFile vector = forgetful(large, 100);
    table.newRowDelta().addDeletes(vector).validateFromSnapshot(current()).commit();

    assertThatThrownBy(() -> changes(table, start, current()))
        .isInstanceOfSatisfying(
            InvalidDeletionVectorException.class,
            e -> assertThat(e.reason()).isEqualTo(Reason.POSITION_RANGE))
        .hasMessageContaining(data.location())
        .hasMessageEndingWith(
            "its last position is 100, expected less than the data file's 100 rows");
  }

  @Test
  void damagedVectorIsRefusedByName() {
    DeleteFile vector = delete(data, 3, 5);
    byte[] bytes = bytes(vector.location());
    bytes[(int) (vector.contentOffset() + vector.contentSizeInBytes() - 1)] ^= 1;
    storage.put(vector.location(), bytes);

    assertThatThrownBy(() -> changes(table, start, current()))
        .isInstanceOfSatisfying(
            InvalidDeletionVectorException.class,
            e -> assertThat(e.reason()).isEqualTo(Reason.VECTOR_CHECKSUM))
        .hasMessageContaining(data.location());
  }

  // Altinity/ClickHouse#2119
  @Test
  void vectorOfASiblingIsRefused() {
    try (DeletionVectorWriter writer =
        DeletionVectorWriter.of(table, PreviousDeletes.none(current()))) {
      writer.delete(data, positions(1));
      writer.delete(other, positions(2));
      List<FlushedVector> vectors = writer.flush().vectors();
      DeleteFile first = vectors.get(0).entry();
      DeleteFile second = vectors.get(1).entry();
      table
          .newRowDelta()
          .addDeletes(TestEntries.with(first, "contentOffset", second.contentOffset()))
          .commit();
    }

    assertThatThrownBy(() -> changes(table, start, current()))
        .isInstanceOfSatisfying(
            InvalidDeletionVectorException.class,
            e -> assertThat(e.reason()).isEqualTo(Reason.REFERENCED_DATA_FILE))
        .hasMessageContaining(data.location())
        .hasMessageContaining(other.location());
  }

  private byte[] bytes(String location) {
    try (InputStream stream = storage.newInputFile(location).newStream()) {
      return stream.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void manyVectorsOfOnePuffinFileAreComparedOneByOne() {
    List<DataFile> files = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      files.add(append(table, "many-" + i));
    }
    long from = current();
    try (DeletionVectorWriter writer = DeletionVectorWriter.of(table, LiveDeletes.of(table))) {
      for (int i = 0; i < files.size(); i++) {
        writer.delete(files.get(i), i);
      }
      writer.flush().applyTo(table.newRowDelta()).commit();
    }

    List<DeletesChange> changes = changes(table, from, current());

    assertThat(changes).hasSize(30);
    for (int i = 0; i < files.size(); i++) {
      String location = files.get(i).location();
      long position = i;
      assertThat(changes)
          .filteredOn(change -> change.dataFile().location().equals(location))
          .singleElement()
          .satisfies(
              change ->
                  assertThat(list(((RowsDeleted) change).positions())).containsExactly(position));
    }
  }

  // Position deletes of version 2, which this module cannot read.

  private static final PartitionSpec BY_CATEGORY = TestTables.BY_CATEGORY;

  private static FileMetadata.Builder positionDeletes(String name) {
    return FileMetadata.deleteFileBuilder(BY_CATEGORY)
        .ofPositionDeletes()
        .withPath("memory://data/" + name + ".parquet")
        .withFormat(FileFormat.PARQUET)
        .withPartitionPath("category=a")
        .withFileSizeInBytes(10)
        .withRecordCount(1);
  }

  private static List<String> names(List<DeleteFile> files) {
    return files.stream().map(file -> file.location().replaceAll(".*/|\\.parquet", "")).toList();
  }

  @Test
  void changedPositionDeletesAreReportedForTheDataFilesTheyApplyTo() {
    Table v2 = TestTables.create(BY_CATEGORY, 2);
    DataFile a = append(v2, "a", "category=a");
    DataFile a2 = append(v2, "a2", "category=a");
    append(v2, "b", "category=b");
    v2.newRowDelta()
        .addDeletes(positionDeletes("ofFile").withReferencedDataFile(a.location()).build())
        .commit();
    long from = v2.currentSnapshot().snapshotId();
    v2.newRowDelta().addDeletes(positionDeletes("ofPartition").build()).commit();

    assertThat(changes(v2, from, v2.currentSnapshot().snapshotId()))
        .satisfiesExactlyInAnyOrder(
            change -> {
              PositionDeletesChanged changed = (PositionDeletesChanged) change;
              assertThat(changed.dataFile().location()).isEqualTo(a.location());
              assertThat(names(changed.before().positionDeletes())).containsExactly("ofFile");
              assertThat(names(changed.after().positionDeletes()))
                  .containsExactly("ofFile", "ofPartition");
            },
            change -> {
              PositionDeletesChanged changed = (PositionDeletesChanged) change;
              assertThat(changed.dataFile().location()).isEqualTo(a2.location());
              assertThat(changed.before().isEmpty()).isTrue();
              assertThat(names(changed.after().positionDeletes())).containsExactly("ofPartition");
            });
  }

  @Test
  void unchangedPositionDeletesAreNoChange() {
    Table v2 = TestTables.create(BY_CATEGORY, 2);
    append(v2, "a", "category=a");
    v2.newRowDelta().addDeletes(positionDeletes("deletes").build()).commit();
    long from = v2.currentSnapshot().snapshotId();
    append(v2, "younger", "category=a");
    v2.rewriteManifests().clusterBy(DataFile::location).commit();

    assertThat(changes(v2, from, v2.currentSnapshot().snapshotId())).isEmpty();
  }

  @Test
  void vectorThatTookThePlaceOfPositionDeletesIsReportedAsThat() {
    Table upgraded = TestTables.create(BY_CATEGORY, 2);
    DataFile a = append(upgraded, "a", "category=a");
    upgraded.newRowDelta().addDeletes(positionDeletes("deletes").build()).commit();
    long from = upgraded.currentSnapshot().snapshotId();
    LiveDeletesTest.upgrade(upgraded);
    DeleteFile vector = TestEntries.vector();
    upgraded
        .newRowDelta()
        .addDeletes(
            FileMetadata.deleteFileBuilder(BY_CATEGORY)
                .ofPositionDeletes()
                .withFormat(FileFormat.PUFFIN)
                .withPath(vector.location())
                .withPartitionPath("category=a")
                .withFileSizeInBytes(500)
                .withReferencedDataFile(a.location())
                .withContentOffset(4)
                .withContentSizeInBytes(44)
                .withRecordCount(2)
                .build())
        .commit();

    PositionDeletesChanged change =
        onlyChange(
            PositionDeletesChanged.class, upgraded, from, upgraded.currentSnapshot().snapshotId());

    assertThat(names(change.before().positionDeletes())).containsExactly("deletes");
    assertThat(change.after().vector()).isPresent();
    assertThat(names(change.after().shadowedPositionDeletes())).containsExactly("deletes");
  }

  @Test
  void dataFileThatCameWithPositionDeletesHasNoPositionsToShow() {
    Table v2 = TestTables.create(BY_CATEGORY, 2);
    append(v2, "first", "category=b");
    long from = v2.currentSnapshot().snapshotId();
    DataFile together =
        dataFile(BY_CATEGORY, "together", 100).withPartitionPath("category=a").build();
    v2.newRowDelta().addRows(together).addDeletes(positionDeletes("deletes").build()).commit();

    DataFileAdded change =
        onlyChange(DataFileAdded.class, v2, from, v2.currentSnapshot().snapshotId());

    assertThat(change.positions()).isEmpty();
    assertThat(names(change.deletes().positionDeletes())).containsExactly("deletes");
  }

  @Test
  void changesShadowedByAVectorAreNoChange() {
    Table upgraded = TestTables.create(PartitionSpec.unpartitioned(), 2);
    DataFile a = append(upgraded, "a");
    DeleteFile deletes =
        FileMetadata.deleteFileBuilder(PartitionSpec.unpartitioned())
            .ofPositionDeletes()
            .withPath("memory://data/deletes.parquet")
            .withFormat(FileFormat.PARQUET)
            .withFileSizeInBytes(10)
            .withRecordCount(1)
            .build();
    upgraded.newRowDelta().addDeletes(deletes).commit();
    LiveDeletesTest.upgrade(upgraded);
    upgraded
        .newRowDelta()
        .addDeletes(TestEntries.with(TestEntries.vector(), "referencedDataFile", a.location()))
        .commit();
    long from = upgraded.currentSnapshot().snapshotId();
    upgraded.newRowDelta().removeDeletes(deletes).commit();

    assertThat(LiveDeletes.of(upgraded).positionDeletes()).isEmpty();
    assertThat(changes(upgraded, from, upgraded.currentSnapshot().snapshotId())).isEmpty();
  }
}
