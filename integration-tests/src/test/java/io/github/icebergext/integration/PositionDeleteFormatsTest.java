package io.github.icebergext.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.icebergext.dv.scan.ScanDeletes;
import io.github.icebergext.dv.table.LiveDeletes;
import io.github.icebergext.dv.write.DeletionVectorWriter;
import io.github.icebergext.dv.write.FlushResult;
import io.github.icebergext.dv.write.FlushedVector;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.LongStream;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.avro.Avro;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.data.avro.DataWriter;
import org.apache.iceberg.deletes.PositionDelete;
import org.apache.iceberg.deletes.PositionDeleteWriter;
import org.apache.iceberg.inmemory.InMemoryCatalog;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.orc.ORC;
import org.apache.iceberg.parquet.Parquet;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.util.ContentFileUtil;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Position deletes of version 2 in each format go into vectors, and no row comes back. */
class PositionDeleteFormatsTest {
  private static final Schema SCHEMA =
      new Schema(Types.NestedField.required(1, "id", Types.LongType.get()));

  private final InMemoryCatalog catalog = new InMemoryCatalog();
  private final NavigableSet<Long> liveIds = new TreeSet<>();
  private final Table table;
  private int files;

  PositionDeleteFormatsTest() {
    // Files in memory are shared by all catalogs of a process.
    catalog.initialize("formats", Map.of("warehouse", "memory://" + UUID.randomUUID()));
    catalog.createNamespace(Namespace.of("db"));
    table =
        catalog.createTable(
            TableIdentifier.of("db", "table"),
            SCHEMA,
            PartitionSpec.unpartitioned(),
            Map.of(TableProperties.FORMAT_VERSION, "2"));
  }

  @AfterEach
  void closeCatalog() throws Exception {
    catalog.close();
  }

  private record Row(DataFile dataFile, long firstId, long position) {}

  @ParameterizedTest
  @EnumSource(
      value = FileFormat.class,
      names = {"AVRO", "PARQUET", "ORC"})
  void deletesOfVersionTwoStayDeleted(FileFormat format) throws IOException {
    DataFile first = append(0, 100);
    DataFile second = append(100, 200);
    DeleteFile alone = deletes(format, List.of(new Row(first, 0, 7), new Row(first, 0, 3)));
    DeleteFile shared =
        deletes(
            format,
            List.of(
                new Row(second, 100, 50),
                new Row(first, 0, 9),
                new Row(second, 100, 20),
                new Row(first, 0, 9)));
    table.newRowDelta().addDeletes(alone).addDeletes(shared).commit();
    check();
    table.updateProperties().set(TableProperties.FORMAT_VERSION, "3").commit();
    check();

    try (DeletionVectorWriter writer = DeletionVectorWriter.of(table, LiveDeletes.of(table))) {
      for (long round = 60; round < 63; round++) {
        writer.delete(first, round);
        writer.delete(second, round);
        liveIds.removeAll(List.of(round, 100 + round));
        FlushResult result = writer.flush();
        assertThat(replacedPositionDeletes(result))
            .as("round %s", round)
            .isEqualTo(round == 60 ? superseded(alone) : List.of());
        result.commit();
        check();
      }
    }
    assertThat(LiveDeletes.of(table).positionDeletes())
        .extracting(DeleteFile::location)
        .contains(shared.location());
  }

  /** Iceberg's writers tell the data file of some formats by bounds, and of others not at all. */
  private static List<String> superseded(DeleteFile alone) {
    return ContentFileUtil.isFileScoped(alone) ? List.of(alone.location()) : List.of();
  }

  private static List<String> replacedPositionDeletes(FlushResult result) {
    return result.vectors().stream()
        .map(FlushedVector::replaced)
        .flatMap(List::stream)
        .filter(replaced -> replaced.format() != FileFormat.PUFFIN)
        .map(DeleteFile::location)
        .toList();
  }

  /** Iceberg's reader and ours find the rows that are left by arithmetic. */
  private void check() throws IOException {
    ScanRows rows = new ScanRows(table, table.currentSnapshot().snapshotId());
    List<List<Object>> expected = liveIds.stream().map(id -> List.<Object>of(id)).toList();
    assertThat(rows.byIceberg().keySet()).containsExactlyInAnyOrderElementsOf(expected);
    assertThat(rows.byPosition(ScanDeletes.of(table)).keySet())
        .containsExactlyInAnyOrderElementsOf(expected);
  }

  private DataFile append(long firstId, long endId) throws IOException {
    org.apache.iceberg.io.DataWriter<Record> writer =
        Avro.writeData(newFile(FileFormat.AVRO))
            .schema(SCHEMA)
            .createWriterFunc(DataWriter::create)
            .withSpec(table.spec())
            .build();
    try (writer) {
      for (long id = firstId; id < endId; id++) {
        Record row = GenericRecord.create(SCHEMA);
        row.setField("id", id);
        writer.write(row);
      }
    }
    LongStream.range(firstId, endId).forEach(liveIds::add);
    DataFile dataFile = writer.toDataFile();
    table.newAppend().appendFile(dataFile).commit();
    return dataFile;
  }

  /** Writes the rows in the order given, as not every writer sorts them. */
  private DeleteFile deletes(FileFormat format, List<Row> rows) throws IOException {
    PositionDeleteWriter<Object> writer = writer(format);
    try (writer) {
      PositionDelete<Object> delete = PositionDelete.create();
      rows.forEach(row -> writer.write(delete.set(row.dataFile().location(), row.position())));
    }
    rows.forEach(row -> liveIds.remove(row.firstId() + row.position()));
    return writer.toDeleteFile();
  }

  private PositionDeleteWriter<Object> writer(FileFormat format) throws IOException {
    OutputFile file = newFile(format);
    return switch (format) {
      case AVRO -> Avro.writeDeletes(file).withSpec(table.spec()).buildPositionWriter();
      case ORC -> ORC.writeDeletes(file).withSpec(table.spec()).buildPositionWriter();
      default -> Parquet.writeDeletes(file).withSpec(table.spec()).buildPositionWriter();
    };
  }

  private OutputFile newFile(FileFormat format) {
    return table
        .io()
        .newOutputFile(table.location() + "/data/" + format.addExtension("file-" + files++));
  }
}
