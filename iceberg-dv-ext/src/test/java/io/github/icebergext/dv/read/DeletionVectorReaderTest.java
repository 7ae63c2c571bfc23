package io.github.icebergext.dv.read;

import static io.github.icebergext.testing.TestEntries.DATA_FILE;
import static io.github.icebergext.testing.TestEntries.PUFFIN;
import static io.github.icebergext.testing.TestEntries.list;
import static io.github.icebergext.testing.TestEntries.positions;
import static io.github.icebergext.testing.TestEntries.vector;
import static io.github.icebergext.testing.TestEntries.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.dv.DeletionVectorCodec;
import io.github.icebergext.dv.DeletionVectorEntry;
import io.github.icebergext.dv.InvalidDeletionVectorException;
import io.github.icebergext.puffin.ByteRange;
import io.github.icebergext.puffin.PuffinFileWriter;
import io.github.icebergext.puffin.PuffinLimits;
import io.github.icebergext.puffin.Reason;
import io.github.icebergext.testing.RecordingFile;
import io.github.icebergext.testing.RecordingFile.Call;
import io.github.icebergext.testing.RecordingFileIO;
import io.github.icebergext.testing.TestEntries;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.exceptions.NotFoundException;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.puffin.Blob;
import org.apache.iceberg.puffin.BlobMetadata;
import org.apache.iceberg.puffin.StandardBlobTypes;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DeletionVectorReaderTest {
  private static final String FIRST = "s3://bucket/first.parquet";

  private RecordingFileIO io = RecordingFileIO.rangeReadable();
  private DeleteFile entry = vector();

  /** A Puffin of two vectors, the second of which {@link #entry} points at. */
  @BeforeEach
  void writePuffin() {
    writePuffin(io);
  }

  private void writePuffin(RecordingFileIO storage) {
    try (PuffinFileWriter writer =
        PuffinFileWriter.write(storage.newOutputFile(PUFFIN), storage).build()) {
      writer.write(blob(FIRST, positions(0, 1, 2)));
      BlobMetadata second = writer.write(blob(DATA_FILE, positions(7, 1L << 33)));
      writer.finish();
      entry = vector(PUFFIN, second.offset(), second.length(), 2);
    }
    storage.forget();
  }

  private static Blob blob(String dataFile, DeletedPositions positions) {
    return new Blob(
        StandardBlobTypes.DV_V1,
        List.of(),
        -1,
        -1,
        DeletionVectorCodec.encode(positions),
        null,
        TestEntries.properties(dataFile, positions.cardinality()));
  }

  private DeletionVectorReader reader() {
    return DeletionVectorReader.builder(io).withCheck(ReadCheck.ENTRY).build();
  }

  private RecordingFile puffin() {
    return io.file(PUFFIN);
  }

  // datafusion-comet#5853: no HEAD; ClickHouse#110781: byte 0 is not touched
  @Test
  void readsAVectorInOneRangedRequestAndNoOther() {
    assertThat(list(reader().read(entry))).containsExactly(7L, 1L << 33);

    assertThat(puffin().requests())
        .containsExactly(new ByteRange(entry.contentOffset(), entry.contentSizeInBytes()));
    assertThat(puffin().count(Call.OPEN)).isOne();
    assertThat(puffin().count(Call.LENGTH)).isZero();
    assertThat(puffin().openStreams()).isZero();
  }

  @Test
  void readsAVectorInOneRequestFromAStreamThatOnlySeeks() {
    io = RecordingFileIO.seekable();
    writePuffin(io);

    assertThat(list(reader().read(entry))).containsExactly(7L, 1L << 33);

    assertThat(puffin().requests())
        .containsExactly(new ByteRange(entry.contentOffset(), entry.contentSizeInBytes()));
    assertThat(puffin().count(Call.LENGTH)).isZero();
  }

  // The size is absent in Paimon's entries and that of the vector alone in Delta's.
  @ParameterizedTest
  @ValueSource(longs = {-1, 20, Long.MAX_VALUE})
  void aWrongFileSizeOfTheEntryChangesNothing(long fileSize) {
    assertThat(list(reader().read(with(entry, "fileSizeInBytes", fileSize))))
        .containsExactly(7L, 1L << 33);
    assertThat(puffin().requests()).hasSize(1);
    assertThat(puffin().count(Call.LENGTH)).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"contentOffset", "contentSizeInBytes", "referencedDataFile"})
  void asksNothingOfTheStorageWhenACoordinateIsMissing(String coordinate) {
    DeleteFile incomplete = with(entry, coordinate, null);

    assertThatThrownBy(() -> reader().read(incomplete))
        .isInstanceOf(InvalidDeletionVectorException.class)
        .hasMessageContaining(DeletionVectorEntry.describe(incomplete));
    assertThat(io.count(Call.OPEN)).isZero();
  }

  @Test
  void asksNothingOfTheStorageWhenTheVectorIsOverTheLimit() {
    PuffinLimits limits = PuffinLimits.builder().maxBlobBytes(30).build();
    DeletionVectorReader reader = DeletionVectorReader.builder(io).withLimits(limits).build();

    assertThatThrownBy(() -> reader.read(entry))
        .isInstanceOfSatisfying(
            InvalidDeletionVectorException.class,
            e -> assertThat(e.reason()).isEqualTo(Reason.LIMIT));
    assertThatThrownBy(
            () -> reader.read(input(), entry.contentOffset(), entry.contentSizeInBytes()))
        .isInstanceOfSatisfying(
            InvalidDeletionVectorException.class,
            e -> assertThat(e.reason()).isEqualTo(Reason.LIMIT));
    assertThat(io.count(Call.OPEN)).isZero();
  }

  // iceberg-go#1127, datafusion-comet#5365: zero is a value, and a valid CRC proves no count
  @ParameterizedTest
  @ValueSource(longs = {0, 1, 3})
  void refusesARecordCountThatTheVectorDoesNotHave(long recordCount) {
    DeleteFile wrong = with(entry, "recordCount", recordCount);

    assertThatThrownBy(() -> reader().read(wrong))
        .isInstanceOfSatisfying(
            InvalidDeletionVectorException.class,
            e -> assertThat(e.reason()).isEqualTo(Reason.CARDINALITY))
        .hasMessageStartingWith("Cannot read " + DeletionVectorEntry.describe(entry) + ": ");
  }

  @Test
  void namesTheEntryWhenItsBytesAreCorrupt() {
    byte[] bytes = new byte[entry.contentSizeInBytes().intValue() + 4];
    RecordingFile corrupt = io.put("s3://bucket/corrupt.puffin", bytes);
    DeleteFile wrong = vector(corrupt.location(), 4, entry.contentSizeInBytes(), 2);

    assertThatThrownBy(() -> reader().read(wrong))
        .isInstanceOf(InvalidDeletionVectorException.class)
        .hasMessageStartingWith("Cannot read " + DeletionVectorEntry.describe(wrong) + ": ")
        .hasCauseInstanceOf(InvalidDeletionVectorException.class);
    assertThat(corrupt.openStreams()).isZero();
  }

  @Test
  void refusesAnEntryThatPointsPastTheEndOfItsFile() {
    DeleteFile past = vector(PUFFIN, 1 << 20, 44, 2);

    assertThatThrownBy(() -> reader().read(past))
        .isInstanceOfSatisfying(
            InvalidDeletionVectorException.class,
            e -> assertThat(e.reason()).isEqualTo(Reason.BLOB_RANGE))
        .hasMessageStartingWith("Cannot read " + DeletionVectorEntry.describe(past) + ": ");
  }

  @Test
  void letsAStorageExceptionLeaveAsItIsWithANoteOfTheEntry() {
    IOException failure = new IOException("connection reset");
    puffin().failAt(Call.READ, 1, failure);

    assertThatThrownBy(() -> reader().read(entry))
        .isInstanceOf(UncheckedIOException.class)
        .hasCause(failure)
        .satisfies(
            e ->
                assertThat(e.getSuppressed())
                    .anySatisfy(
                        note ->
                            assertThat(note)
                                .hasMessage(
                                    "while reading " + DeletionVectorEntry.describe(entry))));
    assertThat(puffin().openStreams()).isZero();
  }

  @Test
  void letsAMissingFileLeaveAsTheStoragesException() {
    DeleteFile missing = vector("s3://bucket/missing.puffin", 4, 44, 2);

    assertThatThrownBy(() -> reader().read(missing))
        .isInstanceOf(NotFoundException.class)
        .satisfies(
            e ->
                assertThat(e.getSuppressed())
                    .anySatisfy(note -> assertThat(note).hasMessageStartingWith("while reading ")));
  }

  @Test
  void readsWithoutAnEntry() {
    long offset = entry.contentOffset();
    long size = entry.contentSizeInBytes();

    assertThat(list(reader().read(input(), offset, size))).containsExactly(7L, 1L << 33);
    assertThat(list(reader().read(input(), offset, size, Expectations.none().withCardinality(2))))
        .containsExactly(7L, 1L << 33);
    assertThat(puffin().count(Call.LENGTH)).isZero();
  }

  @Test
  void refusesAnotherCardinalityThanTheCallerExpects() {
    assertThatThrownBy(
            () ->
                reader()
                    .read(
                        input(),
                        entry.contentOffset(),
                        entry.contentSizeInBytes(),
                        Expectations.none().withCardinality(1)))
        .isInstanceOfSatisfying(
            InvalidDeletionVectorException.class,
            e -> assertThat(e.reason()).isEqualTo(Reason.CARDINALITY))
        .hasMessageContaining("deletion vector in " + PUFFIN + " (content offset ");
  }

  // Iceberg reads these into BufferUnderflowException or NegativeArraySizeException.
  @ParameterizedTest
  @ValueSource(longs = {Long.MIN_VALUE, -1, 0, 3, 8, 19})
  void refusesImpossibleSizesWithoutAnEntry(long size) {
    assertThatThrownBy(() -> reader().read(input(), 4, size))
        .isInstanceOfSatisfying(
            InvalidDeletionVectorException.class,
            e -> assertThat(e.reason()).isEqualTo(Reason.ENTRY_COORDINATES))
        .hasMessageContaining(PUFFIN);
    assertThat(io.count(Call.OPEN)).isZero();
  }

  @Test
  void refusesAnImpossibleCardinalityWithoutAnEntry() {
    assertThatThrownBy(() -> reader().read(input(), 4, 44, Expectations.none().withCardinality(-1)))
        .isInstanceOf(InvalidDeletionVectorException.class)
        .hasMessageContaining("record count is -1");
    assertThat(io.count(Call.OPEN)).isZero();
  }

  @Test
  void readsBareVectorsThatStandInNoPuffin() {
    ByteBuffer bare = DeletionVectorCodec.encode(positions(5));
    byte[] bytes = new byte[bare.remaining()];
    bare.get(bytes);
    io.put("s3://bucket/bare.puffin", bytes);

    assertThat(list(reader().read(vector("s3://bucket/bare.puffin", 0, bytes.length, 1))))
        .containsExactly(5L);
  }

  private InputFile input() {
    return io.newInputFile(PUFFIN);
  }
}
