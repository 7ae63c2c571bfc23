package io.github.icebergext.dv.read;

import static io.github.icebergext.testing.TestEntries.list;
import static io.github.icebergext.testing.TestTables.append;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.icebergext.dv.DeletionVectorEntry;
import io.github.icebergext.dv.InvalidDeletionVectorException;
import io.github.icebergext.dv.table.LiveDeletes;
import io.github.icebergext.dv.write.DeletionVectorWriter;
import io.github.icebergext.puffin.Reason;
import io.github.icebergext.testing.RecordingFile.Call;
import io.github.icebergext.testing.RecordingFileIO;
import io.github.icebergext.testing.TestEntries;
import io.github.icebergext.testing.TestTables;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileMetadata;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.Table;
import org.apache.iceberg.io.CloseableIterable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TaskVectorsTest {
  private final RecordingFileIO io = RecordingFileIO.rangeReadable();
  private final Table table =
      TestTables.withStorage(TestTables.create(TestTables.BY_CATEGORY, 3), io);

  private void delete(Map<DataFile, Long> rows) {
    try (DeletionVectorWriter writer = DeletionVectorWriter.of(table, LiveDeletes.of(table))) {
      rows.forEach(writer::delete);
      writer.flush().applyTo(table.newRowDelta()).commit();
    }
    io.forget();
  }

  private List<FileScanTask> tasks() {
    try (CloseableIterable<FileScanTask> planned = table.newScan().planFiles()) {
      List<FileScanTask> tasks = new ArrayList<>();
      planned.forEach(tasks::add);
      return tasks;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static FileScanTask with(FileScanTask task, String method, Object answer) {
    return TestEntries.with(task, FileScanTask.class, method, answer);
  }

  @Test
  void returnsEveryTaskInItsOrderWithItsVectorIfItHasOne() {
    DataFile first = append(table, "first", "category=a");
    append(table, "second", "category=a");
    DataFile third = append(table, "third", "category=__HIVE_DEFAULT_PARTITION__");
    delete(Map.of(first, 1L, third, 3L));
    List<FileScanTask> tasks = tasks();

    List<TaskVector> read = new ArrayList<>();
    DeletionVectorReader.of(table).readAllTasks(tasks).forEach(read::add);

    assertThat(read).extracting(TaskVector::task).containsExactlyElementsOf(tasks);
    for (TaskVector task : read) {
      String name = task.task().file().location();
      List<Long> expected =
          name.contains("first") ? List.of(1L) : name.contains("third") ? List.of(3L) : null;
      assertThat(task.vector().map(TestEntries::list)).isEqualTo(Optional.ofNullable(expected));
    }
    assertThat(io.requests()).isOne();
  }

  // cudf-spark#15755: splits of one file read the same vector
  @Test
  void readsTheVectorOfSplitsOnce() {
    delete(Map.of(append(table, "first", "category=a"), 1L));
    FileScanTask task = tasks().get(0);

    List<List<Long>> read = new ArrayList<>();
    DeletionVectorReader.of(table)
        .readAllTasks(List.of(task, task, task))
        .forEach(split -> read.add(list(split.vector().orElseThrow())));

    assertThat(read).containsExactly(List.of(1L), List.of(1L), List.of(1L));
    assertThat(io.requests()).isOne();
  }

  @Test
  void returnsTasksWithoutVectorsWithoutARequest() {
    append(table, "first", "category=a");
    io.forget();

    assertThat(DeletionVectorReader.of(table).readAllTasks(tasks()))
        .singleElement()
        .satisfies(task -> assertThat(task.vector()).isEmpty());
    assertThat(io.count(Call.OPEN)).isZero();
  }

  @Test
  void refusesTwoVectorsOfATaskAndNamesBoth() {
    delete(Map.of(append(table, "first", "category=a"), 1L));
    FileScanTask task = tasks().get(0);
    DeleteFile vector = task.deletes().get(0);
    DeleteFile second = TestEntries.with(vector, "contentOffset", 99L);
    FileScanTask twice = with(task, "deletes", List.of(vector, second));

    assertThatThrownBy(
            () -> DeletionVectorReader.of(table).readAllTasks(List.of(twice)).forEach(t -> {}))
        .isInstanceOfSatisfying(
            InvalidDeletionVectorException.class,
            e -> assertThat(e.reason()).isEqualTo(Reason.DUPLICATE_VECTOR))
        .hasMessageContaining(task.file().location())
        .hasMessageContaining(DeletionVectorEntry.describe(vector))
        .hasMessageContaining(DeletionVectorEntry.describe(second));
  }

  @Test
  void checksTheVectorAgainstTheTasksDataFile() {
    DataFile first = append(table, "first", "category=a");
    append(table, "second", "category=b");
    delete(Map.of(first, 1L));
    List<FileScanTask> tasks = tasks();
    FileScanTask ofFirst =
        tasks.stream().filter(t -> !t.deletes().isEmpty()).findFirst().orElseThrow();
    FileScanTask ofSecond =
        tasks.stream().filter(t -> t.deletes().isEmpty()).findFirst().orElseThrow();
    List<FileScanTask> failed = new ArrayList<>();
    FileScanTask wrong = with(ofSecond, "deletes", ofFirst.deletes());

    assertThat(
            DeletionVectorReader.of(table)
                .readAllTasks(
                    List.of(wrong, ofFirst),
                    (task, failure) -> {
                      failed.add(task);
                      assertThat(failure)
                          .isInstanceOfSatisfying(
                              InvalidDeletionVectorException.class,
                              e -> assertThat(e.reason()).isEqualTo(Reason.REFERENCED_DATA_FILE));
                    }))
        .extracting(TaskVector::task)
        .containsExactly(ofFirst);
    assertThat(failed).hasSize(1);
  }

  @Test
  void checksThePartitionByTheTasksSpec() {
    delete(Map.of(append(table, "first", "category=a"), 1L));
    FileScanTask task = tasks().get(0);
    DataFile moved =
        TestEntries.with(
            task.file(),
            DataFile.class,
            "partition",
            TestTables.dataFile(table.spec(), "x", 1)
                .withPartitionPath("category=b")
                .build()
                .partition());

    assertThatThrownBy(
            () ->
                DeletionVectorReader.builder(table.io())
                    .build()
                    .readAllTasks(List.of(with(task, "file", moved)))
                    .forEach(t -> {}))
        .isInstanceOfSatisfying(
            InvalidDeletionVectorException.class,
            e -> assertThat(e.reason()).isEqualTo(Reason.PARTITION));
  }

  // sirius#1425, ClickHouse#117488: a vector without a coordinate is not the absence of one
  @ParameterizedTest
  @ValueSource(strings = {"contentOffset", "contentSizeInBytes", "referencedDataFile"})
  void aTaskWhoseVectorLacksACoordinateIsAFailure(String coordinate) {
    delete(Map.of(append(table, "first", "category=a"), 1L));
    FileScanTask task = tasks().get(0);
    DeleteFile incomplete = TestEntries.with(task.deletes().get(0), coordinate, null);

    assertThatThrownBy(
            () ->
                DeletionVectorReader.of(table)
                    .readAllTasks(List.of(with(task, "deletes", List.of(incomplete))))
                    .forEach(t -> {}))
        .isInstanceOfSatisfying(
            InvalidDeletionVectorException.class,
            e -> assertThat(e.reason()).isEqualTo(Reason.ENTRY_COORDINATES));
    assertThat(io.count(Call.OPEN)).isZero();
  }

  // iceberg-go#855: such a file has no offset, and its data file makes it no vector
  @Test
  void aPositionDeleteFileThatNamesItsDataFileIsNoVector() {
    append(table, "first", "category=a");
    FileScanTask task = tasks().get(0);
    DeleteFile positionDeletes =
        FileMetadata.deleteFileBuilder(table.spec())
            .ofPositionDeletes()
            .withFormat(FileFormat.PARQUET)
            .withPath("memory://deletes.parquet")
            .withPartition(task.file().partition())
            .withReferencedDataFile(task.file().location())
            .withFileSizeInBytes(100)
            .withRecordCount(1)
            .build();

    assertThat(
            DeletionVectorReader.of(table)
                .readAllTasks(List.of(with(task, "deletes", List.of(positionDeletes)))))
        .singleElement()
        .satisfies(read -> assertThat(read.vector()).isEmpty());
  }
}
