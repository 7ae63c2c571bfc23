package io.github.icebergext.dv.write;

import static io.github.icebergext.testing.TestEntries.list;
import static io.github.icebergext.testing.TestEntries.positions;
import static io.github.icebergext.testing.TestEntries.properties;
import static io.github.icebergext.testing.TestTables.BY_CATEGORY;
import static io.github.icebergext.testing.TestTables.append;
import static io.github.icebergext.testing.TestTables.dataFile;
import static io.github.icebergext.testing.TestTables.unpartitioned;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.dv.DeletionVectorIdentity;
import io.github.icebergext.dv.InvalidDeletionVectorException;
import io.github.icebergext.dv.internal.FormatVersions;
import io.github.icebergext.dv.read.DeletionVectorReader;
import io.github.icebergext.dv.table.LiveDeletes;
import io.github.icebergext.puffin.PuffinLimits;
import io.github.icebergext.puffin.Reason;
import io.github.icebergext.testing.RecordingFile.Call;
import io.github.icebergext.testing.RecordingFileIO;
import io.github.icebergext.testing.TestTables;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileContent;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Table;
import org.apache.iceberg.deletes.BaseDVFileWriter;
import org.apache.iceberg.deletes.DVFileWriter;
import org.apache.iceberg.deletes.PositionDeleteIndex;
import org.apache.iceberg.encryption.EncryptedFiles;
import org.apache.iceberg.exceptions.ValidationException;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFileFactory;
import org.apache.iceberg.io.RangeReadable;
import org.apache.iceberg.io.SeekableInputStream;
import org.apache.iceberg.puffin.BlobMetadata;
import org.apache.iceberg.puffin.Puffin;
import org.apache.iceberg.puffin.PuffinReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DeletionVectorWriterTest {
  private final RecordingFileIO storage = RecordingFileIO.rangeReadable();
  private final Table table = unpartitioned(storage);
  private final DataFile data = append(table, "data");
  private final DataFile other = append(table, "other");

  private DeletionVectorWriter writer() {
    return DeletionVectorWriter.of(table, LiveDeletes.of(table));
  }

  private void commit(DataFile dataFile, long... positions) {
    try (DeletionVectorWriter writer = writer()) {
      writer.delete(dataFile, positions(positions));
      writer.flush().applyTo(table.newRowDelta()).commit();
    }
  }

  private DeletedPositions live(DataFile dataFile) {
    DeleteFile vector = LiveDeletes.of(table).vector(dataFile.location()).orElseThrow();
    return DeletionVectorReader.of(table).read(vector);
  }

  @Test
  void everyCoordinateOfANewEntryIsSet() {
    try (DeletionVectorWriter writer = writer()) {
      writer.delete(data, 3);
      writer.delete(data, 99);

      FlushedVector flushed = writer.flush().vectors().get(0);

      DeleteFile vector = flushed.entry();
      assertThat(vector.content()).isEqualTo(FileContent.POSITION_DELETES);
      assertThat(vector.format()).isEqualTo(FileFormat.PUFFIN);
      assertThat(vector.location()).endsWith(".puffin");
      assertThat(vector.fileSizeInBytes())
          .isEqualTo(storage.newInputFile(vector.location()).getLength());
      assertThat(vector.referencedDataFile()).isEqualTo(data.location());
      assertThat(vector.contentOffset()).isEqualTo(4);
      assertThat(vector.recordCount()).isEqualTo(2);
      assertThat(vector.keyMetadata()).isNull();
      assertThat(flushed.referencedDataFile()).isEqualTo(data.location());
      assertThat(flushed.replaced()).isEmpty();
      assertThat(flushed.newPositions().cardinality()).isEqualTo(2);
      assertThat(flushed.allRowsDeleted()).isFalse();
    }
  }

  // trinodb/trino#27788: one Puffin for all data files of a flush
  @Test
  void writesOnePuffinInTheOrderOfFirstUse() throws IOException {
    try (DeletionVectorWriter writer = writer()) {
      writer.delete(other, 5);
      writer.delete(data, 1);
      writer.delete(other, 4);

      FlushResult result = writer.flush();

      assertThat(result.vectors())
          .extracting(FlushedVector::referencedDataFile)
          .containsExactly(other.location(), data.location());
      assertThat(storage.locations()).hasSize(1);
      try (PuffinReader puffin =
          Puffin.read(storage.newInputFile(storage.locations().get(0))).build()) {
        List<BlobMetadata> blobs = puffin.fileMetadata().blobs();
        assertThat(blobs)
            .extracting(BlobMetadata::properties)
            .containsExactly(properties(other.location(), 2), properties(data.location(), 1));
        assertThat(blobs)
            .allSatisfy(
                blob -> {
                  assertThat(blob.type()).isEqualTo("deletion-vector-v1");
                  assertThat(blob.inputFields()).containsExactly(2147483645);
                  assertThat(blob.snapshotId()).isEqualTo(-1);
                  assertThat(blob.sequenceNumber()).isEqualTo(-1);
                  assertThat(blob.compressionCodec()).isNull();
                });
        assertThat(blobs)
            .extracting(BlobMetadata::offset)
            .containsExactly(
                result.vectors().get(0).entry().contentOffset(),
                result.vectors().get(1).entry().contentOffset());
      }
    }
  }

  @Test
  void icebergReadsWhatIsWritten() throws IOException {
    try (DeletionVectorWriter writer = writer()) {
      writer.delete(data, 7);
      writer.delete(other, DeletedPositions.builder().addRange(10, 100).build());

      List<FlushedVector> vectors = writer.flush().vectors();

      assertThat(readByIceberg(vectors.get(0).entry())).containsExactly(7L);
      assertThat(readByIceberg(vectors.get(1).entry())).hasSize(90).startsWith(10L).endsWith(99L);
    }
  }

  /** Reads a vector as Iceberg's loader does: the bytes of the entry into an index. */
  private List<Long> readByIceberg(DeleteFile vector) throws IOException {
    byte[] bytes = new byte[vector.contentSizeInBytes().intValue()];
    try (SeekableInputStream stream = table.io().newInputFile(vector.location()).newStream()) {
      ((RangeReadable) stream).readFully(vector.contentOffset(), bytes);
    }
    List<Long> positions = new ArrayList<>();
    PositionDeleteIndex.deserialize(bytes, vector).forEach(positions::add);
    return positions;
  }

  @Test
  void readsAndReplacesWhatIcebergWrites() throws IOException {
    OutputFileFactory files =
        OutputFileFactory.builderFor(table, 1, 1).format(FileFormat.PUFFIN).build();
    DVFileWriter iceberg = new BaseDVFileWriter(files, path -> null);
    iceberg.delete(data.location(), 1, table.spec(), data.partition());
    iceberg.delete(other.location(), 2, table.spec(), other.partition());
    iceberg.close();
    iceberg
        .result()
        .deleteFiles()
        .forEach(vector -> table.newRowDelta().addDeletes(vector).commit());

    commit(data, 50);

    assertThat(list(live(data))).containsExactly(1L, 50L);
    assertThat(list(live(other))).containsExactly(2L);
  }

  // duckdb-iceberg#1052, apache/iceberg-go#1372, trinodb/trino#24648
  @Test
  void everyRoundContainsAndReplacesTheOneBefore() {
    commit(data, 1);
    commit(other, 70);
    DeleteFile first = LiveDeletes.of(table).vector(data.location()).orElseThrow();
    commit(data, 2, 3);
    DeleteFile second = LiveDeletes.of(table).vector(data.location()).orElseThrow();
    assertThat(removed()).containsExactly(DeletionVectorIdentity.of(first));
    commit(data, 99);

    assertThat(removed()).containsExactly(DeletionVectorIdentity.of(second));
    assertThat(list(live(data))).containsExactly(1L, 2L, 3L, 99L);
    assertThat(list(live(other))).containsExactly(70L);
    assertThat(LiveDeletes.of(table).vectors()).hasSize(2);
  }

  private List<DeletionVectorIdentity> removed() {
    List<DeletionVectorIdentity> removed = new ArrayList<>();
    table
        .currentSnapshot()
        .removedDeleteFiles(table.io())
        .forEach(file -> removed.add(DeletionVectorIdentity.of(file)));
    return removed;
  }

  // apache/iceberg-go#1221: removal by Puffin location would drop the sibling
  @Test
  void replacingOneVectorOfAPuffinLeavesItsSiblings() {
    try (DeletionVectorWriter writer = writer()) {
      writer.delete(data, 1);
      writer.delete(other, 2);
      writer.flush().applyTo(table.newRowDelta()).commit();
    }

    commit(data, 5);

    assertThat(list(live(data))).containsExactly(1L, 5L);
    assertThat(list(live(other))).containsExactly(2L);
  }

  @Test
  void countsOnlyPositionsThatWereNotDeletedBefore() {
    commit(data, 1, 2);
    try (DeletionVectorWriter writer = writer()) {
      writer.delete(data, positions(1, 2));
      writer.delete(data, 3);
      FlushedVector flushed = writer.flush().vectors().get(0);

      assertThat(flushed.newPositions().cardinality()).isOne();
      assertThat(flushed.entry().recordCount()).isEqualTo(3);
      assertThat(flushed.replaced())
          .extracting(DeletionVectorIdentity::of)
          .containsExactly(
              DeletionVectorIdentity.of(
                  LiveDeletes.of(table).vector(data.location()).orElseThrow()));
    }
  }

  // trinodb/trino#31165
  @Test
  void tellsWhenEveryRowIsDeleted() {
    commit(data, 0);
    try (DeletionVectorWriter writer = writer()) {
      writer.delete(data, DeletedPositions.builder().addRange(1, 100).build());

      assertThat(writer.flush().vectors().get(0).allRowsDeleted()).isTrue();
    }
  }

  // apache/iceberg#13666
  @Test
  void writesNoFileWhenNothingIsDeleted() {
    try (DeletionVectorWriter writer = writer()) {
      writer.delete(data, positions());
      FlushResult result = writer.flush();

      assertThat(result.isEmpty()).isTrue();
      assertThat(result.toDeleteWriteResult().deleteFiles()).isEmpty();
      assertThat(storage.locations()).isEmpty();
    }
  }

  @Test
  void closingWithoutAFlushLeavesNothing() {
    try (DeletionVectorWriter writer = writer()) {
      writer.delete(data, 1);
    }
    assertThat(storage.locations()).isEmpty();
  }

  @Test
  void aPreviousVectorIsReadInOneRequest() {
    commit(data, 1);
    commit(other, 2);
    storage.forget();

    try (DeletionVectorWriter writer = writer()) {
      writer.delete(data, 5);
      writer.flush();
    }

    assertThat(storage.requests()).isOne();
    assertThat(storage.count(Call.LENGTH)).isZero();
  }

  @ParameterizedTest
  @ValueSource(longs = {-1, 100, Long.MAX_VALUE, Long.MIN_VALUE})
  void refusesPositionsThatTheDataFileDoesNotHave(long position) {
    try (DeletionVectorWriter writer = writer()) {
      assertThatThrownBy(() -> writer.delete(data, position))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage(
              "Cannot delete row at position "
                  + position
                  + " of "
                  + data.location()
                  + ": expected 0 to 99");
      assertThat(writer.flush().isEmpty()).isTrue();
    }
  }

  @Test
  void refusesAWholeVectorOfPositionsPastTheDataFile() {
    try (DeletionVectorWriter writer = writer()) {
      assertThatThrownBy(() -> writer.delete(data, positions(5, 100)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("Cannot delete row at position 100 of " + data.location());
      assertThat(writer.flush().isEmpty()).isTrue();
    }
  }

  @Test
  void takesPositionsPastThirtyTwoBits() {
    DataFile large = append(table, "large", 1L << 40);

    commit(large, 0, (1L << 31) + 1, (1L << 40) - 1);

    assertThat(list(live(large))).containsExactly(0L, (1L << 31) + 1, (1L << 40) - 1);
  }

  // Altinity/ClickHouse#2119
  @Test
  void refusesAPreviousVectorWithPositionsPastTheDataFile() {
    commit(data, 1, 60);
    DataFile shorter = dataFile(table.spec(), "data", 50).build();
    try (DeletionVectorWriter writer = writer()) {
      writer.delete(shorter, 2);

      assertThatThrownBy(writer::flush)
          .isInstanceOfSatisfying(
              InvalidDeletionVectorException.class,
              e -> assertThat(e.reason()).isEqualTo(Reason.POSITION_RANGE))
          .hasMessageContaining("referenced data file " + data.location())
          .hasMessageEndingWith(" deletes position 60, but the data file has 50 rows");
    }
    assertThat(storage.locations()).hasSize(1);
  }

  @Test
  void refusesTwoVectorsOfADataFile() {
    long current = table.currentSnapshot().snapshotId();
    for (long position : new long[] {1, 2}) {
      try (DeletionVectorWriter writer =
          DeletionVectorWriter.of(table, PreviousDeletes.none(current))) {
        writer.delete(data, position);
        DeleteFile vector = writer.flush().vectors().get(0).entry();
        table
            .newRowDelta()
            .addDeletes(vector)
            .validateFromSnapshot(table.currentSnapshot().snapshotId())
            .commit();
      }
    }

    try (DeletionVectorWriter writer = writer()) {
      writer.delete(data, 3);
      assertThatThrownBy(writer::flush)
          .isInstanceOfSatisfying(
              InvalidDeletionVectorException.class,
              e -> assertThat(e.reason()).isEqualTo(Reason.DUPLICATE_VECTOR));
    }
    assertThat(storage.locations()).hasSize(2);
  }

  @Test
  void takesSpecAndPartitionFromTheDataFile() {
    Table partitioned = TestTables.create(BY_CATEGORY, 3);
    DataFile a = append(partitioned, "a", "category=a");
    DataFile none = append(partitioned, "none", "category=__HIVE_DEFAULT_PARTITION__");
    partitioned.updateSpec().removeField("category").commit();
    partitioned.refresh();
    DataFile evolved = append(partitioned, "evolved");

    for (int round = 0; round < 2; round++) {
      try (DeletionVectorWriter writer =
          DeletionVectorWriter.of(partitioned, LiveDeletes.of(partitioned))) {
        writer.delete(a, round);
        writer.delete(none, round);
        writer.delete(evolved, round);
        FlushResult result = writer.flush();
        assertThat(result.vectors())
            .extracting(flushed -> flushed.entry().specId())
            .containsExactly(a.specId(), none.specId(), evolved.specId());
        assertThat(result.vectors().get(0).entry().partition().get(0, String.class))
            .isEqualTo(a.partition().get(0, String.class));
        result.applyTo(partitioned.newRowDelta()).commit();
      }
    }

    assertThat(LiveDeletes.of(partitioned).vectors())
        .hasSize(3)
        .extracting(DeleteFile::recordCount)
        .containsOnly(2L);
  }

  @Test
  void refusesOneLocationInTwoPartitions() {
    Table partitioned = TestTables.create(BY_CATEGORY, 3);
    DataFile a = append(partitioned, "same", "category=a");
    DataFile b = dataFile(BY_CATEGORY, "same", 100).withPartitionPath("category=b").build();
    try (DeletionVectorWriter writer =
        DeletionVectorWriter.of(partitioned, LiveDeletes.of(partitioned))) {
      writer.delete(a, 1);

      assertThatThrownBy(() -> writer.delete(b, 2))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage(
              "Cannot delete rows of memory://data/same.parquet: it was given with 100 rows in"
                  + " spec 0 with partition PartitionData{category=a}, now with 100 rows in spec 0"
                  + " with partition PartitionData{category=b}");
    }
  }

  // apache/iceberg#16957, apache/iceberg-go#1975
  @Test
  void refusesAPreviousVectorInAnotherPartition() {
    Table partitioned = TestTables.create(BY_CATEGORY, 3);
    DataFile a = append(partitioned, "same", "category=a");
    DataFile b = dataFile(BY_CATEGORY, "same", 100).withPartitionPath("category=b").build();
    try (DeletionVectorWriter writer =
        DeletionVectorWriter.of(partitioned, LiveDeletes.of(partitioned))) {
      writer.delete(b, 1);
      FlushResult wrong = writer.flush();
      assertThatThrownBy(() -> wrong.applyTo(partitioned.newRowDelta()))
          .isInstanceOf(ValidationException.class)
          .hasMessage(
              "Cannot commit deletes of data file memory://data/same.parquet: it has 100 rows in"
                  + " spec 0 with partition PartitionData{category=a}, and was given with 100 rows"
                  + " in spec 0 with partition PartitionData{category=b}");
      partitioned.newRowDelta().addDeletes(wrong.vectors().get(0).entry()).commit();
    }

    try (DeletionVectorWriter writer =
        DeletionVectorWriter.of(partitioned, LiveDeletes.of(partitioned))) {
      writer.delete(a, 2);
      assertThatThrownBy(writer::flush)
          .isInstanceOfSatisfying(
              InvalidDeletionVectorException.class,
              e -> assertThat(e.reason()).isEqualTo(Reason.PARTITION))
          .hasMessageEndingWith(
              "its partition is spec 0 with partition PartitionData{category=b}, expected that of"
                  + " the data file, spec 0 with partition PartitionData{category=a}");
    }
  }

  @Test
  void refusesASpecThatTheTableDoesNotHave() {
    DataFile foreign =
        dataFile(
                PartitionSpec.builderFor(TestTables.SCHEMA).withSpecId(7).identity("id").build(),
                "foreign",
                100)
            .withPartitionPath("id=1")
            .build();
    try (DeletionVectorWriter writer = writer()) {
      assertThatThrownBy(() -> writer.delete(foreign, 1))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage(
              "Cannot delete rows of memory://data/foreign.parquet: the table has no partition"
                  + " spec 7");
    }
  }

  @Test
  void takesNothingMoreAfterClosing() {
    DeletionVectorWriter writer = writer();
    writer.close();

    assertThatThrownBy(() -> writer.delete(data, positions(1)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("Cannot delete rows: the writer is closed");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void refusesTablesWithoutVectors(int formatVersion) {
    Table old = TestTables.create(PartitionSpec.unpartitioned(), formatVersion);

    assertThatThrownBy(() -> DeletionVectorWriter.of(old, PreviousDeletes.none(1)))
        .isInstanceOfSatisfying(
            InvalidDeletionVectorException.class,
            e -> assertThat(e.reason()).isEqualTo(Reason.FORMAT_VERSION))
        .hasMessage(
            "Cannot write deletion vectors of table memory.db.table: its format version is "
                + formatVersion
                + ", expected 3");
  }

  @Test
  void refusesFormatVersionFour() {
    assertThatThrownBy(() -> FormatVersions.checkWritable("db.table", 4))
        .isInstanceOf(InvalidDeletionVectorException.class)
        .hasMessageEndingWith("its format version is 4, expected 3");
  }

  // apache/doris#65676: what is written must be readable under the same limits
  @Test
  void refusesAVectorOverTheLimit() {
    PuffinLimits limits = PuffinLimits.builder().maxBlobBytes(40).build();
    try (DeletionVectorWriter writer =
        DeletionVectorWriter.builder(table, LiveDeletes.of(table)).withLimits(limits).build()) {
      writer.delete(data, positions(1, 3, 5, 7, 9, 11));

      assertThatThrownBy(writer::flush)
          .isInstanceOfSatisfying(
              InvalidDeletionVectorException.class,
              e -> assertThat(e.reason()).isEqualTo(Reason.LIMIT))
          .hasMessageContaining(data.location())
          .hasMessageEndingWith("limit maxBlobBytes is 40");
    }
    assertThat(storage.locations()).isEmpty();
  }

  @Test
  void writesWhereTheCallerSays() {
    FileIO io = table.io();
    try (DeletionVectorWriter writer =
        DeletionVectorWriter.builder(table, LiveDeletes.of(table))
            .withOutputFiles(
                () -> EncryptedFiles.plainAsEncryptedOutput(io.newOutputFile("memory://x.puffin")))
            .build()) {
      writer.delete(data, 1);

      assertThat(writer.flush().vectors().get(0).entry().location()).isEqualTo("memory://x.puffin");
    }
    assertThat(storage.locations()).containsExactly("memory://x.puffin");
  }

  @Test
  void theSameCallsGiveTheSameBytes() {
    List<String> written = new ArrayList<>();
    for (int run = 0; run < 2; run++) {
      try (DeletionVectorWriter writer = writer()) {
        writer.delete(other, 5);
        writer.delete(data, positions(9, 1));
        written.add(writer.flush().vectors().get(0).entry().location());
      }
    }
    assertThat(storage.locations()).hasSize(2);
    assertThat(bytes(written.get(0))).isEqualTo(bytes(written.get(1)));
  }

  private byte[] bytes(String location) {
    InputFile file = storage.newInputFile(location);
    byte[] bytes = new byte[(int) file.getLength()];
    try (SeekableInputStream stream = file.newStream()) {
      ((RangeReadable) stream).readFully(0, bytes);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    return bytes;
  }
}
