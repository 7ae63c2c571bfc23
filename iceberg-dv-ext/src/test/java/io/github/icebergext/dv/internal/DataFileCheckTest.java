package io.github.icebergext.dv.internal;

import static io.github.icebergext.testing.TestEntries.DATA_FILE;
import static io.github.icebergext.testing.TestEntries.PUFFIN;
import static io.github.icebergext.testing.TestEntries.list;
import static io.github.icebergext.testing.TestEntries.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.icebergext.dv.DeletionVectorEntry;
import io.github.icebergext.dv.InvalidDeletionVectorException;
import io.github.icebergext.dv.read.DeletionVectorReader;
import io.github.icebergext.puffin.Reason;
import io.github.icebergext.testing.RecordingFile.Call;
import io.github.icebergext.testing.RecordingFileIO;
import io.github.icebergext.testing.TestEntries;
import io.github.icebergext.testing.TestPuffin;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.util.Map;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.PartitionData;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.types.Types;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DataFileCheckTest {
  private static final Schema SCHEMA =
      new Schema(
          Types.NestedField.optional(1, "category", Types.StringType.get()),
          Types.NestedField.optional(2, "hash", Types.BinaryType.get()));
  private static final PartitionSpec SPEC =
      PartitionSpec.builderFor(SCHEMA).withSpecId(1).identity("category").identity("hash").build();

  private final RecordingFileIO io = RecordingFileIO.rangeReadable();
  private final DeletionVectorReader reader =
      DeletionVectorReader.builder(io)
          .withSpecs(Map.of(0, PartitionSpec.unpartitioned(), 1, SPEC))
          .build();
  private final DeleteFile entry =
      new TestPuffin(PUFFIN).vector(DATA_FILE, 5, 1000).store(io).get(0);

  private static DataFile dataFile(long rows) {
    return DataFiles.builder(PartitionSpec.unpartitioned())
        .withPath(DATA_FILE)
        .withFormat("parquet")
        .withFileSizeInBytes(100)
        .withRecordCount(rows)
        .build();
  }

  private static PartitionData partition(@Nullable Object category, byte @Nullable [] hash) {
    PartitionData partition = new PartitionData(SPEC.partitionType());
    partition.set(0, category);
    partition.set(1, hash == null ? null : ByteBuffer.wrap(hash));
    return partition;
  }

  private static DataFile dataFile(PartitionData partition) {
    return DataFiles.builder(SPEC)
        .withPath(DATA_FILE)
        .withFormat("parquet")
        .withFileSizeInBytes(100)
        .withRecordCount(2000)
        .withPartition(partition)
        .build();
  }

  private DeleteFile entry(int specId, @Nullable PartitionData partition) {
    return with(with(entry, "specId", specId), "partition", partition);
  }

  private void assertRefused(
      DeleteFile deleteFile, DataFile dataFile, Reason reason, String complaint) {
    assertThatThrownBy(() -> reader.read(deleteFile, dataFile))
        .isInstanceOfSatisfying(
            InvalidDeletionVectorException.class, e -> assertThat(e.reason()).isEqualTo(reason))
        .hasMessageStartingWith("Invalid " + DeletionVectorEntry.describe(deleteFile) + ": ")
        .hasMessageContaining(complaint);
  }

  private void assertRefusedUnread(
      DeleteFile deleteFile, DataFile dataFile, Reason reason, String complaint) {
    assertRefused(deleteFile, dataFile, reason, complaint);
    assertThat(io.count(Call.OPEN)).isZero();
  }

  @Test
  void acceptsTheVectorOfTheDataFile() {
    assertThat(list(reader.read(entry, dataFile(1001)))).containsExactly(5L, 1000L);
  }

  @Test
  void refusesTheVectorOfAnotherDataFile() {
    DataFile other =
        DataFiles.builder(PartitionSpec.unpartitioned())
            .copy(dataFile(2000))
            .withPath("s3://bucket/other.parquet")
            .build();

    assertRefusedUnread(
        entry, other, Reason.REFERENCED_DATA_FILE, "not of data file s3://bucket/other.parquet");
  }

  // ClickHouse#2119: a scan and count() from metadata would disagree
  @Test
  void refusesAPositionThatIsNoRow() {
    assertRefused(
        entry,
        dataFile(1000),
        Reason.POSITION_RANGE,
        "its last position is 1000, expected less than the data file's 1000 rows");
  }

  @Test
  void refusesMoreDeletesThanRows() {
    assertRefusedUnread(
        entry,
        dataFile(1),
        Reason.POSITION_RANGE,
        "its record count is 2, expected at most the data file's 1 rows");
  }

  // iceberg#16957, iceberg-go#1975: an error, not the absence of a vector
  @Test
  void refusesAnotherPartition() {
    assertRefusedUnread(
        entry(1, partition("a", null)),
        dataFile(partition("b", null)),
        Reason.PARTITION,
        "its partition is spec 1 with partition ");
  }

  @Test
  void comparesPartitionsByTypeAndWithNulls() {
    byte[] hash = {1, 2};

    assertThat(
            reader.read(
                entry(1, partition(CharBuffer.wrap("a"), hash.clone())),
                dataFile(partition("a", hash))))
        .isNotNull();
    assertThat(reader.read(entry(1, partition(null, null)), dataFile(partition(null, null))))
        .isNotNull();
    assertRefused(
        entry(1, partition(null, hash)), dataFile(partition("a", hash)), Reason.PARTITION, "null");
    assertRefused(
        entry(1, partition("a", hash)), dataFile(partition("a", null)), Reason.PARTITION, "null");
  }

  @Test
  void refusesAnotherSpecAlsoWhereTheTuplesAreEqual() {
    assertRefusedUnread(
        entry(0, partition("a", null)),
        dataFile(partition("a", null)),
        Reason.PARTITION,
        "its partition is spec 0 with partition ");
  }

  @Test
  void comparesSpecIdsWhereTheSpecsAreNotKnown() {
    DeletionVectorReader plain = DeletionVectorReader.builder(io).build();

    assertThat(plain.read(entry(1, partition("a", null)), dataFile(partition("a", null))))
        .isNotNull();
    assertThatThrownBy(() -> plain.read(entry, dataFile(partition("a", null))))
        .isInstanceOfSatisfying(
            InvalidDeletionVectorException.class,
            e -> assertThat(e.reason()).isEqualTo(Reason.PARTITION));
  }

  @ParameterizedTest
  @CsvSource({"3, 3", "4, 3", ", 3", "3, ", ", "})
  void acceptsAVectorThatIsNotOlderAsFarAsIsKnown(@Nullable Long vector, @Nullable Long data) {
    assertThat(reader.read(with(entry, "dataSequenceNumber", vector), withSequenceNumber(data)))
        .isNotNull();
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 2})
  void refusesAVectorOlderThanItsDataFile(long sequenceNumber) {
    assertRefusedUnread(
        with(entry, "dataSequenceNumber", sequenceNumber),
        withSequenceNumber(3L),
        Reason.SEQUENCE_NUMBER,
        "its data sequence number is "
            + sequenceNumber
            + ", expected at least that of the data file, 3");
  }

  private static DataFile withSequenceNumber(@Nullable Long sequenceNumber) {
    return TestEntries.with(dataFile(2000), DataFile.class, "dataSequenceNumber", sequenceNumber);
  }
}
