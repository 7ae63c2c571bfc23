package io.github.icebergext.dv.write;

import static io.github.icebergext.testing.TestEntries.positions;
import static io.github.icebergext.testing.TestTables.append;
import static io.github.icebergext.testing.TestTables.unpartitioned;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.dv.read.DeletionVectorReader;
import io.github.icebergext.dv.table.LiveDeletes;
import io.github.icebergext.testing.FaultyFileIO;
import io.github.icebergext.testing.FaultyFileIO.Call;
import io.github.icebergext.testing.RecordingFile;
import io.github.icebergext.testing.RecordingFileIO;
import io.github.icebergext.testing.TestTables;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.Table;
import org.junit.jupiter.api.Test;

class ClusteredDeletionVectorWriterTest {
  private final FaultyFileIO storage = new FaultyFileIO();
  private final Table table = unpartitioned(storage);
  private final DataFile a = append(table, "a");
  private final DataFile b = append(table, "b");
  private final DataFile c = append(table, "c");
  private final List<FlushResult> results = new ArrayList<>();

  private DeletionVectorWriter.Builder builder() {
    return DeletionVectorWriter.builder(table, LiveDeletes.of(table));
  }

  private ClusteredDeletionVectorWriter writer(int vectorsPerFile) {
    return writer(vectorsPerFile, results::add);
  }

  private ClusteredDeletionVectorWriter writer(int vectorsPerFile, Consumer<FlushResult> consumer) {
    return builder().withVectorsPerFile(vectorsPerFile).buildClustered(consumer);
  }

  private List<List<String>> dataFilesHandedOver() {
    return results.stream()
        .map(result -> result.vectors().stream().map(FlushedVector::referencedDataFile).toList())
        .toList();
  }

  private DeletedPositions live(DataFile dataFile) {
    DeleteFile vector = LiveDeletes.of(table).vector(dataFile.location()).orElseThrow();
    return DeletionVectorReader.of(table).read(vector);
  }

  @Test
  void handsOverEachPuffinWhenItIsComplete() {
    try (ClusteredDeletionVectorWriter writer = writer(2)) {
      writer.delete(a, 1);
      writer.delete(b, 2);
      writer.delete(c, 3);
      assertThat(results).as("b is not written before c is").isEmpty();

      writer.finish();
    }

    assertThat(dataFilesHandedOver())
        .containsExactly(List.of(a.location(), b.location()), List.of(c.location()));
    FlushResult.merge(results).commit();
    assertThat(live(a)).isEqualTo(positions(1));
    assertThat(live(b)).isEqualTo(positions(2));
    assertThat(live(c)).isEqualTo(positions(3));
    assertThat(storage.locations()).hasSize(2);
  }

  @Test
  void previousVectorsAreContainedAndReplaced() {
    for (int round = 0; round < 3; round++) {
      results.clear();
      try (ClusteredDeletionVectorWriter writer = writer(10)) {
        writer.delete(a, round);
        writer.delete(b, round + 10);
        writer.finish();
      }
      FlushResult.merge(results).commit();
    }

    assertThat(live(a)).isEqualTo(positions(0, 1, 2));
    assertThat(live(b)).isEqualTo(positions(10, 11, 12));
    assertThat(LiveDeletes.of(table).vectors()).hasSize(2);
  }

  @Test
  void rowsOfADataFileMayComeInManyCalls() {
    try (ClusteredDeletionVectorWriter writer = writer(10)) {
      writer.delete(a, 1);
      writer.delete(DeleteTarget.of(a), 2);
      writer.delete(a, 5, 7);
      writer.delete(a, new long[] {9, 3});
      writer.finish();
    }

    assertThat(results.get(0).vectors().get(0).newPositions())
        .isEqualTo(positions(1, 2, 3, 5, 6, 9));
  }

  @Test
  void aDataFileThatComesTwiceIsRefusedAndTheCurrentOneGoesOn() {
    try (ClusteredDeletionVectorWriter writer = writer(10)) {
      writer.delete(a, 1);
      writer.delete(b, 2);

      assertThatThrownBy(() -> writer.delete(a, 3))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage(
              "Cannot delete more rows of memory://data/a.parquet: its vector is written; the rows"
                  + " of a data file have to come together");

      writer.delete(b, 4);
      writer.finish();
    }
    assertThat(results.get(0).vectors())
        .extracting(FlushedVector::newPositions)
        .containsExactly(positions(1), positions(2, 4));
  }

  /** The vector of the second data file is the first of the second Puffin file. */
  @Test
  void aDataFileThatComesTwiceAroundTheEndOfAPuffinIsRefused() {
    try (ClusteredDeletionVectorWriter writer = writer(2)) {
      writer.delete(a, 1);
      writer.delete(b, 1);
      writer.delete(c, 1);
      DataFile d = append(table, "d");
      writer.delete(d, 1);
      assertThat(results).hasSize(1);

      assertThatThrownBy(() -> writer.delete(c, 2)).isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void aDataFileThatComesTwiceInDifferentPuffinsIsRefusedAtTheMerge() {
    try (ClusteredDeletionVectorWriter writer = writer(1)) {
      writer.delete(a, 1);
      writer.delete(b, 1);
      writer.delete(c, 1);
      writer.delete(a, 2);
      writer.finish();
    }

    assertThatThrownBy(() -> FlushResult.merge(results))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("two have a deletion vector")
        .hasMessageContaining(a.location());
  }

  @Test
  void aRefusedPositionIsNoFirstUse() {
    try (ClusteredDeletionVectorWriter writer = writer(10)) {
      assertThatThrownBy(() -> writer.delete(a, 100)).isInstanceOf(IllegalArgumentException.class);
      writer.delete(b, 1);
      writer.delete(a, 1);
      writer.finish();
    }

    assertThat(dataFilesHandedOver()).containsExactly(List.of(b.location(), a.location()));
  }

  @Test
  void aConsumerThatThrowsEndsTheWriterAndKeepsItsPuffin() {
    IllegalStateException full = new IllegalStateException("the queue is full");
    try (ClusteredDeletionVectorWriter writer =
        writer(
            1,
            result -> {
              throw full;
            })) {
      writer.delete(a, 1);
      writer.delete(b, 1);
      assertThatThrownBy(() -> writer.delete(c, 1)).isSameAs(full);

      assertThatThrownBy(() -> writer.delete(c, 1))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("Cannot delete rows: an earlier call failed")
          .hasCause(full);
      assertThatThrownBy(writer::finish)
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("Cannot finish: an earlier call failed")
          .hasCause(full);
    }
    assertThat(storage.locations()).as("what the consumer was given").hasSize(1);
  }

  /** An error must not lose the rows of one data file and let the others pass. */
  @Test
  void anErrorEndsTheWriterToo() {
    PreviousDeletes previous =
        PreviousDeletes.ofLoaded(
            table.currentSnapshot().snapshotId(),
            location -> {
              throw new LinkageError("no such class");
            });
    try (ClusteredDeletionVectorWriter writer =
        DeletionVectorWriter.builder(table, previous).buildClustered(results::add)) {
      writer.delete(a, 1);
      assertThatThrownBy(() -> writer.delete(b, 1)).isInstanceOf(LinkageError.class);

      assertThatThrownBy(writer::finish)
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("Cannot finish: an earlier call failed");
    }
    assertThat(results).isEmpty();
  }

  @Test
  void aFailedWriteRemovesThePuffinUnderWayOnly() {
    storage.failAt(Call.CLOSE, 2, new IOException("disk full"));
    try (ClusteredDeletionVectorWriter writer = writer(1)) {
      writer.delete(a, 1);
      writer.delete(b, 2);
      writer.delete(c, 3);

      assertThatThrownBy(writer::finish)
          .isInstanceOf(UncheckedIOException.class)
          .hasRootCauseMessage("disk full");
    }
    assertThat(results).hasSize(1);
    assertThat(storage.locations())
        .containsExactly(results.get(0).vectors().get(0).entry().location());
  }

  @Test
  void closingWithoutFinishingLeavesWhatWasHandedOver() {
    try (ClusteredDeletionVectorWriter writer = writer(1)) {
      writer.delete(a, 1);
      writer.delete(b, 2);
      writer.delete(c, 3);
    }

    assertThat(dataFilesHandedOver()).containsExactly(List.of(a.location()));
    assertThat(storage.locations()).hasSize(1);
  }

  @Test
  void finishesOnce() {
    try (ClusteredDeletionVectorWriter writer = writer(1)) {
      writer.delete(a, 1);
      writer.finish();

      assertThatThrownBy(writer::finish)
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("Cannot finish: the writer is finished or closed");
      assertThatThrownBy(() -> writer.delete(a, 2))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("Cannot delete rows: the writer is finished or closed");
    }
    assertThat(results).hasSize(1);
  }

  @Test
  void withoutDeletesNothingIsHandedOver() {
    try (ClusteredDeletionVectorWriter writer = writer(1)) {
      writer.finish();
    }

    assertThat(results).isEmpty();
    assertThat(storage.count(Call.CREATE)).isZero();
  }

  /** Loads are counted in the place of memory: each happens when its data file is done. */
  @Test
  void aDataFileIsDoneWhenTheNextOneBegins() {
    List<String> loaded = new ArrayList<>();
    PreviousDeletes previous =
        PreviousDeletes.ofLoaded(
            table.currentSnapshot().snapshotId(),
            location -> {
              loaded.add(location);
              return null;
            });
    try (ClusteredDeletionVectorWriter writer =
        DeletionVectorWriter.builder(table, previous).buildClustered(results::add)) {
      writer.delete(a, 1);
      assertThat(loaded).isEmpty();
      writer.delete(b, 1);
      assertThat(loaded).containsExactly(a.location());
      writer.delete(c, 1);
      assertThat(loaded).containsExactly(a.location(), b.location());
    }
  }

  @Test
  void allResultsAreOneCommitAlsoBesideOthers() {
    try (ClusteredDeletionVectorWriter writer = writer(1)) {
      writer.delete(a, 1);
      writer.delete(b, 2);
      writer.delete(c, 3);
      writer.finish();
    }
    try (DeletionVectorWriter other = builder().build()) {
      other.delete(b, 20);
      other.flush().commit();
    }

    CommittedVectors committed = FlushResult.merge(results).commit();

    assertThat(committed.vectors()).hasSize(3);
    assertThat(live(b)).isEqualTo(positions(2, 20));
    assertThat(LiveDeletes.of(table).puffinLocations())
        .as("no Puffin file of the first attempt is left, beside the one that was replaced")
        .hasSize(3);
    assertThat(storage.locations()).hasSize(4);
  }

  /** One request a previous vector, of which only the first is for the footer as well. */
  @Test
  void theFooterOfPreviousVectorsIsReadOnce() {
    RecordingFileIO recorded = RecordingFileIO.rangeReadable();
    Table counted = TestTables.withStorage(table, recorded);
    try (DeletionVectorWriter writer = DeletionVectorWriter.of(counted, LiveDeletes.of(counted))) {
      writer.delete(a, 1);
      writer.delete(b, 1);
      writer.delete(c, 1);
      writer.flush().commit();
    }
    String first = recorded.locations().get(0);
    long vectorLength = LiveDeletes.of(counted).vectors().get(0).contentSizeInBytes();
    recorded.forget();
    try (ClusteredDeletionVectorWriter writer =
        DeletionVectorWriter.builder(counted, LiveDeletes.of(counted))
            .buildClustered(results::add)) {
      writer.delete(a, 2);
      writer.delete(b, 2);
      writer.delete(c, 2);
      writer.finish();
    }

    RecordingFile before = recorded.file(first);
    assertThat(before.requests()).hasSize(3);
    assertThat(before.requests().stream().skip(1))
        .allSatisfy(request -> assertThat(request.length()).isEqualTo(vectorLength));
  }
}
