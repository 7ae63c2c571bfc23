package io.github.icebergext.dv.scan;

import static io.github.icebergext.testing.TestEntries.with;
import static io.github.icebergext.testing.TestScans.equalityDeletes;
import static io.github.icebergext.testing.TestScans.task;
import static io.github.icebergext.testing.TestTables.dataFile;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.icebergext.dv.InvalidDeletionVectorException;
import io.github.icebergext.puffin.Reason;
import io.github.icebergext.testing.TestEntries;
import java.util.ArrayList;
import java.util.List;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileMetadata;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.util.BinPacking;
import org.junit.jupiter.api.Test;

/** Data files are of 1,000 bytes, and each Puffin file of 1,000,000. */
class TaskWeightTest {
  private static final String PUFFIN = "memory://deletes/a.puffin";

  private final TaskWeight weight = TaskWeight.withOpenFileCost(0);
  private final DataFile a = data("a");
  private final DataFile b = data("b");

  private static DataFile data(String name) {
    return dataFile(PartitionSpec.unpartitioned(), name, 100).build();
  }

  private static DeleteFile vector(String puffin, DataFile dataFile, long offset, long size) {
    return with(
        with(
            TestEntries.vector(puffin, offset, size, 1), "referencedDataFile", dataFile.location()),
        "fileSizeInBytes",
        1_000_000L);
  }

  private static DeleteFile positionDeletes(String location) {
    return FileMetadata.deleteFileBuilder(PartitionSpec.unpartitioned())
        .ofPositionDeletes()
        .withPath(location)
        .withFormat(FileFormat.PARQUET)
        .withFileSizeInBytes(400)
        .withRecordCount(3)
        .build();
  }

  @Test
  void aVectorWeighsItsOwnBytes() {
    FileScanTask task = task(a, vector(PUFFIN, a, 4, 44));

    assertThat(weight.applyAsLong(task)).isEqualTo(1_044).isEqualTo(task.sizeBytes());
  }

  @Test
  void otherDeleteFilesWeighWholly() {
    FileScanTask task =
        task(a, positionDeletes("memory://p.parquet"), equalityDeletes("memory://e.avro"));

    assertThat(weight.applyAsLong(task)).isEqualTo(1_700).isEqualTo(task.sizeBytes());
  }

  @Test
  void positionDeletesThatAVectorReplacesWeighNothing() {
    assertThat(
            weight.applyAsLong(
                task(a, positionDeletes("memory://p.parquet"), vector(PUFFIN, a, 4, 44))))
        .isEqualTo(1_044);
  }

  @Test
  void aSplitWeighsItsBytesAndItsVector() {
    List<FileScanTask> splits = new ArrayList<>();
    task(a, vector(PUFFIN, a, 4, 44)).split(500).forEach(splits::add);

    assertThat(splits).extracting(weight::applyAsLong).containsExactly(544L, 544L);
    assertThat(weight.of(splits)).isEqualTo(1_044);
  }

  // iceberg#17334: vectors of one Puffin are told apart by offset and size
  @Test
  void vectorsOfOnePuffinWeighEachTheirBytes() {
    FileScanTask first = task(a, vector(PUFFIN, a, 4, 44));
    FileScanTask second = task(b, vector(PUFFIN, b, 48, 44));

    assertThat(weight.of(List.of(first, second))).isEqualTo(2_088);
  }

  @Test
  void aPositionDeleteFileThatDataFilesShareWeighsOnce() {
    DeleteFile shared = positionDeletes("memory://p.parquet");

    assertThat(weight.of(List.of(task(a, shared), task(b, shared)))).isEqualTo(2_400);
  }

  @Test
  void nothingWeighsNothing() {
    assertThat(TaskWeight.withOpenFileCost(5_000).of(List.of())).isZero();
  }

  @Test
  void weighsNoLessThanOpeningTheFiles() {
    TaskWeight costly = TaskWeight.withOpenFileCost(5_000);
    FileScanTask first = task(a, vector(PUFFIN, a, 4, 44));
    FileScanTask second = task(b, vector(PUFFIN, b, 48, 44));
    FileScanTask elsewhere = task(b, vector("memory://deletes/b.puffin", b, 4, 44));

    assertThat(costly.applyAsLong(task(a))).isEqualTo(5_000);
    assertThat(costly.applyAsLong(first)).isEqualTo(10_000);
    assertThat(costly.of(List.of(first, second))).as("one Puffin file").isEqualTo(15_000);
    assertThat(costly.of(List.of(first, elsewhere))).as("two Puffin files").isEqualTo(20_000);
  }

  /** Seventy vectors in one Puffin of a megabyte are some kilobytes for each task. */
  // trino#27788
  @Test
  void goesIntoIcebergsBinPacking() {
    List<FileScanTask> tasks = new ArrayList<>();
    for (int i = 0; i < 70; i++) {
      DataFile dataFile = data("data-" + i);
      tasks.add(task(dataFile, vector(PUFFIN, dataFile, 4 + 44L * i, 44)));
    }

    List<List<FileScanTask>> bins =
        new BinPacking.ListPacker<FileScanTask>(10_440, 1, false).pack(tasks, weight::applyAsLong);

    assertThat(bins).hasSize(7).allSatisfy(bin -> assertThat(bin).hasSize(10));
  }

  // sirius#1425
  @Test
  void refusesAVectorWithoutSize() {
    FileScanTask task = task(a, with(vector(PUFFIN, a, 4, 44), "contentSizeInBytes", null));

    assertThatThrownBy(() -> weight.applyAsLong(task))
        .isInstanceOfSatisfying(
            InvalidDeletionVectorException.class,
            e -> assertThat(e.reason()).isEqualTo(Reason.ENTRY_COORDINATES))
        .hasMessageContaining("content size is missing");
  }

  @Test
  void refusesANegativeCost() {
    assertThatThrownBy(() -> TaskWeight.withOpenFileCost(-1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("Invalid cost of opening a file: -1");
  }
}
