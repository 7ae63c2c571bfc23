package io.github.icebergext.dv.commit;

import static io.github.icebergext.testing.TestEntries.with;
import static io.github.icebergext.testing.TestTables.BY_CATEGORY;
import static io.github.icebergext.testing.TestTables.append;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.icebergext.dv.DeletionVectorEntry;
import io.github.icebergext.dv.InvalidDeletionVectorException;
import io.github.icebergext.dv.table.LiveDeletes;
import io.github.icebergext.dv.write.DeletionVectorWriter;
import io.github.icebergext.dv.write.FlushedVector;
import io.github.icebergext.testing.RecordingFileIO;
import io.github.icebergext.testing.TestScans;
import io.github.icebergext.testing.TestTables;
import java.util.List;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.PartitionData;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.RowDelta;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.exceptions.ValidationException;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;

class CommitValidationTest {
  private final RecordingFileIO storage = RecordingFileIO.rangeReadable();
  private final Table table = TestTables.withStorage(TestTables.create(BY_CATEGORY, 3), storage);
  private final DataFile data = append(table, "data", "category=a");

  private FlushedVector flush(DataFile dataFile, long position) {
    try (DeletionVectorWriter writer = DeletionVectorWriter.of(table, LiveDeletes.of(table))) {
      writer.delete(dataFile, position);
      return writer.flush().vectors().get(0);
    }
  }

  private DeleteFile commit(DataFile dataFile, long position) {
    FlushedVector flushed = flush(dataFile, position);
    RowDelta delta = table.newRowDelta().addDeletes(flushed.entry());
    flushed.replaced().forEach(delta::removeDeletes);
    delta.commit();
    return LiveDeletes.of(table).vector(dataFile.location()).orElseThrow();
  }

  private void validate(List<DeleteFile> adds, List<DeleteFile> removes) {
    CommitValidation.validate(table, adds, removes, table.currentSnapshot());
  }

  private AbstractThrowableAssert<?, ? extends Throwable> assertRefused(
      List<DeleteFile> adds, List<DeleteFile> removes) {
    return assertThatThrownBy(() -> validate(adds, removes))
        .isInstanceOf(ValidationException.class);
  }

  private static String describe(DeleteFile vector) {
    return DeletionVectorEntry.describe(vector);
  }

  @Test
  void aFirstVectorAndItsSuccessorAreFine() {
    assertThatCode(() -> validate(List.of(flush(data, 1).entry()), List.of()))
        .doesNotThrowAnyException();
    commit(data, 1);
    FlushedVector next = flush(data, 2);

    assertThatCode(() -> validate(List.of(next.entry()), next.replaced()))
        .doesNotThrowAnyException();
    assertThatCode(() -> validate(List.of(), List.of())).doesNotThrowAnyException();
  }

  @Test
  void equalityDeletesAreNotLookedAt() {
    assertThatCode(() -> validate(List.of(TestScans.equalityDeletes("memory://e")), List.of()))
        .doesNotThrowAnyException();
  }

  // Altinity/ClickHouse#2183
  @Test
  void positionDeletesThatAreNoVectorsAreRefused() {
    DeleteFile parquet = with(flush(data, 1).entry(), "format", FileFormat.PARQUET);

    assertRefused(List.of(parquet), List.of())
        .hasMessage(
            "Cannot add position delete file "
                + parquet.location()
                + ": a table of format version 3 takes deletion vectors only");
  }

  // apache/iceberg-go#1868
  @Test
  void twoVectorsOfOneDataFileInOneCommitAreRefused() {
    DeleteFile one = flush(data, 1).entry();
    DeleteFile two = flush(data, 2).entry();

    assertRefused(List.of(one, two), List.of())
        .hasMessage(
            "Cannot add both "
                + describe(one)
                + " and "
                + describe(two)
                + ": they are of the same data file");
  }

  // apache/iceberg-go#1372
  @Test
  void aSecondVectorWithoutTheRemovalOfTheFirstIsRefused() {
    DeleteFile first = commit(data, 1);
    DeleteFile second = flush(data, 2).entry();

    assertRefused(List.of(second), List.of())
        .hasMessage(
            "Cannot add "
                + describe(second)
                + ": "
                + describe(first)
                + " is live, and not removed with it");
  }

  @Test
  void aVectorThatDeletesFewerRowsThanTheOneItReplacesIsRefused() {
    DeleteFile first = commit(data, 1);
    DeleteFile fewer = with(flush(data, 1).entry(), "recordCount", 0L);

    assertRefused(List.of(fewer), List.of(first))
        .hasMessageEndingWith(
            "its record count is 0, less than the 1 of the vector that it replaces");
  }

  // apache/iceberg-go#1221: a vector is more than the location of its Puffin file
  @Test
  void theRemovalOfASiblingIsNoRemoval() {
    DataFile other = append(table, "other", "category=a");
    try (DeletionVectorWriter writer = DeletionVectorWriter.of(table, LiveDeletes.of(table))) {
      writer.delete(data, 1);
      writer.delete(other, 1);
      writer.flush().commit();
    }
    DeleteFile sibling = LiveDeletes.of(table).vector(other.location()).orElseThrow();

    assertRefused(List.of(flush(data, 2).entry()), List.of(sibling))
        .hasMessageEndingWith("is live, and not removed with it");
  }

  @Test
  void theRemovalOfAVectorThatIsNotLiveIsRefused() {
    DeleteFile never = flush(data, 1).entry();

    assertRefused(List.of(), List.of(never))
        .hasMessage("Cannot remove " + describe(never) + ": it is not live");
  }

  @Test
  void aVectorThatLacksACoordinateIsRefused() {
    DeleteFile vector = with(flush(data, 1).entry(), "contentOffset", null);

    assertRefused(List.of(vector), List.of())
        .hasMessageContaining(vector.location())
        .hasMessageContaining("is missing")
        .hasCauseInstanceOf(InvalidDeletionVectorException.class);
  }

  @Test
  void aVectorOfADataFileThatIsNotLiveIsRefused() {
    DeleteFile vector = flush(data, 1).entry();
    table.newDelete().deleteFile(data).commit();

    assertRefused(List.of(vector), List.of())
        .hasMessage("Cannot add " + describe(vector) + ": its data file is not live");
  }

  // apache/iceberg#16957
  @Test
  void aVectorInAnotherPartitionIsRefused() {
    PartitionData inB = new PartitionData(table.spec().partitionType());
    inB.set(0, "b");
    DeleteFile vector = with(flush(data, 1).entry(), "partition", inB);

    assertRefused(List.of(vector), List.of())
        .hasMessageEndingWith(
            "it is of spec 0 with partition PartitionData{category=b}, its data file of spec 0"
                + " with partition PartitionData{category=a}");
  }

  @Test
  void aVectorOfAnotherSpecIsRefusedAndSaidToBe() {
    DeleteFile right = flush(data, 1).entry();
    table.updateSpec().removeField("category").commit();
    DeleteFile vector =
        with(
            with(right, "specId", 1), "partition", new PartitionData(table.spec().partitionType()));

    assertRefused(List.of(vector), List.of())
        .hasMessageContaining("it is of spec 1 with partition")
        .hasMessageEndingWith("its data file of spec 0 with partition PartitionData{category=a}");
  }

  @Test
  void aSpecThatTheTableDoesNotHaveIsRefused() {
    DeleteFile vector = with(flush(data, 1).entry(), "specId", 7);

    assertRefused(List.of(vector), List.of())
        .hasMessageEndingWith("the table has no partition spec 7");
  }

  @Test
  void moreRecordsThanTheDataFileHasRowsAreRefused() {
    DeleteFile vector = with(flush(data, 1).entry(), "recordCount", 101L);

    assertRefused(List.of(vector), List.of())
        .hasMessageEndingWith("its record count is 101, its data file has 100 rows");
  }

  @Test
  void aTableWithoutVectorsIsRefused() {
    Table old = TestTables.create(PartitionSpec.unpartitioned(), 2);
    append(old, "old");
    Snapshot snapshot = old.currentSnapshot();

    assertThatThrownBy(() -> CommitValidation.validate(old, List.of(), List.of(), snapshot))
        .isInstanceOf(ValidationException.class)
        .hasMessageContaining("format version");
  }

  /** Iceberg formats messages. */
  @Test
  void percentSignsInLocationsStay() {
    DeleteFile vector = with(flush(data, 1).entry(), "referencedDataFile", "memory://a%20b%s");

    assertRefused(List.of(vector), List.of()).hasMessageContaining("memory://a%20b%s");
  }
}
