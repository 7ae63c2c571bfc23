package io.github.icebergext.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.dv.InvalidDeletionVectorException;
import io.github.icebergext.dv.read.DeletionVectorDeleteLoader;
import io.github.icebergext.dv.read.DeletionVectorReader;
import io.github.icebergext.dv.read.FooterCache;
import io.github.icebergext.dv.read.ReadCheck;
import io.github.icebergext.dv.read.ReadVector;
import io.github.icebergext.dv.scan.ScanDeletes;
import io.github.icebergext.dv.scan.TaskDeletes;
import io.github.icebergext.dv.table.DeletesBetween;
import io.github.icebergext.dv.table.DeletesChange;
import io.github.icebergext.dv.table.LiveDeletes;
import io.github.icebergext.dv.write.DeletionVectorWriter;
import io.github.icebergext.puffin.PuffinFileReader;
import io.github.icebergext.testing.RecordingFile;
import io.github.icebergext.testing.RecordingFileIO;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import javax.crypto.AEADBadTagException;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileMetadata;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.RowDelta;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.avro.Avro;
import org.apache.iceberg.data.BaseDeleteLoader;
import org.apache.iceberg.data.DeleteLoader;
import org.apache.iceberg.data.GenericDeleteFilter;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.data.avro.PlannedDataReader;
import org.apache.iceberg.deletes.BaseDVFileWriter;
import org.apache.iceberg.deletes.DVFileWriter;
import org.apache.iceberg.encryption.EncryptedOutputFile;
import org.apache.iceberg.encryption.EncryptingFileIO;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.DataWriter;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFileFactory;
import org.apache.iceberg.types.Types;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Vectors of tables that Iceberg encrypts by itself, from the data files to the manifest lists. */
class EncryptedTablesTest {
  private static final Schema SCHEMA =
      new Schema(Types.NestedField.required(1, "id", Types.LongType.get()));
  private static final int ROWS = 100;

  /** A header of 8 bytes, a nonce of 12 and a tag of 16: files shorter than 1 MiB are one block. */
  private static final int OVERHEAD_OF_ONE_BLOCK = 8 + 12 + 16;

  private final RecordingFileIO files = RecordingFileIO.rangeReadable();
  private Table table;

  @BeforeAll
  static void requireSupport() {
    EncryptedTable.requireSupport();
  }

  @BeforeEach
  void createTable() {
    table = EncryptedTable.create(SCHEMA, files, "memory://encrypted/table");
  }

  /** Appends a data file whose IDs are its positions. */
  private DataFile append() throws IOException {
    EncryptedOutputFile output = outputFiles(FileFormat.AVRO).newOutputFile();
    DataWriter<Record> writer =
        Avro.writeData(output)
            .schema(SCHEMA)
            .createWriterFunc(org.apache.iceberg.data.avro.DataWriter::create)
            .withSpec(table.spec())
            .withKeyMetadata(output.keyMetadata())
            .build();
    try (writer) {
      LongStream.range(0, ROWS).forEach(id -> writer.write(row(id)));
    }
    DataFile dataFile = writer.toDataFile();
    table.newAppend().appendFile(dataFile).commit();
    return dataFile;
  }

  private static Record row(long id) {
    Record row = GenericRecord.create(SCHEMA);
    row.setField("id", id);
    return row;
  }

  private OutputFileFactory outputFiles(FileFormat format) {
    return OutputFileFactory.builderFor(table, 1, 1).format(format).build();
  }

  private DeleteFile delete(DataFile dataFile, long... positions) {
    try (DeletionVectorWriter writer = DeletionVectorWriter.of(table, LiveDeletes.of(table))) {
      writer.delete(dataFile, DeletedPositions.of(positions));
      writer.flush().applyTo(table.newRowDelta()).commit();
    }
    return liveVector(table, dataFile);
  }

  private DeleteFile deleteByIceberg(DataFile dataFile, long... positions) throws IOException {
    DVFileWriter writer = new BaseDVFileWriter(outputFiles(FileFormat.PUFFIN), path -> null);
    for (long position : positions) {
      writer.delete(dataFile.location(), position, table.spec(), null);
    }
    writer.close();
    RowDelta rowDelta = table.newRowDelta();
    writer.result().deleteFiles().forEach(rowDelta::addDeletes);
    rowDelta.commit();
    return liveVector(table, dataFile);
  }

  private static DeleteFile liveVector(Table table, DataFile dataFile) {
    return LiveDeletes.of(table).vector(dataFile.location()).orElseThrow();
  }

  private static FileIO decrypting(Table table) {
    return EncryptingFileIO.combine(table.io(), table.encryption());
  }

  private static DeletionVectorReader reader(Table table, ReadCheck check) {
    return DeletionVectorReader.builder(table).withCheck(check).build();
  }

  @ParameterizedTest
  @EnumSource(ReadCheck.class)
  void whatIcebergWroteIsRead(ReadCheck check) throws IOException {
    EncryptedTable.requireKeysInIcebergsEntries();
    DeleteFile vector = deleteByIceberg(append(), 1, 2, 99);

    assertThat(reader(table, check).read(vector)).isEqualTo(DeletedPositions.of(1, 2, 99));
    assertThat(readAll(check, List.of(vector))).containsExactly(DeletedPositions.of(1, 2, 99));
  }

  @ParameterizedTest
  @EnumSource(ReadCheck.class)
  void whatWasWrittenIsReadByNothingButTheMetadataAndTheKeyService(ReadCheck check)
      throws IOException {
    DataFile first = append();
    DataFile second = append();
    delete(first, 5);
    delete(second, 7);
    delete(first, 6);

    Table reopened = EncryptedTable.reopen(table);
    List<DeleteFile> vectors = List.of(liveVector(reopened, first), liveVector(reopened, second));
    assertThat(reader(reopened, check).read(vectors.get(0))).isEqualTo(DeletedPositions.of(5, 6));
    assertThat(readAll(check, vectors))
        .containsExactly(DeletedPositions.of(5, 6), DeletedPositions.of(7));
  }

  private List<DeletedPositions> readAll(ReadCheck check, List<DeleteFile> vectors)
      throws IOException {
    List<DeletedPositions> read = new ArrayList<>();
    try (CloseableIterable<ReadVector> all = reader(table, check).readAll(vectors)) {
      all.forEach(vector -> read.add(vector.positions()));
    }
    return read;
  }

  @Test
  void icebergReadsTheRowsThatAreLeft() throws IOException {
    DataFile dataFile = append();
    delete(dataFile, 0, 50);
    delete(dataFile, 99);

    assertThat(ids(EncryptedTable.reopen(table)))
        .hasSize(ROWS - 3)
        .doesNotContain(0L, 50L, 99L)
        .doesNotHaveDuplicates();
  }

  private static List<Long> ids(Table table) throws IOException {
    List<Long> ids = new ArrayList<>();
    try (CloseableIterable<FileScanTask> tasks = table.newScan().planFiles()) {
      for (FileScanTask task : tasks) {
        GenericDeleteFilter filter = new DecryptingFilter(decrypting(table), task);
        try (CloseableIterable<Record> rows =
            filter.filter(open(table, task, filter.requiredSchema()))) {
          rows.forEach(row -> ids.add((Long) row.getField("id")));
        }
      }
    }
    return ids;
  }

  private static CloseableIterable<Record> open(Table table, FileScanTask task, Schema schema) {
    return Avro.read(decrypting(table).newInputFile(task.file()))
        .project(schema)
        .createResolvingReader(projection -> PlannedDataReader.create(projection, Map.of()))
        .build();
  }

  /** Iceberg's filter, which opens delete files without their key by itself. */
  private static final class DecryptingFilter extends GenericDeleteFilter {
    private final FileIO io;

    DecryptingFilter(FileIO io, FileScanTask task) {
      super(io, task, SCHEMA, SCHEMA);
      this.io = io;
    }

    @Override
    protected InputFile loadInputFile(DeleteFile deleteFile) {
      return io.newInputFile(deleteFile);
    }
  }

  @Test
  void theFooterIsFoundByThePlaintextLength() throws IOException {
    DeleteFile vector = delete(append(), 1);
    InputFile decrypted = decrypting(table).newInputFile(vector);

    assertThat(decrypted.getLength()).isLessThan(vector.fileSizeInBytes());
    try (PuffinFileReader reader = PuffinFileReader.read(decrypted).build()) {
      reader.verify();
      assertThat(reader.footer().blobs())
          .singleElement()
          .satisfies(blob -> assertThat(blob.offset()).isEqualTo(vector.contentOffset()))
          .satisfies(blob -> assertThat(blob.length()).isEqualTo(vector.contentSizeInBytes()));
    }
  }

  @Test
  void whatIsStoredIsNoPlaintext() throws IOException {
    DeleteFile vector = delete(append(), 1);

    RecordingFile stored = files.file(vector.location());
    assertThat(vector.fileSizeInBytes()).isEqualTo(stored.size());
    try (InputStream stream = stored.newStream()) {
      assertThat(stream.readNBytes(4)).asString().isEqualTo("AGS1");
    }
  }

  // apache/iceberg#15911
  @Test
  void theKeyMetadataHoldsTheLengthAsStoredSoThatNobodyIsAskedForIt() throws IOException {
    DeleteFile vector = delete(append(), 1);
    files.forget();

    assertThat(decrypting(table).newInputFile(vector).getLength())
        .isEqualTo(files.file(vector.location()).size() - OVERHEAD_OF_ONE_BLOCK);
    reader(table, ReadCheck.FULL).read(vector);
    assertThat(files.count(RecordingFile.Call.LENGTH)).isZero();
  }

  // apache/iceberg#15911
  @Test
  void anEntryThatLostItsKeyIsRefused() throws IOException {
    DeleteFile vector = delete(append(), 1);
    DeleteFile keyless = entry(vector, vector.fileSizeInBytes(), null);

    assertThatThrownBy(() -> reader(table, ReadCheck.ENTRY).read(keyless))
        .isInstanceOf(InvalidDeletionVectorException.class);
    assertThatThrownBy(() -> reader(table, ReadCheck.FULL).read(keyless))
        .isInstanceOf(InvalidDeletionVectorException.class)
        .hasMessageEndingWith("its file is an encrypted stream (AGS1)");
  }

  @Test
  void aWrongSizeInTheEntryDoesNotMatterWhereTheKeyMetadataHoldsTheLength() throws IOException {
    DeleteFile vector = delete(append(), 1);

    DeleteFile wrong = entry(vector, vector.fileSizeInBytes() + 1000, vector.keyMetadata());

    assertThat(reader(table, ReadCheck.FULL).read(wrong)).isEqualTo(DeletedPositions.of(1));
  }

  @Test
  void anEntryWithoutTheLengthIsReadByItsSize() throws IOException {
    DeleteFile vector = commitWithoutLength(append(), 1, 2);
    DeletedPositions expected = DeletedPositions.of(1, 2);
    assertThatThrownBy(() -> load(new BaseDeleteLoader(decrypting(table)::newInputFile), vector))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("File length is null");

    for (ReadCheck check : ReadCheck.values()) {
      assertThat(reader(table, check).read(vector)).isEqualTo(expected);
      assertThat(readAll(check, List.of(vector))).containsExactly(expected);
      DeleteLoader loader =
          new DeletionVectorDeleteLoader(
              decrypting(table)::newInputFile, settings -> settings.withCheck(check));
      assertThat(load(loader, vector)).isEqualTo(expected);
    }
  }

  @Test
  void anEntryWithoutTheLengthIsReplacedByOneThatHasIt() throws IOException {
    DataFile dataFile = append();
    commitWithoutLength(dataFile, 1, 2);

    DeleteFile vector = delete(dataFile, 3);

    assertThat(load(new BaseDeleteLoader(decrypting(table)::newInputFile), vector))
        .isEqualTo(DeletedPositions.of(1, 2, 3));
  }

  /** Commits a vector with the key metadata that its file was opened with, as was done before. */
  private DeleteFile commitWithoutLength(DataFile dataFile, long... positions) {
    EncryptedOutputFile output = outputFiles(FileFormat.PUFFIN).newOutputFile();
    try (DeletionVectorWriter writer =
        DeletionVectorWriter.builder(table, LiveDeletes.of(table))
            .withOutputFiles(() -> output)
            .build()) {
      writer.delete(dataFile, DeletedPositions.of(positions));
      DeleteFile vector = writer.flush().vectors().get(0).entry();
      DeleteFile withoutLength =
          entry(vector, vector.fileSizeInBytes(), output.keyMetadata().buffer());
      table.newRowDelta().addDeletes(withoutLength).commit();
    }
    return liveVector(table, dataFile);
  }

  private static DeletedPositions load(DeleteLoader loader, DeleteFile vector) {
    return DeletedPositions.copyOf(
        loader.loadPositionDeletes(List.of(vector), vector.referencedDataFile()));
  }

  private DeleteFile entry(DeleteFile vector, long fileSize, @Nullable ByteBuffer keyMetadata) {
    return FileMetadata.deleteFileBuilder(table.spec())
        .ofPositionDeletes()
        .withFormat(FileFormat.PUFFIN)
        .withPath(vector.location())
        .withReferencedDataFile(vector.referencedDataFile())
        .withRecordCount(vector.recordCount())
        .withContentOffset(vector.contentOffset())
        .withContentSizeInBytes(vector.contentSizeInBytes())
        .withFileSizeInBytes(fileSize)
        .withEncryptionKeyMetadata(keyMetadata)
        .build();
  }

  // duckdb/duckdb-iceberg#1382
  @Test
  void aMovedFileIsOpenedWithTheKeyOfItsEntry() throws IOException {
    for (DeleteFile vector : List.of(delete(append(), 1), commitWithoutLength(append(), 1))) {
      files.put("moved://deletes", storedBytes(vector));
      files.deleteFile(vector.location());

      for (ReadCheck check : ReadCheck.values()) {
        DeletionVectorReader reader =
            DeletionVectorReader.builder(table)
                .withCheck(check)
                .withPuffinLocations(location -> "moved://deletes")
                .build();
        assertThat(reader.read(vector)).isEqualTo(DeletedPositions.of(1));
      }
    }
  }

  private byte[] storedBytes(DeleteFile vector) throws IOException {
    try (InputStream stream = files.file(vector.location()).newStream()) {
      return stream.readAllBytes();
    }
  }

  @ParameterizedTest
  @EnumSource(ReadCheck.class)
  void aFileThatWasTamperedWithFailsAsItsDecryptionSays(ReadCheck check) throws IOException {
    DeleteFile vector = delete(append(), 1);
    byte[] stored = storedBytes(vector);
    stored[stored.length / 2] ^= 1;
    files.put(vector.location(), stored);

    assertThatThrownBy(() -> reader(table, check).read(vector))
        .hasRootCauseInstanceOf(AEADBadTagException.class)
        .isNotInstanceOf(InvalidDeletionVectorException.class)
        .satisfies(
            e ->
                assertThat(e.getSuppressed())
                    .anyMatch(note -> note.getMessage().contains(vector.location())));
    assertThat(files.openStreams()).isZero();
  }

  @Test
  void footersAreKeptForTheVectorsToCome() throws IOException {
    FooterCache footers = FooterCache.ofMaxBytes(1 << 20);
    DeletionVectorReader reader =
        DeletionVectorReader.builder(table).withFooterCache(footers).build();
    DeleteFile vector = delete(append(), 1);

    assertThat(reader.read(vector)).isEqualTo(reader.read(vector));
    assertThat(footers.figures().hits()).isEqualTo(1);
  }

  @Test
  void scansAndDifferencesAreDecryptedToo() throws IOException {
    DataFile dataFile = append();
    delete(dataFile, 1);
    long from = table.currentSnapshot().snapshotId();
    delete(dataFile, 2, 3);
    long to = table.currentSnapshot().snapshotId();

    try (CloseableIterable<FileScanTask> tasks = table.newScan().planFiles();
        CloseableIterable<TaskDeletes> deletes = ScanDeletes.of(table).read(tasks)) {
      assertThat(deletes)
          .extracting(TaskDeletes::positions)
          .containsExactly(DeletedPositions.of(1, 2, 3));
    }
    try (CloseableIterable<DeletesChange> changes = DeletesBetween.of(table, from, to).changes()) {
      assertThat(changes)
          .singleElement()
          .isInstanceOfSatisfying(
              DeletesChange.RowsDeleted.class,
              rows -> assertThat(rows.positions()).isEqualTo(DeletedPositions.of(2, 3)));
    }
  }
}
