package io.github.icebergext.dv.write;

import static io.github.icebergext.testing.TestEntries.list;
import static io.github.icebergext.testing.TestEntries.positions;
import static io.github.icebergext.testing.TestTables.append;
import static io.github.icebergext.testing.TestTables.unpartitioned;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.icebergext.dv.read.DeletionVectorReader;
import io.github.icebergext.dv.table.LiveDeletes;
import io.github.icebergext.testing.RecordingFileIO;
import io.github.icebergext.testing.TestEntries;
import java.util.List;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.Table;
import org.junit.jupiter.api.Test;

/** What a writer takes for the deletes there are, from one flush to the next. */
class WriterRoundsTest {
  private final RecordingFileIO storage = RecordingFileIO.rangeReadable();
  private final Table table = unpartitioned(storage);
  private final DataFile data = append(table, "data");
  private final DataFile other = append(table, "other");

  private DeletionVectorWriter writer() {
    return DeletionVectorWriter.of(table, LiveDeletes.of(table));
  }

  private long commit(FlushResult result) {
    result.applyTo(table.newRowDelta()).commit();
    table.refresh();
    return table.currentSnapshot().snapshotId();
  }

  private void commitByAnother(DataFile dataFile, long position) {
    try (DeletionVectorWriter writer = writer()) {
      writer.delete(dataFile, position);
      commit(writer.flush());
    }
  }

  private List<Long> live(DataFile dataFile) {
    DeleteFile vector = LiveDeletes.of(table).vector(dataFile.location()).orElseThrow();
    return list(DeletionVectorReader.of(table).read(vector));
  }

  @Test
  void whatWasCommittedIsThePreviousDeletesOfTheNextRound() {
    try (DeletionVectorWriter writer = writer()) {
      for (long position = 0; position < 3; position++) {
        writer.delete(data, position);
        FlushResult result = writer.flush();
        result.committed(commit(result));
      }
    }

    assertThat(live(data)).containsExactly(0L, 1L, 2L);
    assertThat(LiveDeletes.of(table).vectors()).hasSize(1);
  }

  @Test
  void theNextRoundKnowsWhatOthersCommittedInBetween() {
    try (DeletionVectorWriter writer = writer()) {
      writer.delete(data, 1);
      FlushResult result = writer.flush();
      commitByAnother(other, 7);
      result.committed(commit(result));

      writer.delete(other, 8);
      commit(writer.flush());
    }

    assertThat(live(other)).containsExactly(7L, 8L);
  }

  // Two writers may share a commit, so that neither knows all that it added.
  @Test
  void theNextRoundKnowsWhatWasCommittedTogetherWithTheLast() {
    try (DeletionVectorWriter first = writer();
        DeletionVectorWriter second = writer()) {
      first.delete(data, 1);
      second.delete(other, 2);
      FlushResult ofFirst = first.flush();
      FlushResult ofSecond = second.flush();
      ofSecond.applyTo(ofFirst.applyTo(table.newRowDelta())).commit();
      table.refresh();
      ofFirst.committed(table.currentSnapshot().snapshotId());

      first.delete(other, 3);
      commit(first.flush());
    }

    assertThat(live(other)).containsExactly(2L, 3L);
    assertThat(LiveDeletes.of(table).duplicateVectors()).isEmpty();
  }

  @Test
  void theNextRoundKnowsWhatWasRemovedTogetherWithTheLast() {
    commitByAnother(other, 7);
    DeleteFile undone = LiveDeletes.of(table).vector(other.location()).orElseThrow();
    try (DeletionVectorWriter writer = writer()) {
      writer.delete(data, 1);
      FlushResult result = writer.flush();
      result.applyTo(table.newRowDelta()).removeDeletes(undone).commit();
      table.refresh();
      result.committed(table.currentSnapshot().snapshotId());

      writer.delete(other, 8);
      commit(writer.flush());
    }

    assertThat(live(other)).containsExactly(8L);
  }

  @Test
  void aSnapshotWithoutTheVectorsIsNotTheirs() {
    try (DeletionVectorWriter writer = writer()) {
      writer.delete(data, 1);
      FlushResult result = writer.flush();
      long before = table.currentSnapshot().snapshotId();

      assertThatThrownBy(() -> result.committed(before))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("Snapshot " + before + " did not add the deletion vector in ");
      assertThatThrownBy(() -> result.committed(1))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("Cannot find snapshot 1 of table memory.db.table");

      result.committed(commit(result));
    }
  }

  @Test
  void refusesToFlushWhileAResultIsOpen() {
    try (DeletionVectorWriter writer = writer()) {
      writer.delete(data, 1);
      FlushResult open = writer.flush();
      writer.delete(data, 2);

      assertThatThrownBy(writer::flush)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageStartingWith("Cannot flush: the result of the last flush, 1 deletion vectors")
          .hasMessageEndingWith(
              "is neither committed nor discarded, nor is what it was merged into");

      open.committed(commit(open));
      commit(writer.flush());
    }

    assertThat(live(data)).containsExactly(1L, 2L);
  }

  @Test
  void anEmptyResultNeedsNotBeSettled() {
    try (DeletionVectorWriter writer = writer()) {
      assertThat(writer.flush().isEmpty()).isTrue();
      assertThat(writer.flush().isEmpty()).isTrue();
    }
  }

  @Test
  void discardingDeletesThePuffinsAndTakesThePositionsBack() {
    try (DeletionVectorWriter writer = writer()) {
      writer.delete(other, 5);
      writer.delete(data, 1);
      FlushResult discarded = writer.flush();
      writer.delete(data, 2);

      discarded.discard();
      assertThat(storage.locations()).isEmpty();
      FlushResult again = writer.flush();

      assertThat(again.vectors())
          .extracting(FlushedVector::referencedDataFile)
          .containsExactly(other.location(), data.location());
      commit(again);
    }

    assertThat(live(data)).containsExactly(1L, 2L);
    assertThat(live(other)).containsExactly(5L);
  }

  /** Otherwise they could not be united when the result is discarded. */
  @Test
  void whatIsDeletedWhileAResultIsOpenMayNotContradictIt() {
    DeleteTarget byLocation = DeleteTarget.of(data.location(), table.spec(), null);
    try (DeletionVectorWriter writer = writer()) {
      writer.delete(byLocation, 99);
      writer.delete(other, 7);
      FlushResult result = writer.flush();
      DataFile longer = TestEntries.with(other, DataFile.class, "recordCount", 101L);

      assertThatThrownBy(() -> writer.delete(longer, 100))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("it was given with 100 rows in")
          .hasMessageContaining("now with 101 rows in");
      writer.delete(data, 1);
      writer.delete(other, 8);
      result.discard();

      assertThat(writer.flush().vectors())
          .extracting(FlushedVector::newPositions)
          .containsExactly(positions(1, 99), positions(7, 8));
    }
  }

  @Test
  void aRecordCountLearnedWhileAResultIsOpenHoldsForItsPositionsToo() {
    DeleteTarget byLocation = DeleteTarget.of(data.location(), table.spec(), null);
    try (DeletionVectorWriter writer = writer()) {
      writer.delete(byLocation, 100);
      FlushResult result = writer.flush();

      assertThatThrownBy(() -> writer.delete(data, 1))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage(
              "Cannot delete row at position 100 of memory://data/data.parquet: expected 0 to 99");
      result.discard();

      assertThat(writer.flush().vectors())
          .extracting(FlushedVector::newPositions)
          .containsExactly(positions(100));
    }
  }

  /** One that removes vectors beside its own, or position deletes. */
  @Test
  void aSettledResultCannotBeUsedAgain() {
    try (DeletionVectorWriter writer = writer()) {
      writer.delete(data, 1);
      FlushResult result = writer.flush();
      result.discard();

      assertThatThrownBy(result::discard)
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("Cannot discard a result that is discarded");
      assertThatThrownBy(() -> result.applyTo(table.newRowDelta()))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("Cannot apply a result that is discarded");
      assertThatThrownBy(() -> result.committed(1)).isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(result::commit).isInstanceOf(IllegalStateException.class);
    }
  }

  @Test
  void mergedResultsAreOneCommit() {
    try (DeletionVectorWriter first = writer();
        DeletionVectorWriter second = writer()) {
      first.delete(data, 1);
      second.delete(other, 2);
      FlushResult part = first.flush();
      FlushResult merged = FlushResult.merge(List.of(part, second.flush()));

      assertThatThrownBy(part::discard)
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("Cannot discard a result that is merged");
      merged.committed(commit(merged));
      first.delete(data, 3);
      first.flush().commit();
    }

    assertThat(live(data)).containsExactly(1L, 3L);
    assertThat(live(other)).containsExactly(2L);
  }

  @Test
  void aDiscardedMergeGoesBackToItsWriters() {
    try (DeletionVectorWriter first = writer();
        DeletionVectorWriter second = writer()) {
      first.delete(data, 1);
      second.delete(other, 2);

      FlushResult.merge(List.of(first.flush(), second.flush())).discard();
      assertThat(storage.locations()).isEmpty();

      assertThat(first.flush().vectors())
          .extracting(FlushedVector::referencedDataFile)
          .containsExactly(data.location());
    }
  }

  @Test
  void resultsOfTheSameDataFileCannotBeMerged() {
    try (DeletionVectorWriter first = writer();
        DeletionVectorWriter second = writer()) {
      first.delete(data, 1);
      second.delete(data, 2);
      List<FlushResult> both = List.of(first.flush(), second.flush());

      assertThatThrownBy(() -> FlushResult.merge(both))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("Cannot merge results: two have a deletion vector in ");
      both.forEach(FlushResult::discard);
    }
    assertThat(storage.locations()).isEmpty();
  }

  @Test
  void tellsWhichPositionsAreNew() {
    commitByAnother(data, 4);
    try (DeletionVectorWriter writer = writer()) {
      writer.delete(data, positions(4, 5));
      FlushedVector flushed = writer.flush().vectors().get(0);

      assertThat(list(flushed.newPositions())).containsExactly(5L);
      assertThat(flushed.entry().recordCount()).isEqualTo(2);
    }
  }

  @Test
  void writesNoVectorWhereNothingIsNewIfAskedTo() {
    commitByAnother(data, 4);
    int before = storage.locations().size();
    try (DeletionVectorWriter writer =
        DeletionVectorWriter.builder(table, LiveDeletes.of(table))
            .withUnchangedVectors(UnchangedVectorPolicy.SKIP)
            .build()) {
      writer.delete(data, 4);

      assertThat(writer.flush().isEmpty()).isTrue();
    }
    assertThat(storage.locations()).hasSize(before);
  }
}
