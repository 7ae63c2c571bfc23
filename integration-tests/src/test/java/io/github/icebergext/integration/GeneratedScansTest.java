package io.github.icebergext.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.dv.scan.LiveRowCount;
import io.github.icebergext.dv.scan.ScanDeletes;
import io.github.icebergext.dv.scan.TaskDeletes;
import io.github.icebergext.dv.table.LiveDeletes;
import io.github.icebergext.dv.write.DeletionVectorWriter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.apache.iceberg.AppendFiles;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.PartitionData;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.RowDelta;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.StructLike;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.avro.Avro;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.data.BaseDeleteLoader;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.deletes.BaseDVFileWriter;
import org.apache.iceberg.deletes.DVFileWriter;
import org.apache.iceberg.deletes.EqualityDeleteWriter;
import org.apache.iceberg.deletes.PositionDelete;
import org.apache.iceberg.deletes.PositionDeleteIndex;
import org.apache.iceberg.deletes.PositionDeleteWriter;
import org.apache.iceberg.inmemory.InMemoryCatalog;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.DataWriter;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFileFactory;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tables made here have the same rows through our vectors as through Iceberg's readers. */
class GeneratedScansTest {
  private static final Schema SCHEMA =
      new Schema(
          Types.NestedField.required(1, "id", Types.LongType.get()),
          Types.NestedField.optional(2, "category", Types.StringType.get()));

  private final InMemoryCatalog catalog = new InMemoryCatalog();
  private final NavigableSet<Long> liveIds = new TreeSet<>();
  private Table table;
  private int files;

  @BeforeEach
  void createTable() {
    catalog.initialize("scans", Map.of());
    catalog.createNamespace(Namespace.of("db"));
    table =
        catalog.createTable(
            TableIdentifier.of("db", "table"),
            SCHEMA,
            PartitionSpec.builderFor(SCHEMA).identity("category").build(),
            Map.of(TableProperties.FORMAT_VERSION, "2"));
  }

  @AfterEach
  void closeCatalog() throws Exception {
    catalog.close();
  }

  /** Rows are not read here: the data files stand in metadata only. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 10_000})
  void vectorsAreThoseThatIcebergLoads(int vectors) throws IOException {
    upgrade();
    AppendFiles append = table.newAppend();
    List<DataFile> dataFiles = new ArrayList<>();
    for (int i = 0; i < Math.max(vectors, 10); i++) {
      dataFiles.add(metadataOnly("data-" + i));
      append.appendFile(dataFiles.get(i));
    }
    append.commit();
    try (DeletionVectorWriter writer = DeletionVectorWriter.of(table, LiveDeletes.of(table))) {
      for (int i = 0; i < vectors; i++) {
        writer.delete(dataFiles.get(i), DeletedPositions.of(i % 100, (i * 7L) % 100, 99));
      }
      writer.flush().applyTo(table.newRowDelta()).commit();
    }

    assertThat(compareWithIcebergsLoader()).isEqualTo(vectors);
  }

  /** Returns how many data files have deletes. */
  private int compareWithIcebergsLoader() throws IOException {
    // A file in memory is copied whenever it is opened.
    Map<String, InputFile> opened = new HashMap<>();
    BaseDeleteLoader icebergs =
        new BaseDeleteLoader(
            file -> opened.computeIfAbsent(file.location(), table.io()::newInputFile));
    int withDeletes = 0;
    long live = 0;
    try (CloseableIterable<FileScanTask> planned = table.newScan().planFiles();
        CloseableIterable<TaskDeletes> tasks = ScanDeletes.of(table).read(planned)) {
      for (TaskDeletes task : tasks) {
        FileScanTask scanned = task.task();
        PositionDeleteIndex expected =
            icebergs.loadPositionDeletes(scanned.deletes(), scanned.file().location());
        assertThat(task.positions()).isEqualTo(DeletedPositions.copyOf(expected));
        withDeletes += task.positions().isEmpty() ? 0 : 1;
        live += scanned.file().recordCount() - task.positions().cardinality();
      }
    }
    try (CloseableIterable<FileScanTask> tasks = table.newScan().planFiles()) {
      assertThat(LiveRowCount.of(tasks)).isEqualTo(new LiveRowCount(live, true));
    }
    return withDeletes;
  }

  private DataFile metadataOnly(String name) {
    return DataFiles.builder(table.spec())
        .withPath(table.location() + "/data/" + name + ".parquet")
        .withPartitionPath("category=a")
        .withFileSizeInBytes(1000)
        .withRecordCount(100)
        .build();
  }

  /** Version 2 with all kinds of deletes, version 3, and an evolved spec: at every snapshot. */
  @Test
  void mixedDeletesOfBothVersionsAndSpecs() throws IOException {
    DataFile a1 = append("a", 0, 100);
    DataFile a2 = append("a", 100, 200);
    DataFile b1 = append("b", 200, 300);
    DataFile none = append(null, 300, 400);
    commit(positionDeletes("a", List.of(row(a1, 0, 7), row(a2, 100, 107), row(a1, 0, 7))));
    commit(positionDeletes("a", List.of(row(a1, 0, 8))));
    commit(equalityDeletes("b", 205, 206));
    checkCurrent();

    upgrade();
    checkCurrent();

    deleteByIcebergsVector(a1, row(a1, 0, 50));
    checkCurrent();

    deleteByVector(Map.of(b1, List.of(row(b1, 200, 210)), none, List.of(row(none, 300, 333))));
    table.updateSpec().removeField("category").addField("id").commit();
    DataFile single = append(null, 500, 501);
    deleteByVector(Map.of(single, List.of(row(single, 500, 500))));
    deleteByVector(Map.of(b1, List.of(row(b1, 200, 299)), none, List.of(row(none, 300, 300))));
    checkCurrent();
    for (Snapshot snapshot : table.snapshots()) {
      ScanEqualityTest.compare(table, snapshot.snapshotId());
    }
    assertThat(liveIds).hasSize(400 - 3 - 2 - 1 - 4);

    assertThat(LiveDeletes.of(table).vectors()).hasSize(4);
    assertThat(LiveDeletes.of(table).positionDeletes()).hasSize(2);
    assertThat(LiveDeletes.of(table).equalityDeletes()).hasSize(1);
    try (CloseableIterable<FileScanTask> tasks = table.newScan().planFiles()) {
      assertThat(LiveRowCount.fullyDeleted(tasks))
          .extracting(DataFile::location)
          .containsExactly(single.location());
    }
  }

  /** Compares the current snapshot with Iceberg, and with the IDs that are left by arithmetic. */
  private void checkCurrent() throws IOException {
    ScanEqualityTest.compare(table, table.currentSnapshot().snapshotId());
    ScanRows current = new ScanRows(table, table.currentSnapshot().snapshotId());
    assertThat(
            current.byPosition(ScanDeletes.of(table)).keySet().stream()
                .map(values -> (Long) values.get(0)))
        .containsExactlyInAnyOrderElementsOf(liveIds);
  }

  private void upgrade() {
    table.updateProperties().set(TableProperties.FORMAT_VERSION, "3").commit();
  }

  private DataFile append(String category, long firstId, long endId) throws IOException {
    StructLike partition = partition(category, firstId);
    DataWriter<Record> writer =
        Avro.writeData(table.io().newOutputFile(location()))
            .schema(SCHEMA)
            .createWriterFunc(org.apache.iceberg.data.avro.DataWriter::create)
            .withSpec(table.spec())
            .withPartition(partition)
            .build();
    try (writer) {
      LongStream.range(firstId, endId).forEach(id -> writer.write(record(id, category)));
    }
    LongStream.range(firstId, endId).forEach(liveIds::add);
    DataFile dataFile = writer.toDataFile();
    table.newAppend().appendFile(dataFile).commit();
    return dataFile;
  }

  private StructLike partition(String category, long id) {
    PartitionData partition = new PartitionData(table.spec().partitionType());
    for (int i = 0; i < table.spec().fields().size(); i++) {
      boolean byId = table.spec().fields().get(i).sourceId() == 1;
      if (!table.spec().fields().get(i).transform().isVoid()) {
        partition.set(i, byId ? (Object) id : category);
      }
    }
    return partition;
  }

  private static Record record(long id, String category) {
    Record row = GenericRecord.create(SCHEMA);
    row.setField("id", id);
    row.setField("category", category);
    return row;
  }

  private DeleteFile positionDeletes(String category, List<DeletedRow> rows) throws IOException {
    PositionDeleteWriter<Object> writer =
        Avro.writeDeletes(table.io().newOutputFile(location()))
            .withSpec(table.spec())
            .withPartition(partition(category, 0))
            .buildPositionWriter();
    try (writer) {
      PositionDelete<Object> delete = PositionDelete.create();
      rows.forEach(row -> writer.write(delete.set(row.dataFile().location(), row.position())));
    }
    rows.forEach(row -> liveIds.remove(row.id()));
    return writer.toDeleteFile();
  }

  private DeleteFile equalityDeletes(String category, long... ids) throws IOException {
    EqualityDeleteWriter<Record> writer =
        Avro.writeDeletes(table.io().newOutputFile(location()))
            .withSpec(table.spec())
            .withPartition(partition(category, 0))
            .equalityFieldIds(1)
            .rowSchema(SCHEMA.select("id"))
            .createWriterFunc(org.apache.iceberg.data.avro.DataWriter::create)
            .buildEqualityWriter();
    try (writer) {
      for (long id : ids) {
        Record row = GenericRecord.create(SCHEMA.select("id"));
        row.setField("id", id);
        writer.write(row);
        liveIds.remove(id);
      }
    }
    return writer.toDeleteFile();
  }

  private void commit(DeleteFile deleteFile) {
    table.newRowDelta().addDeletes(deleteFile).commit();
  }

  private void deleteByVector(Map<DataFile, List<DeletedRow>> deleted) {
    try (DeletionVectorWriter writer = DeletionVectorWriter.of(table, LiveDeletes.of(table))) {
      deleted.forEach(
          (dataFile, rows) ->
              rows.forEach(
                  row -> {
                    writer.delete(dataFile, row.position());
                    liveIds.remove(row.id());
                  }));
      writer.flush().applyTo(table.newRowDelta()).commit();
    }
  }

  /** The vector holds the older position deletes of its data file, which stay in the table. */
  private void deleteByIcebergsVector(DataFile dataFile, DeletedRow row) throws IOException {
    BaseDeleteLoader loader =
        new BaseDeleteLoader(file -> table.io().newInputFile(file.location()));
    OutputFileFactory files =
        OutputFileFactory.builderFor(table, 1, 1).format(FileFormat.PUFFIN).build();
    DVFileWriter writer =
        new BaseDVFileWriter(
            files,
            location ->
                loader.loadPositionDeletes(
                    LiveDeletes.of(table).positionDeletes(dataFile), location));
    try (writer) {
      writer.delete(dataFile.location(), row.position(), table.spec(), dataFile.partition());
    }
    liveIds.remove(row.id());
    RowDelta delta = table.newRowDelta();
    writer.result().deleteFiles().forEach(delta::addDeletes);
    delta.commit();
  }

  private String location() {
    return table.location() + "/data/file-" + files++ + ".avro";
  }

  private static DeletedRow row(DataFile dataFile, long firstId, long id) {
    return new DeletedRow(dataFile, id, id - firstId);
  }

  private record DeletedRow(DataFile dataFile, long id, long position) {}
}
