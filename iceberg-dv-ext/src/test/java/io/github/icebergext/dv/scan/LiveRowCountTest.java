package io.github.icebergext.dv.scan;

import static io.github.icebergext.testing.TestEntries.with;
import static io.github.icebergext.testing.TestScans.equalityDeletes;
import static io.github.icebergext.testing.TestScans.plan;
import static io.github.icebergext.testing.TestScans.task;
import static io.github.icebergext.testing.TestTables.append;
import static io.github.icebergext.testing.TestTables.dataFile;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.icebergext.dv.InvalidDeletionVectorException;
import io.github.icebergext.puffin.Reason;
import io.github.icebergext.testing.TestEntries;
import io.github.icebergext.testing.TestScans;
import io.github.icebergext.testing.TestTables;
import java.util.List;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileMetadata;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Table;
import org.apache.iceberg.expressions.Expression;
import org.apache.iceberg.expressions.Expressions;
import org.junit.jupiter.api.Test;

class LiveRowCountTest {
  private final DataFile hundred = hundred("hundred");

  private static DataFile hundred(String name) {
    return dataFile(PartitionSpec.unpartitioned(), name, 100).build();
  }

  private static DeleteFile vector(DataFile dataFile, long recordCount) {
    return with(
        TestEntries.vector(TestEntries.PUFFIN, 4, 60, recordCount),
        "referencedDataFile",
        dataFile.location());
  }

  private static DeleteFile positionDeletes(long recordCount) {
    return FileMetadata.deleteFileBuilder(PartitionSpec.unpartitioned())
        .ofPositionDeletes()
        .withPath("memory://deletes/positions.parquet")
        .withFormat(FileFormat.PARQUET)
        .withFileSizeInBytes(400)
        .withRecordCount(recordCount)
        .build();
  }

  private static LiveRowCount exactly(long rows) {
    return new LiveRowCount(rows, true);
  }

  private static LiveRowCount atMost(long rows) {
    return new LiveRowCount(rows, false);
  }

  private LiveRowCount count(DeleteFile... deleteFiles) {
    return LiveRowCount.of(hundred, List.of(deleteFiles));
  }

  @Test
  void isExactWithVectorsOnly() {
    assertThat(count()).isEqualTo(exactly(100));
    assertThat(count(vector(hundred, 30))).isEqualTo(exactly(70));
    assertThat(count(vector(hundred, 0))).isEqualTo(exactly(100));
  }

  @Test
  void equalityDeletesMakeItAnUpperBound() {
    DeleteFile equality = equalityDeletes("memory://deletes/equality.avro");

    assertThat(count(equality)).isEqualTo(atMost(100));
    assertThat(count(equality, vector(hundred, 30))).isEqualTo(atMost(70));
  }

  /**
   * A file of 60 records may delete 60 rows of this data file, or none, or one that stands in it 60
   * times.
   */
  @Test
  void positionDeletesAreNotSubtracted() {
    assertThat(count(positionDeletes(60))).isEqualTo(atMost(100));
    assertThat(count(positionDeletes(60), positionDeletes(60))).isEqualTo(atMost(100));
  }

  @Test
  void aVectorReplacesPositionDeletes() {
    assertThat(count(positionDeletes(60), vector(hundred, 30))).isEqualTo(exactly(70));
  }

  @Test
  void noRowsAreExactWhateverElseDeletes() {
    assertThat(count(vector(hundred, 100), equalityDeletes("memory://e.avro")))
        .isEqualTo(exactly(0));
  }

  // Altinity/ClickHouse#2119
  @Test
  void refusesAVectorOfMoreRowsThanThereAre() {
    assertThatThrownBy(() -> count(vector(hundred, 101)))
        .isInstanceOfSatisfying(
            InvalidDeletionVectorException.class,
            e -> assertThat(e.reason()).isEqualTo(Reason.POSITION_RANGE))
        .hasMessageContaining(hundred.location())
        .hasMessageEndingWith("its record count is 101, expected at most the data file's 100 rows");
  }

  @Test
  void refusesAVectorOfAnotherDataFile() {
    assertThatThrownBy(() -> count(vector(hundred("other"), 1)))
        .isInstanceOfSatisfying(
            InvalidDeletionVectorException.class,
            e -> assertThat(e.reason()).isEqualTo(Reason.REFERENCED_DATA_FILE))
        .hasMessageEndingWith("it is not of data file " + hundred.location());
  }

  @Test
  void aScanOfNothingHasNoRows() {
    assertThat(LiveRowCount.of(List.of())).isEqualTo(exactly(0));
  }

  @Test
  void aScanAddsUpItsDataFiles() {
    DataFile other = hundred("other");
    FileScanTask exact = task(hundred, vector(hundred, 30));

    assertThat(LiveRowCount.of(List.of(exact, task(other)))).isEqualTo(exactly(170));
    assertThat(LiveRowCount.of(List.of(exact, task(other, positionDeletes(1)))))
        .isEqualTo(atMost(170));
  }

  @Test
  void theSplitsOfADataFileCountAsOne() {
    FileScanTask whole = task(hundred, vector(hundred, 30));
    List<FileScanTask> splits =
        StreamSupport.stream(whole.split(hundred.fileSizeInBytes() / 3).spliterator(), false)
            .toList();

    assertThat(splits).hasSize(4);
    assertThat(LiveRowCount.of(splits)).isEqualTo(exactly(70));
    assertThat(LiveRowCount.of(Stream.concat(splits.stream(), splits.stream()).toList()))
        .as("a data file that was added to the table twice")
        .isEqualTo(exactly(140));
  }

  /** Iceberg plans a data file that stands in two manifests twice, and reads it twice. */
  @Test
  void aDataFileThatStandsInTheTableTwiceCountsTwice() {
    Table table = TestTables.unpartitioned();
    append(table, "hundred");
    append(table, "hundred");

    assertThat(LiveRowCount.of(plan(table))).isEqualTo(exactly(200));
  }

  @Test
  void aFilterThatPlanningLeavesMakesItAnUpperBound() {
    Table table = TestTables.create(TestTables.BY_CATEGORY, 3);
    append(table, "a", "category=a");
    append(table, "b", "category=b");

    assertThat(rows(table, Expressions.equal("category", "a"))).isEqualTo(exactly(100));
    assertThat(rows(table, Expressions.equal("id", 5))).isEqualTo(atMost(200));
  }

  private static LiveRowCount rows(Table table, Expression filter) {
    return LiveRowCount.of(TestScans.list(table.newScan().filter(filter).planFiles()));
  }

  @Test
  void listsEachFullyDeletedDataFileOnce() {
    DataFile gone = hundred("gone");
    DataFile empty = dataFile(PartitionSpec.unpartitioned(), "empty", 0).build();
    FileScanTask goneTask = task(gone, vector(gone, 100), equalityDeletes("memory://e.avro"));

    assertThat(
            LiveRowCount.fullyDeleted(
                List.of(
                    task(hundred, vector(hundred, 99)),
                    goneTask,
                    goneTask.split(400).iterator().next(),
                    task(empty),
                    task(hundred("positions"), positionDeletes(100)))))
        .containsExactly(gone);
  }

  @Test
  void tellsWhetherATaskCanBeDropped() {
    assertThat(LiveRowCount.isFullyDeleted(task(hundred, vector(hundred, 100)))).isTrue();
    assertThat(LiveRowCount.isFullyDeleted(task(hundred, vector(hundred, 99)))).isFalse();
  }

  @Test
  void isNeverNegative() {
    assertThatThrownBy(() -> new LiveRowCount(-1, true))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("Invalid number of live rows: -1");
  }
}
