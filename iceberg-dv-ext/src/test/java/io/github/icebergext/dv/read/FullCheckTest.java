package io.github.icebergext.dv.read;

import static io.github.icebergext.testing.TestEntries.DATA_FILE;
import static io.github.icebergext.testing.TestEntries.PUFFIN;
import static io.github.icebergext.testing.TestEntries.list;
import static io.github.icebergext.testing.TestEntries.positions;
import static io.github.icebergext.testing.TestEntries.properties;
import static io.github.icebergext.testing.TestEntries.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.dv.DeletionVectorEntry;
import io.github.icebergext.dv.DeletionVectorIdentity;
import io.github.icebergext.dv.InvalidDeletionVectorException;
import io.github.icebergext.puffin.ByteRange;
import io.github.icebergext.puffin.PuffinFileWriter;
import io.github.icebergext.puffin.PuffinLimits;
import io.github.icebergext.puffin.Reason;
import io.github.icebergext.testing.RecordingFile;
import io.github.icebergext.testing.RecordingFile.Call;
import io.github.icebergext.testing.RecordingFileIO;
import io.github.icebergext.testing.RecordingListener;
import io.github.icebergext.testing.TestPuffin;
import io.github.icebergext.testing.WarningLog;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.deletes.PositionDeleteIndex;
import org.apache.iceberg.puffin.BlobMetadata;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FullCheckTest {
  private static final String OTHER_DATA_FILE = "s3://bucket/other.parquet";

  private final RecordingFileIO io = RecordingFileIO.rangeReadable();
  private final RecordingListener listener = new RecordingListener();
  private final DeletionVectorReader reader =
      DeletionVectorReader.builder(io).withListener(listener).build();

  @BeforeEach
  void forgetWarnings() {
    WarningLog.drain();
  }

  private RecordingFile puffin() {
    return io.file(PUFFIN);
  }

  private static void assertRefused(
      DeletionVectorReader reader, DeleteFile entry, Reason reason, String complaint) {
    assertThatThrownBy(() -> reader.read(entry))
        .isInstanceOfSatisfying(
            InvalidDeletionVectorException.class, e -> assertThat(e.reason()).isEqualTo(reason))
        .hasMessageStartingWith("Cannot read " + DeletionVectorEntry.describe(entry) + ": ")
        .hasMessageContaining(complaint);
  }

  private void assertRefused(DeleteFile entry, Reason reason, String complaint) {
    assertRefused(reader, entry, reason, complaint);
  }

  private DeleteFile vector(
      String type, @Nullable String codec, Map<String, String> properties, long... positions) {
    return new TestPuffin(PUFFIN)
        .vector(DATA_FILE, positions(positions), type, codec, properties)
        .store(io)
        .get(0);
  }

  @Test
  void isTheDefault() {
    DeleteFile entry = new TestPuffin(PUFFIN).unlisted(DATA_FILE, 1).store(io).get(0);

    assertRefused(entry, Reason.BLOB_NOT_FOUND, "no blob");
  }

  @Test
  void readsVectorAndFooterInOneRequestWhenTheyAreNear() {
    List<DeleteFile> entries =
        new TestPuffin(PUFFIN).vector(OTHER_DATA_FILE, 0).vector(DATA_FILE, 7, 9).store(io);

    assertThat(list(reader.read(entries.get(1)))).containsExactly(7L, 9L);

    assertThat(puffin().requests()).containsExactly(new ByteRange(0, puffin().size()));
    assertThat(puffin().count(Call.LENGTH)).isZero();
    assertThat(puffin().openStreams()).isZero();
  }

  @Test
  void readsVectorAndFooterInTwoRequestsAtOnceWhenTheyAreFarApart() {
    DeleteFile entry =
        new TestPuffin(PUFFIN).vector(DATA_FILE, 7, 9).padding(1 << 20).store(io).get(0);

    assertThat(list(reader.read(entry))).containsExactly(7L, 9L);

    long tail = PuffinLimits.defaults().tailBytes();
    assertThat(puffin().requests())
        .containsExactlyInAnyOrder(
            new ByteRange(entry.contentOffset(), entry.contentSizeInBytes()),
            new ByteRange(puffin().size() - tail, tail));
    assertThat(puffin().count(Call.LENGTH)).isZero();
    assertThat(puffin().openStreams()).isZero();
  }

  @Test
  void readsTheRestOfAFooterThatDoesNotFitTheTailInASecondRoundTrip() {
    PuffinLimits limits = PuffinLimits.builder().tailBytes(64).mergeGapBytes(0).build();
    DeletionVectorReader small = DeletionVectorReader.builder(io).withLimits(limits).build();
    DeleteFile entry =
        new TestPuffin(PUFFIN).vector(DATA_FILE, 7, 9).padding(1 << 10).store(io).get(0);

    assertThat(list(small.read(entry))).containsExactly(7L, 9L);

    assertThat(puffin().requests()).hasSize(3);
    assertThat(puffin().bytesRead())
        .isEqualTo(
            entry.contentSizeInBytes() + puffin().size() - 4 - 1024 - entry.contentSizeInBytes());
  }

  @Test
  void takesAFooterLargerThanTheTailFromTheRequestThatBringsTheVector() {
    PuffinLimits limits = PuffinLimits.builder().tailBytes(64).build();
    DeletionVectorReader small = DeletionVectorReader.builder(io).withLimits(limits).build();
    DeleteFile entry =
        new TestPuffin(PUFFIN)
            .vector(OTHER_DATA_FILE, 0)
            .vector(DATA_FILE, 7, 9)
            .padding(1 << 10)
            .store(io)
            .get(1);

    assertThat(list(small.read(entry))).containsExactly(7L, 9L);

    assertThat(puffin().requests())
        .containsExactly(
            new ByteRange(entry.contentOffset(), puffin().size() - entry.contentOffset()));
    assertThat(puffin().count(Call.LENGTH)).isZero();
  }

  // Altinity/ClickHouse#2119, iceberg-go#1615: what framing, CRC and count do not see
  @Test
  void catchesOffsetsThatWereSwappedBetweenSiblingsOfTheSameCardinality() {
    List<DeleteFile> entries =
        new TestPuffin(PUFFIN).vector(DATA_FILE, 1, 2).vector(OTHER_DATA_FILE, 5, 6).store(io);
    DeleteFile swapped = with(entries.get(0), "contentOffset", entries.get(1).contentOffset());

    assertRefused(
        swapped,
        Reason.REFERENCED_DATA_FILE,
        "deletes rows of data file " + OTHER_DATA_FILE + ", expected those of " + DATA_FILE);
  }

  @Test
  void theSwapGoesUnnoticedUnderTheEntryCheckAndInIceberg() {
    TestPuffin puffin = new TestPuffin(PUFFIN).vector(DATA_FILE, 1, 2).vector("other", 5, 6);
    List<DeleteFile> entries = puffin.store(io);
    DeleteFile swapped = with(entries.get(0), "contentOffset", entries.get(1).contentOffset());
    int offset = swapped.contentOffset().intValue();
    byte[] blob =
        Arrays.copyOfRange(
            puffin.toBytes(), offset, offset + swapped.contentSizeInBytes().intValue());

    PositionDeleteIndex iceberg = PositionDeleteIndex.deserialize(blob, swapped);
    assertThat(iceberg.isDeleted(5)).isTrue();
    assertThat(iceberg.isDeleted(1)).isFalse();
    assertThat(
            list(DeletionVectorReader.builder(io).withCheck(ReadCheck.ENTRY).build().read(swapped)))
        .containsExactly(5L, 6L);
  }

  @ParameterizedTest
  @CsvSource({"1, 0", "0, 1", "-1, 0", "0, -1"})
  void refusesBytesThatAreNotExactlyABlobs(int offsetShift, int sizeShift) {
    // The bytes are a vector wherever they are: only the footer tells that they are none of its.
    DeletedPositions positions = positions(1, 2);
    byte[] vector = TestPuffin.encoded(positions);
    List<DeleteFile> entries =
        new TestPuffin(PUFFIN).unlisted(DATA_FILE, 1, 2).vector(DATA_FILE, 1, 2).store(io);
    DeleteFile unlisted = entries.get(0);

    assertRefused(unlisted, Reason.BLOB_NOT_FOUND, "no blob at exactly these bytes");
    assertThatThrownBy(
            () ->
                reader.read(
                    with(
                        with(entries.get(1), "contentOffset", 4L + vector.length + offsetShift),
                        "contentSizeInBytes",
                        (long) vector.length + sizeShift)))
        .isInstanceOf(InvalidDeletionVectorException.class);
  }

  // duckdb-iceberg#370: other types are legal, but not where an entry points
  @Test
  void refusesABlobOfAnotherType() {
    assertRefused(
        vector("apache-datasketches-theta-v1", null, properties(DATA_FILE, 1), 1),
        Reason.BLOB_TYPE,
        "type apache-datasketches-theta-v1, expected deletion-vector-v1");
  }

  @ParameterizedTest
  @ValueSource(strings = {"lz4", "zstd", "none", ""})
  void refusesABlobWithACodec(String codec) {
    assertRefused(
        vector(TestPuffin.TYPE, codec, properties(DATA_FILE, 1), 1),
        Reason.BLOB_TYPE,
        "compression codec " + codec);
  }

  @Test
  void refusesABlobThatDoesNotNameItsDataFile() {
    assertRefused(
        vector(TestPuffin.TYPE, null, Map.of("cardinality", "1"), 1),
        Reason.REFERENCED_DATA_FILE,
        "lacks the property referenced-data-file");
  }

  // iceberg-go#1615: schemes are not folded
  @ParameterizedTest
  @ValueSource(strings = {"s3a://bucket/data.parquet", "s3://bucket/DATA.parquet", "", " "})
  void comparesDataFilesExactly(String dataFile) {
    assertRefused(
        vector(TestPuffin.TYPE, null, properties(dataFile, 1), 1),
        Reason.REFERENCED_DATA_FILE,
        "expected those of " + DATA_FILE);
  }

  // iceberg-go#1127, iceberg-go#1510: zero is a value
  @ParameterizedTest
  @ValueSource(strings = {"0", "1", "3"})
  void refusesADeclaredCardinalityThatTheVectorDoesNotHave(String cardinality) {
    assertRefused(
        vector(
            TestPuffin.TYPE,
            null,
            Map.of("referenced-data-file", DATA_FILE, "cardinality", cardinality),
            4,
            5),
        Reason.CARDINALITY,
        "it holds 2 positions, expected the cardinality of its blob, " + cardinality);
  }

  @ParameterizedTest
  @ValueSource(strings = {"abc", "-1", "", "1.0", "99999999999999999999"})
  void refusesADeclaredCardinalityThatIsNoNumber(String cardinality) {
    assertRefused(
        vector(
            TestPuffin.TYPE,
            null,
            Map.of("referenced-data-file", DATA_FILE, "cardinality", cardinality),
            4),
        Reason.CARDINALITY,
        "property cardinality is \"" + cardinality + "\"");
  }

  @Test
  void acceptsAVectorOfNothingWhenAllSayZero() {
    DeleteFile entry = vector(TestPuffin.TYPE, null, properties(DATA_FILE, 0));

    assertThat(reader.read(entry).isEmpty()).isTrue();
  }

  @Test
  void refusesARecordCountOfZeroForAVectorOfSome() {
    DeleteFile entry = vector(TestPuffin.TYPE, null, properties(DATA_FILE, 1), 4);

    assertRefused(
        with(entry, "recordCount", 0L),
        Reason.CARDINALITY,
        "it holds 1 positions, expected the record count 0");
  }

  @Test
  void warnsOfAMissingCardinalityAndAppliesTheVector() {
    DeleteFile entry = vector(TestPuffin.TYPE, null, Map.of("referenced-data-file", DATA_FILE), 4);

    assertThat(list(reader.read(entry))).containsExactly(4L);
    assertThat(list(reader.read(entry))).containsExactly(4L);

    ReadWarning warning =
        new ReadWarning(
            DeletionVectorIdentity.of(entry),
            Optional.of(DATA_FILE),
            Reason.CARDINALITY,
            "its blob lacks the property cardinality");
    assertThat(listener.warnings()).containsExactly(warning, warning);
    assertThat(WarningLog.drain())
        .singleElement()
        .asString()
        .contains(DeletionVectorEntry.describe(entry), "lacks the property cardinality");
  }

  @Test
  void findsTheSoundOneOfSeveralBlobsThatShareTheirBytes() {
    TestPuffin puffin = new TestPuffin(PUFFIN).vector(OTHER_DATA_FILE, 3).again(DATA_FILE, 1);
    DeleteFile entry = with(puffin.store(io).get(0), "referencedDataFile", DATA_FILE);

    assertThat(list(reader.read(entry))).containsExactly(3L);
    assertRefused(
        with(entry, "referencedDataFile", "third"), Reason.REFERENCED_DATA_FILE, OTHER_DATA_FILE);
  }

  // duckdb-iceberg#1206: a footer lists many blobs
  @Test
  void findsTheBlobOfEachOfManyVectors() {
    TestPuffin puffin = new TestPuffin(PUFFIN).padding(10);
    for (int i = 0; i < 100; i++) {
      puffin.vector("data-" + i, i);
    }
    List<DeleteFile> entries = puffin.store(io);

    for (int i = 0; i < 100; i++) {
      assertThat(list(reader.read(entries.get(i)))).containsExactly((long) i);
    }
  }

  @Test
  void refusesADamagedFooterUnderTheReasonOfThePuffin() {
    DeleteFile entry = new TestPuffin(PUFFIN).vector(DATA_FILE, 1).store(io).get(0);
    byte[] bytes = new TestPuffin(PUFFIN).vector(DATA_FILE, 1).toBytes();
    bytes[bytes.length - 8] = 2;
    io.put(PUFFIN, bytes);

    assertRefused(entry, Reason.FOOTER_FLAGS, "unknown flags");
    assertThat(puffin().openStreams()).isZero();
  }

  // velox#18471: a defect that only the footer has
  @Test
  void aDamagedFooterDoesNotMatterUnderTheEntryCheck() {
    DeleteFile entry = new TestPuffin(PUFFIN).vector(DATA_FILE, 1).store(io).get(0);
    byte[] bytes = new TestPuffin(PUFFIN).vector(DATA_FILE, 1).toBytes();
    bytes[bytes.length - 20] = 0;
    io.put(PUFFIN, bytes);

    assertRefused(entry, Reason.FOOTER_PAYLOAD, "Cannot read footer of " + PUFFIN);
    assertThat(
            list(DeletionVectorReader.builder(io).withCheck(ReadCheck.ENTRY).build().read(entry)))
        .containsExactly(1L);
  }

  // iceberg#16033: Iceberg cannot read such a footer
  @Test
  void readsACompressedFooter() {
    BlobMetadata vector;
    try (PuffinFileWriter writer =
        PuffinFileWriter.write(io.newOutputFile(PUFFIN), io).compressFooter().build()) {
      vector = writer.write(positions(7, 9).toBlob(DATA_FILE));
      writer.finish();
    }
    DeleteFile entry =
        TestPuffin.entry(PUFFIN, puffin().size(), DATA_FILE, vector.offset(), vector.length(), 2);

    assertThat(list(reader.read(entry))).containsExactly(7L, 9L);
    assertRefused(
        with(entry, "referencedDataFile", OTHER_DATA_FILE),
        Reason.REFERENCED_DATA_FILE,
        "expected those of " + OTHER_DATA_FILE);
  }

  // hive#5261: what is left of an upload that failed
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 4, 11, 12, 27, 31})
  void refusesAFileThatIsTooShortForTheVector(int length) {
    DeleteFile entry = new TestPuffin(PUFFIN).vector(DATA_FILE, 1).store(io).get(0);
    io.put(PUFFIN, new byte[length]);

    assertRefused(entry, Reason.BLOB_RANGE, "ends at " + length);
    assertRefused(
        with(entry, "fileSizeInBytes", (long) length), Reason.BLOB_RANGE, "ends at " + length);
  }

  @Test
  void holdsAVectorWithoutAnEntryToWhatTheCallerExpects() {
    DeleteFile entry = new TestPuffin(PUFFIN).vector(DATA_FILE, 7, 9).store(io).get(0);
    long offset = entry.contentOffset();
    long size = entry.contentSizeInBytes();
    Expectations expectations = Expectations.none().withReferencedDataFile(DATA_FILE);

    assertThat(
            list(
                reader.read(
                    io.newInputFile(PUFFIN, puffin().size()),
                    offset,
                    size,
                    expectations.withCardinality(2).withRowCount(10))))
        .containsExactly(7L, 9L);
    assertThat(puffin().count(Call.LENGTH)).isZero();
    assertThatThrownBy(
            () -> reader.read(io.newInputFile(PUFFIN), offset, size, expectations.withRowCount(9)))
        .hasMessageContaining("its last position is 9, expected less than the data file's 9 rows")
        .isInstanceOfSatisfying(
            InvalidDeletionVectorException.class,
            e -> assertThat(e.reason()).isEqualTo(Reason.POSITION_RANGE));
    assertThatThrownBy(
            () ->
                reader.read(
                    io.newInputFile(PUFFIN),
                    offset,
                    size,
                    Expectations.none().withReferencedDataFile(OTHER_DATA_FILE)))
        .hasMessageContaining("deletes rows of data file " + DATA_FILE)
        .isInstanceOfSatisfying(
            InvalidDeletionVectorException.class,
            e -> assertThat(e.reason()).isEqualTo(Reason.REFERENCED_DATA_FILE));
  }

  @Test
  void holdsAVectorOfWhichNothingIsExpectedToItsFooter() {
    DeleteFile entry =
        vector(
            TestPuffin.TYPE,
            null,
            Map.of("referenced-data-file", DATA_FILE, "cardinality", "3"),
            4,
            5);

    assertThatThrownBy(
            () ->
                reader.read(
                    io.newInputFile(PUFFIN), entry.contentOffset(), entry.contentSizeInBytes()))
        .hasMessageContaining("expected the cardinality of its blob, 3");
  }
}
