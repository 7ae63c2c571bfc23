package io.github.icebergext.integration;

import static org.apache.iceberg.puffin.PuffinCompressionCodec.ZSTD;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.dv.read.DeletionVectorReader;
import io.github.icebergext.dv.scan.LiveRowCount;
import io.github.icebergext.dv.scan.ScanDeletes;
import io.github.icebergext.dv.scan.TaskDeletes;
import io.github.icebergext.dv.scan.TaskWeight;
import io.github.icebergext.dv.table.DeletesBetween;
import io.github.icebergext.dv.table.DeletesChange;
import io.github.icebergext.dv.table.LiveDeletes;
import io.github.icebergext.dv.write.CommittedVectors;
import io.github.icebergext.dv.write.DeletionVectorWriter;
import io.github.icebergext.dv.write.PartialDeletes;
import io.github.icebergext.dv.write.PreviousDeletes;
import io.github.icebergext.puffin.PuffinFile;
import io.github.icebergext.puffin.PuffinFileReader;
import io.github.icebergext.puffin.PuffinFileWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SerializableTable;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.inmemory.InMemoryCatalog;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.puffin.Blob;
import org.apache.iceberg.puffin.BlobMetadata;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.util.BinPacking;
import org.apache.iceberg.util.Pair;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The recipes of the README, as they stand there, on a table in memory. */
class RecipesTest {
  private final InMemoryCatalog catalog = new InMemoryCatalog();
  private Table table;
  private DataFile dataFile;

  @BeforeEach
  void createTable() {
    catalog.initialize("recipes", Map.of());
    catalog.createNamespace(Namespace.of("db"));
    table =
        catalog.createTable(
            TableIdentifier.of("db", "table"),
            new Schema(Types.NestedField.required(1, "id", Types.LongType.get())),
            PartitionSpec.unpartitioned(),
            Map.of("format-version", "3"));
    dataFile = dataFile("rows");
    table.newAppend().appendFile(dataFile).commit();
  }

  private DataFile dataFile(String name) {
    return DataFiles.builder(table.spec())
        .withPath(table.location() + "/data/" + name + ".parquet")
        .withFileSizeInBytes(1000)
        .withRecordCount(100)
        .build();
  }

  @AfterEach
  void closeCatalog() throws Exception {
    catalog.close();
  }

  @Test
  void writesAndReadsAPuffinFile() throws Exception {
    String location = table.location() + "/metadata/statistics.puffin";
    OutputFile outputFile = table.io().newOutputFile(location);
    ByteBuffer sketch = ByteBuffer.wrap(new byte[] {1, 2, 3});
    long snapshotId = table.currentSnapshot().snapshotId();
    long sequenceNumber = table.currentSnapshot().sequenceNumber();

    try (PuffinFileWriter writer =
        PuffinFileWriter.write(outputFile, table.io()).createdBy("my service 1.0").build()) {
      writer.write(
          new Blob(
              "apache-datasketches-theta-v1",
              List.of(1),
              snapshotId,
              sequenceNumber,
              sketch,
              ZSTD,
              Map.of("ndv", "42")));
      PuffinFile file = writer.finish();
      table.updateStatistics().setStatistics(file.statisticsFile(snapshotId)).commit();
    }

    List<ByteBuffer> read = new ArrayList<>();
    try (PuffinFileReader reader =
        PuffinFileReader.read(table.io().newInputFile(location)).build()) {
      for (Pair<BlobMetadata, ByteBuffer> blob : reader.readAll(reader.footer().blobs())) {
        read.add(blob.second());
      }
    }
    assertThat(read).containsExactly(sketch);
    assertThat(table.statisticsFiles()).singleElement().extracting("path").isEqualTo(location);
  }

  @Test
  void deletesRowsAndReadsTheirVector() {
    long position = 42;
    try (DeletionVectorWriter writer = DeletionVectorWriter.of(table, LiveDeletes.of(table))) {
      writer.delete(dataFile, position);
      writer.flush().applyTo(table.newRowDelta()).commit();
    }

    DeleteFile deleteFile = LiveDeletes.of(table).vector(dataFile.location()).orElseThrow();
    DeletedPositions deleted = DeletionVectorReader.of(table).read(deleteFile);
    assertThat(deleted.isDeleted(position)).isTrue();

    long[] live = new long[2];
    deleted.keepMask(0, 100, live);
    assertThat(Long.bitCount(live[0]) + Long.bitCount(live[1])).isEqualTo(99);
  }

  private record RowToDelete(DataFile dataFile, long position) {}

  @Test
  void deletesRowsBatchByBatch() {
    List<List<RowToDelete>> service =
        List.of(List.of(new RowToDelete(dataFile, 3)), List.of(new RowToDelete(dataFile, 1)));
    List<Long> cardinalities = new ArrayList<>();

    try (DeletionVectorWriter writer = DeletionVectorWriter.of(table, LiveDeletes.of(table))) {
      for (List<RowToDelete> batch : service) {
        batch.forEach(row -> writer.delete(row.dataFile(), row.position()));
        CommittedVectors committed = writer.flush().commit();
        cardinalities.add(committed.vectors().get(0).entry().recordCount());
      }
    }

    assertThat(cardinalities).containsExactly(1L, 2L);
    assertThat(LiveDeletes.of(table).vectors()).hasSize(1);
  }

  @Test
  void tasksOfOneJobMakeOneCommit() {
    DataFile other = dataFile("other");
    table.newAppend().appendFile(other).commit();
    long snapshotId = table.currentSnapshot().snapshotId();
    List<List<RowToDelete>> tasks =
        List.of(
            List.of(new RowToDelete(dataFile, 1), new RowToDelete(other, 2)),
            List.of(new RowToDelete(dataFile, 3)));
    List<byte[]> received = new ArrayList<>();

    for (List<RowToDelete> rows : tasks) {
      // What engines send to the machines of a job.
      Table sent = SerializableTable.copyOf(table);
      try (DeletionVectorWriter task =
          DeletionVectorWriter.of(sent, PreviousDeletes.none(snapshotId))) {
        rows.forEach(row -> task.delete(row.dataFile(), row.position()));
        received.add(task.takePartial().toBytes());
      }
    }
    CommittedVectors committed;
    try (DeletionVectorWriter writer =
        DeletionVectorWriter.of(table, LiveDeletes.of(table, table.snapshot(snapshotId)))) {
      for (byte[] partial : received) {
        writer.delete(PartialDeletes.fromBytes(partial));
      }
      committed = writer.flush().commit();
    }

    assertThat(committed.vectors())
        .extracting(flushed -> flushed.entry().recordCount())
        .containsExactlyInAnyOrder(2L, 1L);
  }

  @Test
  void rowsDeletedBetweenTwoSnapshotsAreSeen() throws IOException {
    long fromSnapshotId = table.currentSnapshot().snapshotId();
    try (DeletionVectorWriter writer = DeletionVectorWriter.of(table, LiveDeletes.of(table))) {
      writer.delete(dataFile, 42);
      writer.flush().applyTo(table.newRowDelta()).commit();
    }
    long toSnapshotId = table.currentSnapshot().snapshotId();
    List<Long> seen = new ArrayList<>();

    try (CloseableIterable<DeletesChange> changes =
        DeletesBetween.of(table, fromSnapshotId, toSnapshotId).changes()) {
      for (DeletesChange change : changes) {
        if (change instanceof DeletesChange.RowsDeleted rows) {
          rows.positions().forEach(seen::add);
        }
      }
    }

    assertThat(seen).containsExactly(42L);
  }

  private record RowGroup(long first, int rows) {
    long end() {
      return first + rows;
    }
  }

  private static List<RowGroup> rowGroups(FileScanTask task) {
    assertThat(task.file().recordCount()).isEqualTo(100);
    return List.of(new RowGroup(0, 40), new RowGroup(40, 60));
  }

  @Test
  void readsInAScanPlanner() throws Exception {
    DataFile gone = dataFile("gone");
    DataFile untouched = dataFile("untouched");
    table.newAppend().appendFile(gone).appendFile(untouched).commit();
    try (DeletionVectorWriter writer = DeletionVectorWriter.of(table, LiveDeletes.of(table))) {
      writer.delete(dataFile, DeletedPositions.builder().addRange(0, 40).add(99).build());
      writer.delete(gone, DeletedPositions.builder().addRange(0, 100).build());
      writer.flush().applyTo(table.newRowDelta()).commit();
    }
    long openFileCost = 4 << 20;
    BinPacking.ListPacker<FileScanTask> packer =
        new BinPacking.ListPacker<>(4 * openFileCost, 10, false);
    long[] mask = new long[2];
    List<String> scanned = new ArrayList<>();

    TaskWeight weight = TaskWeight.withOpenFileCost(openFileCost);
    List<FileScanTask> tasks = new ArrayList<>();
    try (CloseableIterable<FileScanTask> planned = table.newScan().planFiles()) {
      planned.forEach(tasks::add);
    }
    LiveRowCount rows = LiveRowCount.of(tasks);
    tasks.removeIf(LiveRowCount::isFullyDeleted);
    for (List<FileScanTask> group : packer.pack(tasks, weight::applyAsLong)) {
      try (CloseableIterable<TaskDeletes> read = ScanDeletes.of(table).read(group)) {
        for (TaskDeletes deletes : read) {
          for (RowGroup rowGroup : rowGroups(deletes.task())) {
            if (!deletes.isFullyDeleted(rowGroup.first(), rowGroup.end())) {
              deletes.positions().keepMask(rowGroup.first(), rowGroup.rows(), mask);
              scanned.add(
                  deletes.task().file().location() + " " + rowGroup + " " + Long.bitCount(mask[0]));
            }
          }
        }
      }
    }

    assertThat(rows).isEqualTo(new LiveRowCount(59 + 100, true));
    assertThat(scanned)
        .containsExactlyInAnyOrder(
            dataFile.location() + " RowGroup[first=40, rows=60] 59",
            untouched.location() + " RowGroup[first=0, rows=40] 40",
            untouched.location() + " RowGroup[first=40, rows=60] 60");
  }
}
