package io.github.icebergext.puffin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.icebergext.testing.RecordingFile;
import io.github.icebergext.testing.RecordingFile.Call;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.iceberg.inmemory.InMemoryOutputFile;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.puffin.Blob;
import org.apache.iceberg.puffin.BlobMetadata;
import org.apache.iceberg.puffin.Puffin;
import org.apache.iceberg.puffin.PuffinCompressionCodec;
import org.apache.iceberg.puffin.PuffinWriter;
import org.apache.iceberg.util.Pair;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PuffinFileReaderTest {
  private static final String LOCATION = "s3://bucket/stats/a%20b.puffin";
  private static final int BLOBS = 64;

  /** 64 blobs of 100 random bytes, written by Iceberg. */
  private static final byte[] PUFFIN = puffin(BLOBS, 100);

  private static final PuffinFooter FOOTER =
      PuffinFooter.parse(LOCATION, ByteBuffer.wrap(PUFFIN), PUFFIN.length, PuffinLimits.defaults());

  private final RecordingFile file = RecordingFile.rangeReadable(LOCATION, PUFFIN);

  private PuffinFileReader reader() {
    return PuffinFileReader.read(file).withFileSize(PUFFIN.length).build();
  }

  // Requests

  @Test
  void sendsNoRequestBeforeTheFirstRead() {
    try (PuffinFileReader reader = PuffinFileReader.read(file).build()) {
      assertThat(reader).isNotNull();
    }
    assertThat(Arrays.stream(Call.values()).mapToInt(file::count).sum()).isZero();
  }

  @Test
  void readsTheFooterOnceInOneRequest() {
    // datafusion-comet#5853: a file size that is known is not asked for
    PuffinFileReader reader = reader();

    assertThat(reader.footer().blobs()).hasSize(BLOBS);
    assertThat(reader.footer()).isSameAs(reader.footer());
    assertThat(file.requests()).containsExactly(new ByteRange(0, PUFFIN.length));
    assertThat(file.count(Call.LENGTH)).isZero();
  }

  @Test
  void asksForTheLengthOnceWhenItIsNotKnown() {
    PuffinFileReader reader = PuffinFileReader.read(file).build();
    reader.footer();
    reader.read(FOOTER.blobs().get(0));
    reader.verify();

    assertThat(file.count(Call.LENGTH)).isEqualTo(1);
  }

  @Test
  void readsNothingButTheTailWhenItHoldsTheFooter() {
    long tail = FOOTER.sizeInBytes() + 10;
    reader(limits().tailBytes((int) tail)).footer();

    assertThat(file.requests()).containsExactly(new ByteRange(PUFFIN.length - tail, tail));
  }

  @Test
  void readsOnlyTheMissingPartOfAFooterLargerThanTheTail() {
    PuffinFooter footer = reader(limits().tailBytes(100)).footer();

    assertThat(footer).usingRecursiveComparison().isEqualTo(FOOTER);
    assertThat(file.requests())
        .containsExactly(
            new ByteRange(PUFFIN.length - 100, 100),
            new ByteRange(FOOTER.offset(), FOOTER.sizeInBytes() - 100));
  }

  @Test
  void readsAFooterOfKnownSizeInExactlyOneRequest() {
    PuffinFooter footer =
        PuffinFileReader.read(file)
            .withFileSize(PUFFIN.length)
            .withFooterSize(FOOTER.sizeInBytes())
            .build()
            .footer();

    assertThat(footer).usingRecursiveComparison().isEqualTo(FOOTER);
    assertThat(file.requests())
        .containsExactly(new ByteRange(FOOTER.offset(), FOOTER.sizeInBytes()));
    assertThat(file.count(Call.LENGTH)).isZero();
  }

  @Test
  void readsABlobInOneRequestWithoutTheFooter() {
    // ClickHouse#110781, datafusion-comet#5853
    BlobMetadata blob = FOOTER.blobs().get(7);

    assertThat(PuffinFileReader.read(file).build().read(blob)).isEqualTo(stored(blob));
    assertThat(file.requests()).containsExactly(new ByteRange(blob.offset(), blob.length()));
    assertThat(file.count(Call.LENGTH)).isZero();
  }

  @Test
  void readsStoredBytesInOneRequestWithoutTheFooter() {
    assertThat(PuffinFileReader.read(file).build().readStored(50, 17))
        .isEqualTo(ByteBuffer.wrap(PUFFIN, 50, 17));
    assertThat(file.requests()).containsExactly(new ByteRange(50, 17));
    assertThat(file.count(Call.LENGTH)).isZero();
  }

  @Test
  void readsContiguousBlobsInOneRequest() throws IOException {
    // iceberg#15649, #17418, #18170
    assertThat(readAll(reader(), FOOTER.blobs())).hasSize(BLOBS);

    assertThat(file.requests()).containsExactly(new ByteRange(4, 100 * BLOBS));
    assertThat(file.count(Call.LENGTH)).isZero();
    assertThat(file.count(Call.OPEN)).isEqualTo(1);
  }

  @Test
  void readsFooterAndBlobsWithoutPositionalReadsInAsManyRequests() throws IOException {
    RecordingFile seekable = RecordingFile.seekable(LOCATION, PUFFIN);
    PuffinFileReader reader = reader(seekable, limits().tailBytes((int) FOOTER.sizeInBytes()));

    readAll(reader, reader.footer().blobs());

    assertThat(seekable.requests())
        .containsExactly(
            new ByteRange(FOOTER.offset(), FOOTER.sizeInBytes()), new ByteRange(4, 100 * BLOBS));
    assertThat(seekable.count(Call.OPEN)).isEqualTo(1);
    assertThat(seekable.count(Call.LENGTH)).isZero();
  }

  @Test
  void verifiesInOneRequestMoreThanTheFooter() {
    PuffinFileReader reader = reader(limits().tailBytes((int) FOOTER.sizeInBytes()));
    reader.footer();
    file.forget();

    reader.verify();
    reader.verify();

    assertThat(file.requests()).containsExactly(new ByteRange(0, 4));
  }

  @Test
  void verifiesWithoutFurtherRequestWhenTheTailHeldTheWholeFile() {
    reader().verify();

    assertThat(file.requests()).hasSize(1);
  }

  // Results

  @Test
  void returnsBlobsInTheCallersOrder() throws IOException {
    List<BlobMetadata> shuffled = new ArrayList<>(FOOTER.blobs());
    Collections.shuffle(shuffled, new Random(5));
    shuffled.add(shuffled.get(3));

    List<Pair<BlobMetadata, ByteBuffer>> results = readAll(reader(), shuffled);

    assertThat(results).extracting(Pair::first).isEqualTo(shuffled);
    assertThat(results)
        .extracting(Pair::second)
        .isEqualTo(shuffled.stream().map(PuffinFileReaderTest::stored).toList());
  }

  @Test
  void givesEveryBlobABufferOfItsOwn() throws IOException {
    for (Pair<BlobMetadata, ByteBuffer> result : readAll(reader(), FOOTER.blobs())) {
      assertThat(result.second().array()).hasSize(100);
    }
    assertThat(reader().read(FOOTER.blobs().get(1)).array()).hasSize(100);
    assertThat(reader().readStored(5, 6).array()).hasSize(6);
  }

  @Test
  void readsInParallelOnAnExecutor() throws IOException {
    List<Runnable> tasks = new ArrayList<>();
    PuffinFileReader reader =
        PuffinFileReader.read(file)
            .withLimits(limits().mergeCapBytes(1600).build())
            .withExecutor(tasks::add)
            .build();

    assertThat(readAll(reader, FOOTER.blobs())).hasSize(BLOBS);
    assertThat(tasks).hasSize(3);
  }

  @Test
  void decompressesOnlyWhenAsked() throws IOException {
    byte[] text = "a text that repeats, repeats, repeats, repeats".getBytes(StandardCharsets.UTF_8);
    byte[] bytes = puffin(List.of(blob(text, PuffinCompressionCodec.ZSTD)));
    PuffinFileReader reader = PuffinFileReader.read(file(bytes)).build();
    BlobMetadata blob = reader.footer().blobs().get(0);

    assertThat(reader.read(blob)).isEqualTo(ByteBuffer.wrap(text));
    assertThat(readAll(reader, List.of(blob)).get(0).second()).isEqualTo(ByteBuffer.wrap(text));
    ByteBuffer stored = ByteBuffer.wrap(bytes, 4, (int) blob.length());
    assertThat(reader.readStored(4, blob.length())).isEqualTo(stored);
    try (CloseableIterable<Pair<BlobMetadata, ByteBuffer>> all =
        reader.readAllStored(List.of(blob))) {
      assertThat(all).extracting(Pair::second).containsExactly(stored);
    }
  }

  // Refusals

  @Test
  void refusesAGivenFooterSizeThatTheFileDoesNotHave() {
    long size = FOOTER.sizeInBytes();
    for (long given : new long[] {size - 1, size + 1, 16}) {
      PuffinFileReader reader =
          PuffinFileReader.read(file).withFileSize(PUFFIN.length).withFooterSize(given).build();

      assertRefused(reader::footer, Reason.FOOTER_SIZE)
          .hasMessage(
              "Cannot read footer of %s: it does not have its given size (actual %s, given %s)",
              LOCATION, size, given);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {Long.MIN_VALUE, -1, 0, 15, Integer.MAX_VALUE, Long.MAX_VALUE})
  void refusesAGivenFooterSizeThatNoFooterCanHave(long given) {
    PuffinFileReader reader =
        PuffinFileReader.read(file).withFileSize(PUFFIN.length).withFooterSize(given).build();

    assertRefused(reader::footer, Reason.FOOTER_SIZE)
        .hasMessage(
            "Cannot read footer of %s: its given size %s does not fit a file of %s bytes",
            LOCATION, given, PUFFIN.length);
    assertThat(file.count(Call.OPEN)).isZero();
  }

  @Test
  void refusesAFooterOverTheLimitBeforeItIsRead() {
    PuffinLimits tight = limits().tailBytes(16).maxFooterBytes(1000).build();

    assertRefused(PuffinFileReader.read(file).withLimits(tight).build()::footer, Reason.LIMIT);
    assertRefused(
            PuffinFileReader.read(file)
                    .withLimits(tight)
                    .withFooterSize(FOOTER.sizeInBytes())
                    .build()
                ::footer,
            Reason.LIMIT)
        .hasMessageContaining("its given size is over the limit (actual ");
    assertThat(file.bytesRead()).isEqualTo(16);
  }

  @Test
  void readsAFooterLargerThanABlobMayBe() {
    assertThat(reader(limits().maxBlobBytes(10)).footer().blobs()).hasSize(BLOBS);
  }

  @Test
  void refusesAFileWithoutHeadMagicWhenItsBytesWereSeen() {
    // iceberg-rust#2416: the same checks whatever the number of reads
    byte[] bytes = PUFFIN.clone();
    bytes[0] = 'X';

    assertRefused(() -> PuffinFileReader.read(file(bytes)).build().footer(), Reason.PUFFIN_MAGIC)
        .hasMessageContaining("offset 0")
        .hasMessageContaining("58464131");
  }

  @Test
  void refusesAFileWithoutHeadMagicOnVerification() {
    byte[] bytes = PUFFIN.clone();
    bytes[0] = 'X';
    PuffinFileReader reader = reader(file(bytes), limits().tailBytes(16));
    assertThat(reader.footer().blobs()).hasSize(BLOBS);

    assertRefused(reader::verify, Reason.PUFFIN_MAGIC)
        .hasMessage(
            "Cannot read footer of %s: no magic at offset 0 (actual 58464131, expected 50464131)",
            LOCATION);
  }

  @ParameterizedTest
  @ValueSource(ints = {16, 100, 1 << 16})
  void refusesAFooterWithoutStartMagicWhateverTheNumberOfReads(int tailBytes) {
    // iceberg-rust#2416
    byte[] bytes = PUFFIN.clone();
    bytes[(int) FOOTER.offset()] = 'X';

    assertRefused(reader(file(bytes), limits().tailBytes(tailBytes))::footer, Reason.PUFFIN_MAGIC)
        .hasMessageContaining("offset " + FOOTER.offset());
  }

  @Test
  void namesTheFormatOfAFileThatIsNoPuffinFile() {
    byte[] bytes = new byte[1000];
    System.arraycopy("PAR1".getBytes(StandardCharsets.US_ASCII), 0, bytes, 0, 4);
    System.arraycopy("PAR1".getBytes(StandardCharsets.US_ASCII), 0, bytes, 996, 4);
    RecordingFile parquet = file(bytes);

    assertRefused(reader(parquet, limits().tailBytes(16))::footer, Reason.NOT_PUFFIN)
        .hasMessage("Cannot read footer of %s: it is a Parquet file (1000 bytes)", LOCATION);
    assertThat(parquet.requests()).containsExactly(new ByteRange(984, 16), new ByteRange(0, 16));
  }

  @Test
  void namesATruncatedPuffinFile() {
    byte[] bytes = Arrays.copyOf(PUFFIN, PUFFIN.length - 1);

    assertRefused(reader(file(bytes), limits().tailBytes(16))::footer, Reason.NOT_PUFFIN)
        .hasMessageContaining("it is a truncated Puffin file");
  }

  @Test
  void refusesAFileThatIsNoPuffinFileEvenWhenItsStartCannotBeRead() {
    byte[] bytes = new byte[1000];
    IllegalStateException failure = new IllegalStateException("throttled");
    RecordingFile parquet = file(bytes).failAt(Call.READ, 2, failure);

    assertRefused(reader(parquet, limits().tailBytes(16))::footer, Reason.NOT_PUFFIN)
        .satisfies(e -> assertThat(e.getSuppressed()).containsExactly(failure));
  }

  @Test
  void refusesFilesTooSmallForAFooter() {
    // hive#5261
    for (int size = 0; size < 28; size++) {
      RecordingFile small = file(Arrays.copyOf(PUFFIN, size));
      assertThatThrownBy(PuffinFileReader.read(small).build()::footer)
          .isInstanceOf(PuffinFormatException.class)
          .hasMessageContaining(LOCATION);
      assertThatThrownBy(PuffinFileReader.read(small).withFooterSize(500).build()::footer)
          .isInstanceOf(PuffinFormatException.class)
          .hasMessageContaining(LOCATION);
      assertThat(small.requests()).hasSizeLessThanOrEqualTo(2);
    }
  }

  @Test
  void namesAnEmptyFile() {
    // hive#5261
    RecordingFile empty = file(new byte[0]);

    assertRefused(
            PuffinFileReader.read(empty).withFooterSize(500).build()::footer, Reason.NOT_PUFFIN)
        .hasMessageContaining("it is an empty file");
    assertThat(empty.count(Call.OPEN)).isZero();
  }

  @Test
  void refusesAGivenFileSizeThatIsTooLarge() {
    PuffinFileReader reader = PuffinFileReader.read(file).withFileSize(PUFFIN.length + 1).build();

    assertRefused(reader::footer, Reason.BLOB_RANGE)
        .hasMessageContaining("the file ends at " + PUFFIN.length);
  }

  @Test
  void refusesAGivenFileSizeThatIsTooSmall() {
    PuffinFileReader reader = PuffinFileReader.read(file).withFileSize(PUFFIN.length - 1).build();

    assertRefused(reader::footer, Reason.NOT_PUFFIN)
        .hasMessageContaining("(" + (PUFFIN.length - 1));
  }

  @Test
  void refusesANegativeFileSize() {
    PuffinFileReader reader = PuffinFileReader.read(file).withFileSize(-1).build();

    assertRefused(reader::footer, Reason.NOT_PUFFIN)
        .hasMessage("Cannot read footer of %s: a file cannot have -1 bytes", LOCATION);
    assertRefused(() -> reader.readStored(0, 1), Reason.NOT_PUFFIN);
  }

  @Test
  void refusesRangesThatNoBlobCanHave() {
    // doris#65676
    long[][] ranges = {
      {-1, 10},
      {4, -1},
      {Long.MIN_VALUE, 1},
      {0, 10},
      {3, 10},
      {Long.MAX_VALUE, 1},
      {1, Long.MAX_VALUE},
      {Long.MAX_VALUE, Long.MAX_VALUE},
      {4, Long.MIN_VALUE}
    };
    PuffinFileReader reader = PuffinFileReader.read(file).build();
    for (long[] range : ranges) {
      BlobMetadata blob = blobAt(range[0], range[1], null);
      String message = "blob at offset " + range[0] + " of " + range[1] + " bytes";
      assertRefused(() -> reader.read(blob), Reason.BLOB_RANGE).hasMessageContaining(message);
      assertRefused(() -> reader.readAll(List.of(blob)), Reason.BLOB_RANGE);
      assertRefused(() -> reader.readAllStored(List.of(blob)), Reason.BLOB_RANGE);
    }
    assertThat(file.count(Call.OPEN)).isZero();
  }

  @Test
  void refusesStoredRangesThatNoFileCanHave() {
    // doris#65676
    PuffinFileReader reader = PuffinFileReader.read(file).build();

    assertRefused(() -> reader.readStored(-1, 10), Reason.BLOB_RANGE);
    assertRefused(() -> reader.readStored(0, -1), Reason.BLOB_RANGE);
    assertRefused(() -> reader.readStored(Long.MAX_VALUE, 1), Reason.BLOB_RANGE);
    assertThat(file.count(Call.OPEN)).isZero();
  }

  @Test
  void refusesABlobThatReachesIntoTheKnownFooter() {
    PuffinFileReader reader = reader();
    reader.footer();
    BlobMetadata blob = blobAt(FOOTER.offset() - 5, 6, null);
    file.forget();

    assertRefused(() -> reader.read(blob), Reason.BLOB_RANGE)
        .hasMessage(
            "Cannot read %s: blob at offset %s of 6 bytes: not between 4 and %s",
            LOCATION, FOOTER.offset() - 5, FOOTER.offset());
    assertThat(file.requests()).isEmpty();
    assertThat(reader.read(blobAt(FOOTER.offset() - 5, 5, null)).remaining()).isEqualTo(5);
  }

  @Test
  void refusesABlobThatReachesPastTheKnownEndOfTheFile() {
    BlobMetadata blob = blobAt(4, PUFFIN.length - 3, null);

    assertRefused(() -> reader().read(blob), Reason.BLOB_RANGE);
    assertRefused(() -> reader().readStored(4, PUFFIN.length - 3), Reason.BLOB_RANGE);
    assertThat(file.count(Call.OPEN)).isZero();
  }

  @Test
  void refusesABlobThatReachesPastTheEndOfTheFileAsReadingTells() {
    PuffinFileReader reader = PuffinFileReader.read(file).build();

    assertRefused(() -> reader.readStored(PUFFIN.length - 1, 2), Reason.BLOB_RANGE)
        .hasMessageContaining(LOCATION)
        .hasMessageContaining("the file ends at " + PUFFIN.length);
  }

  @Test
  void refusesABlobOverTheLimitBeforeItIsRead() {
    PuffinFileReader reader =
        PuffinFileReader.read(file).withLimits(limits().maxBlobBytes(99).build()).build();
    BlobMetadata blob = FOOTER.blobs().get(0);

    assertRefused(() -> reader.read(blob), Reason.LIMIT)
        .hasMessage("Cannot read %s: blob at offset 4 of 100 bytes: limit 99", LOCATION);
    assertRefused(() -> reader.readStored(4, 100), Reason.LIMIT);
    assertRefused(() -> reader.readAll(List.of(blob)), Reason.LIMIT);
    assertThat(file.count(Call.OPEN)).isZero();
  }

  @Test
  void refusesAnUnknownCodecOnlyWhenThatBlobIsRead() throws IOException {
    BlobMetadata known = blobAt(4, 10, null);
    BlobMetadata unknown = blobAt(14, 10, "snappy");
    PuffinFileReader reader = reader();

    assertRefused(() -> reader.read(unknown), Reason.UNKNOWN_CODEC)
        .hasMessage(
            "Cannot read %s: blob at offset 14 of 10 bytes: "
                + "compression-codec 'snappy', known are lz4 and zstd",
            LOCATION);
    assertThat(file.count(Call.OPEN)).isZero();
    try (CloseableIterable<Pair<BlobMetadata, ByteBuffer>> all =
        reader.readAll(List.of(known, unknown))) {
      var results = all.iterator();
      assertThat(results.next().second().remaining()).isEqualTo(10);
      assertRefused(results::next, Reason.UNKNOWN_CODEC);
    }
    try (CloseableIterable<Pair<BlobMetadata, ByteBuffer>> all =
        reader.readAllStored(List.of(known, unknown))) {
      assertThat(all).hasSize(2);
    }
  }

  @Test
  void namesTheBlobThatDoesNotDecompress() {
    assertRefused(() -> reader().read(blobAt(4, 10, "zstd")), Reason.COMPRESSED_DATA)
        .hasMessageStartingWith(
            "Cannot read " + LOCATION + ": blob at offset 4 of 10 bytes: Cannot decompress");
  }

  // Failures of the storage

  @Test
  void leavesNoStreamOpenWhateverCallFails() {
    int failures = 0;
    for (Call call : Call.values()) {
      for (int occurrence = 1; occurrence <= 4; occurrence++) {
        failures += readsEverythingDespite(call, occurrence, new IOException("injected")) ? 0 : 1;
        failures += readsEverythingDespite(call, occurrence, new ArithmeticException()) ? 0 : 1;
      }
    }
    assertThat(failures).isGreaterThan(10);
  }

  private static boolean readsEverythingDespite(Call call, int occurrence, Exception failure) {
    RecordingFile faulty =
        RecordingFile.seekable(LOCATION, PUFFIN).failAt(call, occurrence, failure);
    try (PuffinFileReader reader = reader(faulty, limits().tailBytes(100))) {
      PuffinFooter footer = reader.footer();
      reader.verify();
      readAll(reader, footer.blobs());
      reader.read(footer.blobs().get(0));
      return true;
    } catch (IOException | RuntimeException e) {
      assertThat(e instanceof UncheckedIOException ? e.getCause() : e).isSameAs(failure);
      return false;
    } finally {
      assertThat(faulty.openStreams()).isZero();
    }
  }

  @Test
  void readsTheFooterAgainAfterAFailure() {
    byte[] bytes = PUFFIN;
    RecordingFile faulty = file(bytes).failAt(Call.READ, 1, new IOException("reset"));
    PuffinFileReader reader = PuffinFileReader.read(faulty).build();
    assertThatThrownBy(reader::footer).isInstanceOf(UncheckedIOException.class);

    faulty.failAt(Call.READ, Integer.MAX_VALUE, new IOException("never"));

    assertThat(reader.footer().blobs()).hasSize(BLOBS);
  }

  @Test
  void refusesToReadOnceClosed() {
    PuffinFileReader reader = reader();
    BlobMetadata blob = reader.footer().blobs().get(0);
    reader.close();
    reader.close();

    List<ThrowingCallable> calls =
        List.of(
            reader::footer,
            reader::verify,
            () -> reader.read(blob),
            () -> reader.readStored(4, 5),
            () -> reader.readAll(List.of(blob)),
            () -> reader.readAllStored(List.of(blob)));
    for (ThrowingCallable call : calls) {
      assertThatThrownBy(call)
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("Cannot read " + LOCATION + ": the reader is closed");
    }
    assertThat(file.openStreams()).isZero();
  }

  private static AbstractThrowableAssert<?, ? extends Throwable> assertRefused(
      ThrowingCallable call, Reason reason) {
    return assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            PuffinFormatException.class, e -> assertThat(e.reason()).isEqualTo(reason));
  }

  private static List<Pair<BlobMetadata, ByteBuffer>> readAll(
      PuffinFileReader reader, List<BlobMetadata> blobs) throws IOException {
    List<Pair<BlobMetadata, ByteBuffer>> results = new ArrayList<>();
    try (CloseableIterable<Pair<BlobMetadata, ByteBuffer>> all = reader.readAll(blobs)) {
      all.forEach(results::add);
    }
    return results;
  }

  private PuffinFileReader reader(PuffinLimits.Builder limits) {
    return reader(file, limits);
  }

  private static PuffinFileReader reader(RecordingFile file, PuffinLimits.Builder limits) {
    return PuffinFileReader.read(file).withFileSize(file.size()).withLimits(limits.build()).build();
  }

  private static PuffinLimits.Builder limits() {
    return PuffinLimits.builder();
  }

  private static RecordingFile file(byte[] bytes) {
    return RecordingFile.rangeReadable(LOCATION, bytes);
  }

  private static ByteBuffer stored(BlobMetadata blob) {
    return ByteBuffer.wrap(PUFFIN, (int) blob.offset(), (int) blob.length());
  }

  private static BlobMetadata blobAt(long offset, long length, @Nullable String codec) {
    return new BlobMetadata("test", List.of(1), 1, 1, offset, length, codec, Map.of());
  }

  private static Blob blob(byte[] content, PuffinCompressionCodec codec) {
    return new Blob("test", List.of(1), 1, 1, ByteBuffer.wrap(content), codec, Map.of());
  }

  private static byte[] puffin(int blobs, int bytesEach) {
    Random random = new Random(3);
    List<Blob> content = new ArrayList<>();
    for (int i = 0; i < blobs; i++) {
      byte[] bytes = new byte[bytesEach];
      random.nextBytes(bytes);
      content.add(blob(bytes, PuffinCompressionCodec.NONE));
    }
    return puffin(content);
  }

  private static byte[] puffin(List<Blob> blobs) {
    InMemoryOutputFile output = new InMemoryOutputFile();
    try (PuffinWriter writer = Puffin.write(output).createdBy("test").build()) {
      blobs.forEach(writer::add);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return output.toByteArray();
  }
}
