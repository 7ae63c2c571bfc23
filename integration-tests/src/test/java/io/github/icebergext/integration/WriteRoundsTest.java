package io.github.icebergext.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.dv.table.LiveDeletes;
import io.github.icebergext.dv.write.CommittedVectors;
import io.github.icebergext.dv.write.DeletionVectorWriter;
import io.github.icebergext.testing.RecordingFileIO;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.PartitionData;
import org.apache.iceberg.PartitionSpec;
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
import org.apache.iceberg.deletes.PositionDelete;
import org.apache.iceberg.deletes.PositionDeleteIndex;
import org.apache.iceberg.deletes.PositionDeleteWriter;
import org.apache.iceberg.encryption.EncryptedOutputFile;
import org.apache.iceberg.encryption.EncryptingFileIO;
import org.apache.iceberg.inmemory.InMemoryCatalog;
import org.apache.iceberg.io.DataWriter;
import org.apache.iceberg.io.OutputFileFactory;
import org.apache.iceberg.types.Types;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Three rounds of deleting, committing and scanning the same data files leave the rows of a model
 * in memory, by Iceberg's reader and by ours.
 */
class WriteRoundsTest {
  private static final Schema SCHEMA =
      new Schema(
          Types.NestedField.required(1, "id", Types.LongType.get()),
          Types.NestedField.optional(2, "category", Types.StringType.get()));
  private static final int ROUNDS = 3;
  private static final int ROWS = 200;

  private final InMemoryCatalog catalog = new InMemoryCatalog();
  private final Map<DataFile, Long> firstIds = new HashMap<>();
  private final NavigableSet<Long> liveIds = new TreeSet<>();
  private final Random random = new Random(1);

  @BeforeEach
  void createCatalog() {
    catalog.initialize("rounds", Map.of());
    catalog.createNamespace(Namespace.of("db"));
  }

  @AfterEach
  void closeCatalog() throws IOException {
    catalog.close();
  }

  private Table create(PartitionSpec spec, String formatVersion) {
    return catalog.createTable(
        TableIdentifier.of("db", "table"),
        SCHEMA,
        spec,
        Map.of(TableProperties.FORMAT_VERSION, formatVersion));
  }

  private static PartitionSpec byCategory() {
    return PartitionSpec.builderFor(SCHEMA).identity("category").build();
  }

  @Test
  void aTableWithoutPartitions() throws IOException {
    Table table = create(PartitionSpec.unpartitioned(), "3");
    append(table, "a");
    append(table, null);
    deleteInRounds(table);
  }

  @Test
  void partitionsOfWhichOneIsNull() throws IOException {
    Table table = create(byCategory(), "3");
    append(table, "a");
    append(table, null);
    deleteInRounds(table);
  }

  @Test
  void anEvolvedSpec() throws IOException {
    Table table = create(byCategory(), "3");
    append(table, "a");
    append(table, null);
    table.updateSpec().removeField("category").commit();
    append(table, "a");
    deleteInRounds(table);

    assertThat(LiveDeletes.of(table).vectors()).extracting(DeleteFile::specId).contains(0, 1);
  }

  @Test
  void positionDeletesOfVersionTwo() throws IOException {
    Table table = create(byCategory(), "2");
    DataFile first = append(table, "a");
    DataFile second = append(table, "a");
    DataFile untouched = append(table, "a");
    deleteByPosition(table, List.of(first), 1, 5);
    deleteByPosition(table, List.of(first, second, untouched), 7);
    deleteByPosition(table, List.of(second), 199);
    firstIds.remove(untouched);
    table.updateProperties().set(TableProperties.FORMAT_VERSION, "3").commit();

    deleteInRounds(table);

    // Those that another data file needs have to stay.
    ScanEqualityTest.compare(table, table.currentSnapshot().snapshotId());
    assertThat(LiveDeletes.of(table).positionDeletes()).isNotEmpty();
  }

  @Test
  void anEncryptedTable() throws IOException {
    EncryptedTable.requireSupport();
    Table table =
        EncryptedTable.create(SCHEMA, RecordingFileIO.rangeReadable(), "memory://encrypted/rounds");
    append(table, "a");
    append(table, "b");

    deleteInRounds(table, this::checkVectors);

    assertThat(LiveDeletes.of(table).vectors())
        .allSatisfy(vector -> assertThat(vector.keyMetadata()).isNotNull());
  }

  /** Rows are not read here: the data files stand in metadata only. */
  @Test
  void positionsAroundTheLargestInteger() throws IOException {
    Table table = create(PartitionSpec.unpartitioned(), "3");
    long border = 1L << 31;
    DataFile data = StoredTable.append(table, "large", 3 * border);
    NavigableSet<Long> expected = new TreeSet<>();
    try (DeletionVectorWriter writer = DeletionVectorWriter.of(table, LiveDeletes.of(table))) {
      for (int round = 0; round < ROUNDS; round++) {
        long[] positions = {
          border - 2 + round, border + round * 1000L, 2 * border - 1 + round, round
        };
        writer.delete(data, positions);
        writer.flush().commit();
        LongStream.of(positions).forEach(expected::add);

        DeleteFile vector = LiveDeletes.of(table).vector(data.location()).orElseThrow();
        assertThat(positionsByIceberg(table, vector)).isEqualTo(expected);
        assertThat(
                positions(StoredTable.deleted(table, table.currentSnapshot()).get(data.location())))
            .isEqualTo(expected);
      }
    }
  }

  private static NavigableSet<Long> positionsByIceberg(Table table, DeleteFile vector) {
    EncryptingFileIO files = EncryptingFileIO.combine(table.io(), table.encryption());
    PositionDeleteIndex index =
        new BaseDeleteLoader(files::newInputFile)
            .loadPositionDeletes(List.of(vector), vector.referencedDataFile());
    NavigableSet<Long> positions = new TreeSet<>();
    index.forEach(positions::add);
    return positions;
  }

  private static NavigableSet<Long> positions(DeletedPositions deleted) {
    NavigableSet<Long> positions = new TreeSet<>();
    deleted.forEach(positions::add);
    return positions;
  }

  private void deleteInRounds(Table table) throws IOException {
    deleteInRounds(table, this::checkRows);
  }

  private void deleteInRounds(Table table, Comparison comparison) throws IOException {
    try (DeletionVectorWriter writer = DeletionVectorWriter.of(table, LiveDeletes.of(table))) {
      for (int round = 0; round < ROUNDS; round++) {
        LiveDeletes before = LiveDeletes.of(table);
        firstIds.forEach((dataFile, firstId) -> deleteSome(writer, dataFile, firstId));
        CommittedVectors committed = writer.flush().commit();

        assertThat(committed.snapshotId()).hasValue(table.currentSnapshot().snapshotId());
        comparison.check(table);
        checkReplaced(table, before);
      }
    }
  }

  /** Of random rows some are deleted already. */
  private void deleteSome(DeletionVectorWriter writer, DataFile dataFile, long firstId) {
    long[] positions = random.longs(ROWS / 4, 0, ROWS).toArray();
    writer.delete(dataFile, positions);
    LongStream.of(positions).forEach(position -> liveIds.remove(firstId + position));
  }

  @FunctionalInterface
  private interface Comparison {
    void check(Table table) throws IOException;
  }

  /**
   * Iceberg's generic reader does not decrypt vectors, but its loader can be given them in plain.
   */
  private void checkVectors(Table table) {
    NavigableSet<Long> expected = new TreeSet<>();
    firstIds.values().forEach(id -> LongStream.range(id, id + ROWS).forEach(expected::add));
    expected.removeAll(liveIds);
    NavigableSet<Long> byIceberg = new TreeSet<>();
    NavigableSet<Long> byUs = new TreeSet<>();
    Map<String, DeletedPositions> deleted = StoredTable.deleted(table, table.currentSnapshot());
    firstIds.forEach(
        (dataFile, firstId) -> {
          DeleteFile vector = LiveDeletes.of(table).vector(dataFile.location()).orElseThrow();
          positionsByIceberg(table, vector).forEach(position -> byIceberg.add(firstId + position));
          deleted.get(dataFile.location()).forEach(position -> byUs.add(firstId + position));
        });
    assertThat(byIceberg).isEqualTo(expected);
    assertThat(byUs).isEqualTo(expected);
  }

  private void checkRows(Table table) throws IOException {
    long snapshotId = table.currentSnapshot().snapshotId();
    ScanEqualityTest.compare(table, snapshotId);
    Map<List<Object>, Integer> rows = new ScanRows(table, snapshotId).byIceberg();
    assertThat(rows.keySet().stream().map(values -> (Long) values.get(0)))
        .containsExactlyInAnyOrderElementsOf(liveIds);
    assertThat(rows.values()).containsOnly(1);
  }

  /** The manifests have a DELETED entry of each earlier vector, and of what a vector superseded. */
  private void checkReplaced(Table table, LiveDeletes before) {
    LiveDeletes after = LiveDeletes.of(table);
    Snapshot snapshot = table.currentSnapshot();
    int deletedEntries =
        snapshot.deleteManifests(table.io()).stream()
            .filter(manifest -> manifest.snapshotId() == snapshot.snapshotId())
            .mapToInt(ManifestFile::deletedFilesCount)
            .sum();
    assertThat(deletedEntries)
        .isEqualTo(
            before.vectors().size()
                + before.positionDeletes().size()
                - after.positionDeletes().size());
    assertThat(after.vectors()).hasSize(firstIds.size());
  }

  /** Appends a data file with rows of one category. */
  private DataFile append(Table table, @Nullable String category) throws IOException {
    EncryptedOutputFile output = outputFiles(table).newOutputFile();
    long firstId = firstIds.size() * 1000L;
    DataWriter<Record> writer =
        Avro.writeData(output)
            .schema(SCHEMA)
            .createWriterFunc(org.apache.iceberg.data.avro.DataWriter::create)
            .withSpec(table.spec())
            .withPartition(partition(table, category))
            .withKeyMetadata(output.keyMetadata())
            .build();
    try (writer) {
      LongStream.range(firstId, firstId + ROWS).forEach(id -> writer.write(row(id, category)));
    }
    LongStream.range(firstId, firstId + ROWS).forEach(liveIds::add);
    DataFile dataFile = writer.toDataFile();
    table.newAppend().appendFile(dataFile).commit();
    firstIds.put(dataFile, firstId);
    return dataFile;
  }

  private static Record row(long id, @Nullable String category) {
    Record row = GenericRecord.create(SCHEMA);
    row.setField("id", id);
    row.setField("category", category);
    return row;
  }

  private static OutputFileFactory outputFiles(Table table) {
    return OutputFileFactory.builderFor(table, 1, 1).format(FileFormat.AVRO).build();
  }

  private static StructLike partition(Table table, @Nullable String category) {
    PartitionData partition = new PartitionData(table.spec().partitionType());
    for (int i = 0; i < partition.size(); i++) {
      if (!table.spec().fields().get(i).transform().isVoid()) {
        partition.set(i, category);
      }
    }
    return partition;
  }

  /** Deletes the same positions of some data files in one file of version 2. */
  private void deleteByPosition(Table table, List<DataFile> dataFiles, long... positions)
      throws IOException {
    PositionDeleteWriter<Object> writer =
        Avro.writeDeletes(outputFiles(table).newOutputFile().encryptingOutputFile())
            .withSpec(table.spec())
            .withPartition(partition(table, "a"))
            .buildPositionWriter();
    try (writer) {
      PositionDelete<Object> delete = PositionDelete.create();
      dataFiles.stream()
          .sorted((one, two) -> one.location().compareTo(two.location()))
          .forEach(
              dataFile -> {
                for (long position : positions) {
                  writer.write(delete.set(dataFile.location(), position));
                  liveIds.remove(firstIds.get(dataFile) + position);
                }
              });
    }
    table.newRowDelta().addDeletes(writer.toDeleteFile()).commit();
  }
}
