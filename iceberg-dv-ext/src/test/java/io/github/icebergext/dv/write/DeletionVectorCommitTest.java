package io.github.icebergext.dv.write;

import static io.github.icebergext.testing.TestEntries.list;
import static io.github.icebergext.testing.TestEntries.positions;
import static io.github.icebergext.testing.TestTables.append;
import static io.github.icebergext.testing.TestTables.dataFile;
import static io.github.icebergext.testing.TestTables.unpartitioned;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.icebergext.dv.InvalidDeletionVectorException;
import io.github.icebergext.dv.commit.RewrittenFilePolicy;
import io.github.icebergext.dv.read.DeletionVectorReader;
import io.github.icebergext.dv.table.LiveDeletes;
import io.github.icebergext.dv.table.LiveDeletesTest;
import io.github.icebergext.puffin.Reason;
import io.github.icebergext.testing.RecordingFileIO;
import io.github.icebergext.testing.TestTables;
import java.util.List;
import java.util.OptionalLong;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileMetadata;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.RewriteFiles;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.exceptions.ValidationException;
import org.junit.jupiter.api.Test;

class DeletionVectorCommitTest {
  private final RecordingFileIO storage = RecordingFileIO.rangeReadable();
  private final Table table = unpartitioned(storage);
  private final DataFile data = append(table, "data");
  private final DataFile other = append(table, "other");

  private DeletionVectorWriter writer() {
    return DeletionVectorWriter.of(table, LiveDeletes.of(table));
  }

  private void commitByAnother(DataFile dataFile, long... positions) {
    try (DeletionVectorWriter writer = writer()) {
      writer.delete(dataFile, positions);
      writer.flush().applyTo(table.newRowDelta()).commit();
    }
    table.refresh();
  }

  private List<Long> live(DataFile dataFile) {
    DeleteFile vector = LiveDeletes.of(table).vector(dataFile.location()).orElseThrow();
    return list(DeletionVectorReader.of(table).read(vector));
  }

  /** Returns the locations of the Puffin files that are in use. */
  private List<String> used() {
    return LiveDeletes.of(table).puffinLocations().stream().sorted().toList();
  }

  @Test
  void commitsAtOnceWhereNobodyElseDid() {
    try (DeletionVectorWriter writer = writer()) {
      writer.delete(data, 1);
      FlushResult result = writer.flush();
      CommittedVectors committed = result.commit();

      assertThat(committed.snapshotId()).hasValue(table.currentSnapshot().snapshotId());
      assertThat(committed.vectors()).isEqualTo(result.vectors());
      assertThat(committed.dropped()).isEmpty();
    }
    assertThat(live(data)).containsExactly(1L);
  }

  @Test
  void deletesOfOthersAreUnited() {
    commitByAnother(data, 1);
    try (DeletionVectorWriter writer = writer()) {
      writer.delete(other, 9);
      writer.delete(data, new long[] {2, 3});
      FlushResult result = writer.flush();
      commitByAnother(data, 3, 4);

      CommittedVectors committed = result.commit();

      assertThat(committed.vectors())
          .extracting(FlushedVector::referencedDataFile)
          .containsExactly(other.location(), data.location());
      assertThat(list(committed.vectors().get(1).newPositions())).containsExactly(2L);
    }
    assertThat(live(data)).containsExactly(1L, 2L, 3L, 4L);
    assertThat(live(other)).containsExactly(9L);
    assertThat(LiveDeletes.of(table).duplicateVectors()).isEmpty();
  }

  @Test
  void aWriterGoesOnAfterItsCommit() {
    try (DeletionVectorWriter writer = writer()) {
      for (long position = 0; position < 4; position++) {
        writer.delete(data, position);
        FlushResult result = writer.flush();
        commitByAnother(data, 50 + position);
        result.commit();
      }
    }
    assertThat(live(data)).containsExactly(0L, 1L, 2L, 3L, 50L, 51L, 52L, 53L);
  }

  @Test
  void onlyPuffinsInUseAreLeft() {
    try (DeletionVectorWriter writer = writer()) {
      writer.delete(data, 1);
      FlushResult result = writer.flush();
      String first = result.vectors().get(0).entry().location();
      commitByAnother(data, 2);
      result.commit();

      assertThat(storage.locations()).doesNotContain(first).containsAll(used());
    }
  }

  // A compaction of vectors makes every prepared RowDelta fail once.
  @Test
  void aCompactionOfVectorsIsNoConflict() {
    commitByAnother(data, 1);
    try (DeletionVectorWriter writer = writer()) {
      writer.delete(data, 2);
      FlushResult result = writer.flush();
      compactVector();

      result.commit();
    }
    assertThat(live(data)).containsExactly(1L, 2L);
  }

  private void compactVector() {
    DeleteFile old = LiveDeletes.of(table).vector(data.location()).orElseThrow();
    try (DeletionVectorWriter writer = writer()) {
      writer.delete(data, positions(1));
      DeleteFile compacted = writer.flush().vectors().get(0).entry();
      table.newRewrite().deleteFile(old).addFile(compacted, old.dataSequenceNumber()).commit();
    }
    table.refresh();
    assertThat(table.currentSnapshot().operation()).isEqualTo("replace");
  }

  @Test
  void aRewrittenDataFileIsAConflict() {
    try (DeletionVectorWriter writer = writer()) {
      writer.delete(data, 1);
      writer.delete(other, 2);
      FlushResult result = writer.flush();
      rewrite(data);
      Snapshot rewrite = table.currentSnapshot();

      assertThatThrownBy(result::commit)
          .isInstanceOf(ValidationException.class)
          .hasMessage(
              "Cannot commit deletes of data file "
                  + data.location()
                  + ": snapshot "
                  + rewrite.snapshotId()
                  + " (replace) removed it");
      assertThat(storage.locations()).isEmpty();
      assertThat(table.currentSnapshot().snapshotId()).isEqualTo(rewrite.snapshotId());

      // Nothing is lost: the writer has the positions, and the caller decides.
      CommittedVectors committed =
          writer.flush().newCommit().withRewrittenFiles(RewrittenFilePolicy.DROP).commit();
      assertThat(committed.dropped())
          .singleElement()
          .satisfies(
              dropped -> {
                assertThat(dropped.dataFile()).isEqualTo(data.location());
                assertThat(list(dropped.positions())).containsExactly(1L);
                assertThat(dropped.cause()).endsWith("(replace) removed it");
              });
    }
    assertThat(live(other)).containsExactly(2L);
    assertThat(LiveDeletes.of(table).danglingVectors()).isEmpty();
  }

  private void rewrite(DataFile dataFile) {
    DataFile rewritten = dataFile(table.spec(), "rewritten", 100).build();
    RewriteFiles rewrite = table.newRewrite();
    rewrite.deleteFile(dataFile).addFile(rewritten).commit();
    table.refresh();
  }

  // apache/iceberg#17754: the row may live on in another data file
  @Test
  void anOverwriteThatDeletedRowsOfTheDataFileIsAConflict() {
    try (DeletionVectorWriter writer = writer();
        DeletionVectorWriter merge = writer()) {
      writer.delete(data, 1);
      FlushResult result = writer.flush();
      merge.delete(data, 2);
      merge
          .flush()
          .applyTo(table.newRowDelta().addRows(dataFile(table.spec(), "updated", 1).build()))
          .commit();
      table.refresh();
      assertThat(table.currentSnapshot().operation()).isEqualTo("overwrite");

      assertThatThrownBy(result::commit)
          .isInstanceOf(ValidationException.class)
          .hasMessageContaining("(overwrite) deleted rows of it that may live on");
    }
    assertThat(live(data)).containsExactly(2L);
  }

  @Test
  void anOverwriteOfOtherDataFilesIsNone() {
    try (DeletionVectorWriter writer = writer();
        DeletionVectorWriter merge = writer()) {
      writer.delete(data, 1);
      FlushResult result = writer.flush();
      merge.delete(other, 2);
      merge
          .flush()
          .applyTo(table.newRowDelta().addRows(dataFile(table.spec(), "updated", 1).build()))
          .commit();

      result.commit();
    }
    assertThat(live(data)).containsExactly(1L);
    assertThat(live(other)).containsExactly(2L);
  }

  @Test
  void allDroppedIsNoCommit() {
    try (DeletionVectorWriter writer = writer()) {
      writer.delete(data, 1);
      FlushResult result = writer.flush();
      rewrite(data);
      long before = table.currentSnapshot().snapshotId();

      CommittedVectors committed =
          result.newCommit().withRewrittenFiles(RewrittenFilePolicy.DROP).commit();

      assertThat(committed.snapshotId()).isEmpty();
      assertThat(committed.vectors()).isEmpty();
      assertThat(committed.dropped()).hasSize(1);
      table.refresh();
      assertThat(table.currentSnapshot().snapshotId()).isEqualTo(before);
    }
    assertThat(storage.locations()).isEmpty();
  }

  @Test
  void anExpiredSnapshotIsPlannedAnew() {
    commitByAnother(data, 1);
    try (DeletionVectorWriter writer = writer()) {
      writer.delete(data, 2);
      FlushResult result = writer.flush();
      commitByAnother(data, 3);
      table.expireSnapshots().expireSnapshotId(result.snapshotId().getAsLong()).commit();
      table.refresh();

      result.commit();
    }
    assertThat(live(data)).containsExactly(1L, 2L, 3L);
  }

  // The old deletes are known from the vector that was written upon them.
  @Test
  void rowsThatCameBackAreAnError() {
    commitByAnother(data, 1, 2);
    DeleteFile old = LiveDeletes.of(table).vector(data.location()).orElseThrow();
    try (DeletionVectorWriter writer = writer();
        DeletionVectorWriter forgetful =
            DeletionVectorWriter.of(
                table, PreviousDeletes.none(table.currentSnapshot().snapshotId()))) {
      writer.delete(data, 3);
      FlushResult result = writer.flush();
      forgetful.delete(data, 4);
      forgetful.flush().applyTo(table.newRowDelta()).removeDeletes(old).commit();

      assertThatThrownBy(result::commit)
          .isInstanceOfSatisfying(
              InvalidDeletionVectorException.class,
              e -> assertThat(e.reason()).isEqualTo(Reason.SHRUNK_VECTOR))
          .hasMessageContaining("2 rows that were deleted before are live now");
      result.discard();
    }
  }

  @Test
  void aWrongWordOfNoDeletesIsPutRight() {
    commitByAnother(data, 1);
    try (DeletionVectorWriter writer =
        DeletionVectorWriter.of(
            table, PreviousDeletes.none(table.currentSnapshot().snapshotId()))) {
      writer.delete(data, 2);
      writer.flush().commit();
    }
    assertThat(live(data)).containsExactly(1L, 2L);
  }

  @Test
  void commitsToABranch() {
    table.manageSnapshots().createBranch("audit", table.currentSnapshot().snapshotId()).commit();
    commitByAnother(data, 1);
    try (DeletionVectorWriter writer =
        DeletionVectorWriter.of(table, LiveDeletes.of(table, table.snapshot("audit")))) {
      writer.delete(data, 2);
      CommittedVectors committed =
          writer.flush().newCommit().toBranch("audit").set("by", "test").commit();

      Snapshot audit = table.snapshot("audit");
      assertThat(committed.snapshotId()).hasValue(audit.snapshotId());
      assertThat(audit.summary()).containsEntry("by", "test");
      DeleteFile vector = LiveDeletes.of(table, audit).vector(data.location()).orElseThrow();
      assertThat(list(DeletionVectorReader.of(table).read(vector))).containsExactly(2L);
    }
    assertThat(live(data)).containsExactly(1L);
  }

  @Test
  void aBranchThatDoesNotExistIsNoTableWithoutSnapshots() {
    try (DeletionVectorWriter writer = writer()) {
      writer.delete(data, 1);
      FlushResult result = writer.flush();

      assertThatThrownBy(() -> result.newCommit().toBranch("adit").commit())
          .isInstanceOf(IllegalStateException.class)
          .hasMessage(
              "Cannot commit deletes to table memory.db.table: its branch adit does not exist or"
                  + " has no snapshot");
      result.commit();
    }
    assertThat(live(data)).containsExactly(1L);
  }

  @Test
  void versionFourIsRefusedByName() {
    try (DeletionVectorWriter writer = writer()) {
      writer.delete(data, 1);
      FlushResult result = writer.flush();

      // Iceberg knows version 4 since 1.10.
      assertThatThrownBy(
              () -> {
                table.updateProperties().set(TableProperties.FORMAT_VERSION, "4").commit();
                result.commit();
              })
          .isInstanceOf(RuntimeException.class)
          .hasMessageMatching(
              "(?s).*(format version is 4, expected 3|[Uu]nsupported format version: v4).*");
      result.discard();
    }
    assertThat(storage.locations()).isEmpty();
  }

  @Test
  void positionsPastTheRowsAreAConflictWhereOnlyTheLocationWasKnown() {
    try (DeletionVectorWriter writer = writer()) {
      writer.delete(DeleteTarget.of(data.location(), table.spec(), null), 100);
      FlushResult result = writer.flush();

      assertThatThrownBy(result::commit)
          .isInstanceOf(ValidationException.class)
          .hasMessageEndingWith("position 100 is to be deleted, but it has 100 rows");
    }
    assertThat(storage.locations()).isEmpty();
  }

  @Test
  void anotherDataFileAtTheSameLocationIsAConflict() {
    try (DeletionVectorWriter writer = writer()) {
      writer.delete(data, 1);
      FlushResult result = writer.flush();
      table.newDelete().deleteFile(data).commit();
      append(table, "data");

      assertThatThrownBy(result::commit)
          .isInstanceOf(ValidationException.class)
          .hasMessageEndingWith("(delete) removed it");
    }
    assertThat(LiveDeletes.of(table).vectors()).isEmpty();
  }

  @Test
  void aDataFileThatCameAfterThePreviousDeletesIsNone() {
    try (DeletionVectorWriter writer = writer()) {
      DataFile later = append(table, "later");
      table.newDelete().deleteFile(other).commit();
      writer.delete(later, 1);
      writer.flush().commit();

      assertThat(live(later)).containsExactly(1L);
    }
  }

  @Test
  void aSnapshotThatWasRolledBackIsNoReasonToFail() {
    long before = table.currentSnapshot().snapshotId();
    commitByAnother(other, 5);
    try (DeletionVectorWriter writer = writer()) {
      writer.delete(data, 1);
      FlushResult result = writer.flush();
      table.manageSnapshots().rollbackTo(before).commit();

      result.commit();
    }
    assertThat(live(data)).containsExactly(1L);
    assertThat(LiveDeletes.of(table).vector(other.location())).isEmpty();
  }

  @Test
  void aRolledBackDeleteIsRowsThatCameBack() {
    long before = table.currentSnapshot().snapshotId();
    commitByAnother(data, 5);
    try (DeletionVectorWriter writer = writer()) {
      writer.delete(data, 1);
      FlushResult result = writer.flush();
      table.manageSnapshots().rollbackTo(before).commit();

      assertThatThrownBy(result::commit)
          .isInstanceOfSatisfying(
              InvalidDeletionVectorException.class,
              e -> assertThat(e.reason()).isEqualTo(Reason.SHRUNK_VECTOR));
      result.discard();
    }
  }

  // A branch has sequence numbers of the whole table: those of the main one say nothing here.
  @Test
  void anOverwriteOfTheBranchCountsThoughThePreviousDeletesAreYounger() {
    table.manageSnapshots().createBranch("audit", table.currentSnapshot().snapshotId()).commit();
    try (DeletionVectorWriter merge = writer()) {
      merge.delete(data, 2);
      merge
          .flush()
          .applyTo(table.newRowDelta().addRows(dataFile(table.spec(), "updated", 1).build()))
          .toBranch("audit")
          .commit();
    }
    append(table, "later");
    try (DeletionVectorWriter writer = writer()) {
      writer.delete(data, 1);
      FlushResult result = writer.flush();

      assertThatThrownBy(() -> result.newCommit().toBranch("audit").commit())
          .isInstanceOf(ValidationException.class)
          .hasMessageContaining("(overwrite) deleted rows of it that may live on");
    }
  }

  @Test
  void deletesInSnapshotsThatHaveExpiredMayHaveBeenAnOverwrite() {
    try (DeletionVectorWriter writer = writer()) {
      writer.delete(data, 1);
      writer.delete(other, 1);
      FlushResult result = writer.flush();
      commitByAnother(data, 3);
      long between = table.currentSnapshot().snapshotId();
      append(table, "later");
      table.expireSnapshots().expireSnapshotId(between).commit();

      CommittedVectors committed =
          result.newCommit().withRewrittenFiles(RewrittenFilePolicy.DROP).commit();

      assertThat(committed.dropped())
          .singleElement()
          .satisfies(
              dropped -> {
                assertThat(dropped.dataFile()).isEqualTo(data.location());
                assertThat(dropped.cause()).contains("in snapshots that have expired");
              });
    }
    assertThat(live(data)).containsExactly(3L);
    assertThat(live(other)).containsExactly(1L);
  }

  @Test
  void nothingIsCommittedWhereOthersDeletedTheSameRowsIfAskedTo() {
    try (DeletionVectorWriter writer =
        DeletionVectorWriter.builder(table, LiveDeletes.of(table))
            .withUnchangedVectors(UnchangedVectorPolicy.SKIP)
            .build()) {
      writer.delete(data, 1);
      FlushResult result = writer.flush();
      commitByAnother(data, 1);
      long before = table.currentSnapshot().snapshotId();

      CommittedVectors committed = result.commit();

      assertThat(committed)
          .isEqualTo(new CommittedVectors(OptionalLong.empty(), List.of(), List.of()));
      assertThat(table.currentSnapshot().snapshotId()).isEqualTo(before);
      assertThat(storage.locations()).isEqualTo(used());
      writer.delete(data, 2);
      writer.flush().commit();
    }
    assertThat(live(data)).containsExactly(1L, 2L);
  }

  @Test
  void mergedResultsAreUnitedWithDeletesOfOthers() {
    try (DeletionVectorWriter first = writer();
        DeletionVectorWriter second = writer()) {
      first.delete(data, 1);
      second.delete(other, 2);
      FlushResult merged = FlushResult.merge(List.of(first.flush(), second.flush()));
      commitByAnother(other, 7);

      merged.commit();
      second.delete(data, 3);
      second.flush().commit();
    }
    assertThat(live(data)).containsExactly(1L, 3L);
    assertThat(live(other)).containsExactly(2L, 7L);
  }

  private static final class Upgraded {
    final Table table = TestTables.create(PartitionSpec.unpartitioned(), 2);
    final DataFile data = append(table, "data");
    final LiveDeletes before = LiveDeletes.of(table);
    final String late = "memory://data/late-deletes.parquet";

    Upgraded() {
      DeleteFile positionDeletes =
          FileMetadata.deleteFileBuilder(table.spec())
              .ofPositionDeletes()
              .withPath(late)
              .withFormat(FileFormat.PARQUET)
              .withFileSizeInBytes(1000)
              .withReferencedDataFile(data.location())
              .withRecordCount(1)
              .build();
      table.newRowDelta().addDeletes(positionDeletes).commit();
      LiveDeletesTest.upgrade(table);
    }
  }

  // Iceberg validates concurrent vectors, but no position deletes that came before the upgrade.
  @Test
  void positionDeletesThatCameBeforeAnUpgradeAreNotHidden() {
    Upgraded upgraded = new Upgraded();
    try (DeletionVectorWriter writer = DeletionVectorWriter.of(upgraded.table, upgraded.before)) {
      writer.delete(upgraded.data, 1);
      FlushResult result = writer.flush();

      assertThatThrownBy(() -> result.applyTo(upgraded.table.newRowDelta()))
          .isInstanceOf(ValidationException.class)
          .hasMessage(
              "Cannot commit deletes of data file "
                  + upgraded.data.location()
                  + ": its vector would hide position delete file "
                  + upgraded.late
                  + ", which was added after the previous deletes were read");
      // Here they are read, to be united.
      assertThatThrownBy(result::commit).hasMessageContaining(upgraded.late);
    }
  }
}
