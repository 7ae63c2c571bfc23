package io.github.icebergext.puffin;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.icebergext.testing.FaultyFileIO;
import io.github.icebergext.testing.FaultyFileIO.Call;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.exceptions.AlreadyExistsException;
import org.apache.iceberg.puffin.Blob;
import org.apache.iceberg.puffin.BlobMetadata;
import org.apache.iceberg.puffin.PuffinCompressionCodec;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PuffinFileWriterTest {
  private static final String LOCATION = "mem:/stats.puffin";
  private static final String DV = "deletion-vector-v1";

  private final FaultyFileIO io = new FaultyFileIO();

  @Test
  void writesTheBytesOfTheSpec() {
    try (PuffinFileWriter writer = builder().createdBy("me").build()) {
      writer.write(blob("t", "abc"));
      writer.finish();
    }

    String payload =
        "{\"blobs\":[{\"type\":\"t\",\"fields\":[1],\"snapshot-id\":2,\"sequence-number\":3,"
            + "\"offset\":4,\"length\":3}],\"properties\":{\"created-by\":\"me\"}}";
    ByteBuffer expected = ByteBuffer.allocate(4 + 3 + 4 + payload.length() + 12);
    expected.put(ascii("PFA1abcPFA1")).put(ascii(payload));
    expected.putInt(Integer.reverseBytes(payload.length())).putInt(0).put(ascii("PFA1"));
    assertThat(io.bytes(LOCATION)).isEqualTo(expected.array());
  }

  @Test
  void tellsWhereBlobsAre() {
    try (PuffinFileWriter writer = builder().build()) {
      assertThat(writer.location()).isEqualTo(LOCATION);
      assertThat(writer.length()).isEqualTo(4);
      BlobMetadata first = writer.write(blob("t", "abc"));
      assertThat(writer.length()).isEqualTo(7);
      BlobMetadata empty = writer.write(blob("t", ""));
      BlobMetadata last = writer.write(blob("t", "defg"));

      assertThat(List.of(first.offset(), empty.offset(), last.offset()))
          .containsExactly(4L, 7L, 7L);
      assertThat(List.of(first.length(), empty.length(), last.length()))
          .containsExactly(3L, 0L, 4L);
      assertThat(writer.length()).isEqualTo(11);
    }
  }

  @Test
  void returnsTheFactsOfTheFinishedFile() {
    try (PuffinFileWriter writer = builder().set("k", "v").build()) {
      BlobMetadata blob = writer.write(blob("t", "abc"));
      PuffinFile file = writer.finish();

      assertThat(file.location()).isEqualTo(LOCATION);
      assertThat(file.fileSizeInBytes()).isEqualTo(io.bytes(LOCATION).length);
      assertThat(file.footer().blobs()).containsExactly(blob);
      assertThat(file.footer().properties()).containsEntry("k", "v");
      assertThat(file.footer().compressed()).isFalse();
      assertThat(file.footer().offset()).isEqualTo(7);
      assertThat(file.footer().sizeInBytes()).isEqualTo(io.bytes(LOCATION).length - 7);
      assertThat(writer.length()).isEqualTo(io.bytes(LOCATION).length);
      assertThat(writer.result()).isSameAs(file);
    }
    assertThat(io.deleted()).isEmpty();
  }

  @Test
  void writesAFileWithoutBlobs() {
    try (PuffinFileWriter writer = builder().createdBy("").build()) {
      PuffinFile file = writer.finish();

      assertThat(file.footer().offset()).isEqualTo(4);
      assertThat(file.footer().blobs()).isEmpty();
    }
    assertThat(parse().blobs()).isEmpty();
  }

  @Test
  void givesTheSameBytesForTheSameCalls() {
    Map<String, String> ascending = Map.of("a", "1", "b", "2", "c", "3");
    writeWithProperties("mem:/a", builderOf("mem:/a").setAll(ascending));
    writeWithProperties("mem:/b", builderOf("mem:/b").set("c", "3").set("a", "1").set("b", "2"));

    assertThat(io.bytes("mem:/a")).isEqualTo(io.bytes("mem:/b"));
    assertThat(parse("mem:/a").properties().keySet()).containsExactly("a", "b", "c", "created-by");
  }

  private void writeWithProperties(String location, PuffinFileWriter.Builder builder) {
    try (PuffinFileWriter writer =
        builder.compressBlobs(PuffinCompressionCodec.ZSTD).compressFooter().build()) {
      writer.write(blob("t", "some data"));
      PuffinFile file = writer.finish();
      assertThat(file.location()).isEqualTo(location);
      assertThat(file.footer().properties().keySet())
          .containsExactlyElementsOf(parse(location).properties().keySet());
    }
  }

  @Test
  void namesTheLibraryAndItsVersionAsCreator() {
    // iceberg-python#2822
    builder().build().finish();

    assertThat(parse().properties()).containsOnlyKeys("created-by");
    assertThat(parse().properties().get("created-by"))
        .matches("iceberg-puffin-ext \\d+\\.\\d+\\.\\d+(-SNAPSHOT)?");
  }

  @Test
  void takesAnotherCreatorOnceHoweverItIsGiven() {
    // iceberg#12369: not "Iceberg Apache Iceberg"
    builderOf("mem:/1").createdBy("Trino version 470").build().finish();
    builderOf("mem:/2").set("created-by", "Trino version 470").build().finish();
    builderOf("mem:/3").setAll(Map.of("created-by", "Trino version 470")).build().finish();
    builderOf("mem:/4").set("created-by", "x").createdBy("Trino version 470").build().finish();

    for (String location : io.locations()) {
      assertThat(parse(location).properties())
          .containsExactly(Map.entry("created-by", "Trino version 470"));
    }
  }

  @Test
  void refusesNullProperties() {
    PuffinFileWriter.Builder builder = builder();

    assertThatNullPointerException().isThrownBy(() -> builder.set("k", nothing()));
    assertThatNullPointerException().isThrownBy(() -> builder.set(nothing(), "v"));
  }

  @SuppressWarnings({
    "TypeParameterUnusedInFormals",
    "NullAway"
  }) // what callers without NullAway do
  private static <T> T nothing() {
    return null;
  }

  @Test
  void compressesABlobAsItRequests() {
    ByteBuffer data = ByteBuffer.allocate(10_000);
    try (PuffinFileWriter writer = builder().compressBlobs(PuffinCompressionCodec.LZ4).build()) {
      BlobMetadata byDefault = writer.write(blob("t", data, null));
      BlobMetadata zstd = writer.write(blob("t", data, PuffinCompressionCodec.ZSTD));
      BlobMetadata none = writer.write(blob("t", data, PuffinCompressionCodec.NONE));
      writer.finish();

      assertThat(byDefault.compressionCodec()).isEqualTo("lz4");
      assertThat(zstd.compressionCodec()).isEqualTo("zstd");
      assertThat(none.compressionCodec()).isNull();
      assertThat(none.length()).isEqualTo(10_000);
      for (BlobMetadata blob : List.of(byDefault, zstd, none)) {
        assertThat(content(blob)).isEqualTo(data);
      }
    }
  }

  @Test
  void compressesNothingByDefault() {
    try (PuffinFileWriter writer = builder().build()) {
      assertThat(writer.write(blob("t", "abc")).compressionCodec()).isNull();
    }
  }

  @ParameterizedTest
  @EnumSource(PuffinCompressionCodec.class)
  void neverCompressesADeletionVectorByDefault(PuffinCompressionCodec codec) {
    try (PuffinFileWriter writer = builder().compressBlobs(codec).build()) {
      BlobMetadata blob = writer.write(blob(DV, ByteBuffer.allocate(10_000), null));

      assertThat(blob.compressionCodec()).isNull();
      assertThat(blob.length()).isEqualTo(10_000);
    }
  }

  @Test
  void refusesADeletionVectorThatRequestsCompression() {
    try (PuffinFileWriter writer = builder().build()) {
      assertThatIllegalArgumentException()
          .isThrownBy(
              () -> writer.write(blob(DV, ByteBuffer.allocate(1), PuffinCompressionCodec.ZSTD)))
          .withMessage(
              "Cannot write blob 0 to mem:/stats.puffin:"
                  + " deletion-vector-v1 is never compressed, and requests zstd");
      writer.write(blob(DV, ByteBuffer.allocate(1), PuffinCompressionCodec.NONE));
      assertThat(writer.finish().footer().blobs()).hasSize(1);
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = PuffinCompressionCodec.class,
      names = {"LZ4", "ZSTD"})
  void storesAsItIsWhatAReaderWouldNotDecompress(PuffinCompressionCodec codec) {
    PuffinLimits limits = PuffinLimits.builder().maxDecompressionRatio(10).build();
    ByteBuffer zeros = ByteBuffer.allocate((1 << 20) + 1);
    try (PuffinFileWriter writer = builder().withLimits(limits).compressBlobs(codec).build()) {
      BlobMetadata tooDense = writer.write(blob("t", zeros, null));
      BlobMetadata dense = writer.write(blob("t", zeros.slice(0, 1 << 20), null));
      writer.finish();

      assertThat(tooDense.compressionCodec()).isNull();
      assertThat(dense.compressionCodec()).isEqualTo(codec.codecName());
      assertThat(content(dense, limits).remaining()).isEqualTo(1 << 20);
    }
  }

  @Test
  void storesAsItIsWhatDecompressesToTooMuch() {
    PuffinLimits limits = PuffinLimits.builder().maxDecompressedBytes(99).build();
    try (PuffinFileWriter writer = builder().withLimits(limits).build()) {
      BlobMetadata blob =
          writer.write(blob("t", ByteBuffer.allocate(100), PuffinCompressionCodec.ZSTD));

      assertThat(blob.compressionCodec()).isNull();
    }
  }

  @Test
  void refusesABlobOverTheLimitBeforeWritingIt() {
    // apache/doris#65676: the same limit on write and read
    PuffinLimits limits = PuffinLimits.builder().maxBlobBytes(10).build();
    try (PuffinFileWriter writer = builder().withLimits(limits).build()) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> writer.write(blob("t", ByteBuffer.allocate(11), null)))
          .withMessage("Cannot write blob 0 to mem:/stats.puffin: t is 11 bytes, limit 10");
      assertThat(writer.length()).isEqualTo(4);
      writer.write(blob("t", ByteBuffer.allocate(10), null));
      assertThat(writer.finish().footer().blobs()).hasSize(1);
    }
  }

  @Test
  void judgesABlobByItsStoredBytes() {
    PuffinLimits limits = PuffinLimits.builder().maxBlobBytes(100).build();
    try (PuffinFileWriter writer = builder().withLimits(limits).build()) {
      BlobMetadata blob =
          writer.write(blob("t", ByteBuffer.allocate(1000), PuffinCompressionCodec.ZSTD));

      assertThat(blob.length()).isLessThan(100);
    }
  }

  @Test
  void storesAsItIsWhatCompressionWouldLiftOverTheLimit() {
    PuffinLimits limits = PuffinLimits.builder().maxBlobBytes(3).build();
    try (PuffinFileWriter writer = builder().withLimits(limits).build()) {
      BlobMetadata blob = writer.write(blob("t", buffer("abc"), PuffinCompressionCodec.LZ4));

      assertThat(blob.compressionCodec()).isNull();
      assertThat(blob.length()).isEqualTo(3);
    }
  }

  @Test
  void refusesToFinishAFooterOverTheLimit() {
    PuffinLimits limits = PuffinLimits.builder().maxFooterBytes(100).build();
    try (PuffinFileWriter writer = builder().createdBy("x".repeat(42)).withLimits(limits).build()) {
      // 16 bytes of frame, 43 of JSON
      assertThatIllegalStateException()
          .isThrownBy(writer::finish)
          .withMessage("Cannot finish mem:/stats.puffin: footer is 101 bytes, limit 100");
    }
    assertThat(io.locations()).isEmpty();
  }

  @Test
  void finishesAFooterAtTheLimit() {
    PuffinLimits limits = PuffinLimits.builder().maxFooterBytes(100).build();
    PuffinFile file = builder().createdBy("x".repeat(41)).withLimits(limits).build().finish();

    assertThat(file.footer().sizeInBytes()).isEqualTo(100);
  }

  @Test
  void refusesToFinishACompressedFooterOverTheLimitOfAReader() {
    PuffinLimits limits =
        PuffinLimits.builder().maxDecompressionRatio(2).maxJsonStringLength(1 << 21).build();
    try (PuffinFileWriter writer =
        builder().set("k", "x".repeat(1 << 21)).compressFooter().withLimits(limits).build()) {
      assertThatIllegalStateException()
          .isThrownBy(writer::finish)
          .withMessage(
              "Cannot finish mem:/stats.puffin: a reader with the same limits refuses its footer")
          .withCauseInstanceOf(PuffinFormatException.class);
    }
    assertThat(io.locations()).isEmpty();
  }

  @Test
  void refusesToFinishACompressedFooterThatDecompressesOverTheLimit() {
    PuffinLimits limits = PuffinLimits.builder().maxFooterBytes(200).build();
    try (PuffinFileWriter writer =
        builder().set("k", "x".repeat(200)).compressFooter().withLimits(limits).build()) {
      assertThatIllegalStateException()
          .isThrownBy(writer::finish)
          .withCauseInstanceOf(PuffinFormatException.class);
    }
    assertThat(io.locations()).isEmpty();
  }

  @Test
  void refusesFilePropertiesOverTheLimitBeforeCreatingTheFile() {
    PuffinLimits limits = PuffinLimits.builder().maxJsonStringLength(64).build();
    for (Map<String, String> tooLong :
        List.of(Map.of("k", "x".repeat(65)), Map.of("x".repeat(65), "v"))) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> builder().setAll(tooLong).withLimits(limits).build())
          .withMessage("Cannot write mem:/stats.puffin: a string has 65 characters, limit 64");
    }
    assertThat(io.calls()).isEmpty();
  }

  @Test
  void refusesBlobPropertiesOverTheLimit() {
    PuffinLimits limits = PuffinLimits.builder().maxJsonStringLength(64).build();
    try (PuffinFileWriter writer = builder().withLimits(limits).build()) {
      for (BlobMetadata tooLong :
          List.of(
              new BlobMetadata("x".repeat(65), List.of(), 1, 1, 4, 0, null, Map.of()),
              new BlobMetadata("t", List.of(), 1, 1, 4, 0, null, Map.of("k", "x".repeat(65))),
              new BlobMetadata("t", List.of(), 1, 1, 4, 0, null, Map.of("x".repeat(65), "v")))) {
        assertThatIllegalArgumentException()
            .isThrownBy(() -> writer.writeStored(tooLong, ByteBuffer.allocate(0)))
            .withMessage(
                "Cannot write blob 0 to mem:/stats.puffin: a string has 65 characters, limit 64");
      }
      writer.write(blob("x".repeat(64), ""));
      writer.finish();
      assertThat(parse(LOCATION, limits).blobs()).hasSize(1);
    }
  }

  @Test
  void keepsWhatItWasBuiltWith() {
    PuffinFileWriter.Builder builder = builder().set("k", "v");
    PuffinFileWriter writer = builder.build();
    builder.set("k", "changed");

    assertThat(writer.finish().footer().properties()).containsEntry("k", "v");
  }

  @Test
  void writesBuffersOfEveryKindWithoutConsumingThem() {
    byte[] bytes = new byte[200_000];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (i * 31);
    }
    ByteBuffer direct = ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
    ByteBuffer readOnly = ByteBuffer.wrap(bytes).asReadOnlyBuffer();
    ByteBuffer slice = ByteBuffer.wrap(bytes, 10, 100).slice();
    ByteBuffer window = ByteBuffer.wrap(bytes, 10, 100);
    try (PuffinFileWriter writer = builder().build()) {
      for (ByteBuffer data : List.of(direct, readOnly, slice, window)) {
        int position = data.position();
        int limit = data.limit();
        writer.write(blob("t", data, null));
        writer.write(blob("t", data, PuffinCompressionCodec.ZSTD));
        assertThat(data.position()).isEqualTo(position);
        assertThat(data.limit()).isEqualTo(limit);
      }
      List<BlobMetadata> blobs = writer.finish().footer().blobs();
      assertThat(content(blobs.get(0))).isEqualTo(ByteBuffer.wrap(bytes));
      assertThat(content(blobs.get(1))).isEqualTo(ByteBuffer.wrap(bytes));
      assertThat(content(blobs.get(2))).isEqualTo(ByteBuffer.wrap(bytes));
      assertThat(content(blobs.get(4))).isEqualTo(ByteBuffer.wrap(bytes, 10, 100));
      assertThat(content(blobs.get(6))).isEqualTo(ByteBuffer.wrap(bytes, 10, 100));
      assertThat(content(blobs.get(7))).isEqualTo(ByteBuffer.wrap(bytes, 10, 100));
    }
  }

  @Test
  void copiesAStoredBlob() {
    BlobMetadata stored =
        new BlobMetadata("t", List.of(5, 6), 7, 8, 999, 3, "zstd", Map.of("ndv", "9"));
    ByteBuffer bytes = buffer("abc");
    try (PuffinFileWriter writer = builder().build()) {
      BlobMetadata copy = writer.writeStored(stored, bytes);
      writer.finish();

      assertThat(copy.offset()).isEqualTo(4);
      assertThat(copy).usingRecursiveComparison().ignoringFields("offset").isEqualTo(stored);
      assertThat(bytes.remaining()).isEqualTo(3);
    }
    assertThat(new String(io.bytes(LOCATION), 4, 3, US_ASCII)).isEqualTo("abc");
    assertThat(parse().blobs().get(0))
        .usingRecursiveComparison()
        .ignoringFields("offset")
        .isEqualTo(stored);
  }

  @Test
  void copiesAStoredBlobOfAnUnknownCodec() {
    BlobMetadata stored = new BlobMetadata("t", List.of(), 7, 8, 4, 3, "brotli", Map.of());
    try (PuffinFileWriter writer = builder().build()) {
      assertThat(writer.writeStored(stored, buffer("abc")).compressionCodec()).isEqualTo("brotli");
    }
  }

  @Test
  void refusesStoredBytesOfAnotherLength() {
    BlobMetadata stored = new BlobMetadata("t", List.of(), 7, 8, 4, 4, null, Map.of());
    try (PuffinFileWriter writer = builder().build()) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> writer.writeStored(stored, buffer("abc")))
          .withMessage("Cannot write blob 0 to mem:/stats.puffin: stored bytes are 3, expected 4");
      assertThat(writer.finish().footer().blobs()).isEmpty();
    }
  }

  @Test
  void refusesAStoredDeletionVectorThatIsCompressed() {
    BlobMetadata stored = new BlobMetadata(DV, List.of(), -1, -1, 4, 3, "lz4", Map.of());
    try (PuffinFileWriter writer = builder().build()) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> writer.writeStored(stored, buffer("abc")))
          .withMessage(
              "Cannot write blob 0 to mem:/stats.puffin:"
                  + " deletion-vector-v1 is never compressed, and is by lz4");
    }
  }

  @Test
  void refusesAStoredBlobOverTheLimit() {
    BlobMetadata stored = new BlobMetadata("t", List.of(), 7, 8, 4, 3, null, Map.of());
    PuffinLimits limits = PuffinLimits.builder().maxBlobBytes(2).build();
    try (PuffinFileWriter writer = builder().withLimits(limits).build()) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> writer.writeStored(stored, buffer("abc")))
          .withMessageContaining("t is 3 bytes, limit 2");
    }
  }

  @Test
  void deletesTheFileWhenClosedWithoutFinishing() {
    // Iceberg's own writer publishes here
    PuffinFileWriter writer = builder().build();
    writer.write(blob("t", "abc"));
    writer.close();
    writer.close();

    assertThat(io.locations()).isEmpty();
    assertThat(io.deleted()).containsExactly(LOCATION);
    assertThat(io.calls()).endsWith(Call.CLOSE, Call.DELETE);
  }

  @Test
  void refusesCallsAfterClosing() {
    PuffinFileWriter writer = builder().build();
    writer.close();

    assertThatIllegalStateException()
        .isThrownBy(() -> writer.write(blob("t", "abc")))
        .withMessage("Cannot write a blob to mem:/stats.puffin: it was closed without finishing");
    assertThatIllegalStateException()
        .isThrownBy(writer::finish)
        .withMessage("Cannot finish mem:/stats.puffin: it was closed without finishing");
    assertThatIllegalStateException()
        .isThrownBy(writer::result)
        .withMessage("Cannot describe mem:/stats.puffin: it is not finished");
  }

  @Test
  void refusesCallsAfterFinishing() {
    PuffinFileWriter writer = builder().build();
    writer.finish();

    assertThatIllegalStateException()
        .isThrownBy(writer::finish)
        .withMessage("Cannot finish mem:/stats.puffin: it is finished");
    assertThatIllegalStateException()
        .isThrownBy(() -> writer.write(blob("t", "abc")))
        .withMessage("Cannot write a blob to mem:/stats.puffin: it is finished");
    writer.close();
    assertThat(io.locations()).containsExactly(LOCATION);
    assertThat(io.count(Call.CLOSE)).isEqualTo(1);
  }

  @Test
  void leavesAFileThatExistsAsItIs() {
    io.put(LOCATION, ascii("theirs"));

    assertThatThrownBy(() -> builder().build()).isInstanceOf(AlreadyExistsException.class);
    assertThat(io.bytes(LOCATION)).isEqualTo(ascii("theirs"));
    assertThat(io.count(Call.DELETE)).isZero();
  }

  @Test
  void takesTheSizeOfAnEncryptedFileFromItsClosedStream() {
    io.withStoredOverhead(28);
    PuffinFile file = builder().build().finish();

    assertThat(file.fileSizeInBytes()).isEqualTo(io.bytes(LOCATION).length + 28);
    assertThat(file.footer().offset()).isEqualTo(4);
    assertThat(file.footer().sizeInBytes()).isEqualTo(io.bytes(LOCATION).length - 4);
    assertThat(io.calls()).endsWith(Call.CLOSE, Call.STORED_LENGTH);
  }

  private PuffinFileWriter.Builder builder() {
    return builderOf(LOCATION);
  }

  private PuffinFileWriter.Builder builderOf(String location) {
    return PuffinFileWriter.write(io.newOutputFile(location), io);
  }

  private static Blob blob(String type, String data) {
    return blob(type, buffer(data), null);
  }

  private static Blob blob(
      String type, ByteBuffer data, @Nullable PuffinCompressionCodec requested) {
    return new Blob(type, List.of(1), 2, 3, data, requested, Map.of());
  }

  private ByteBuffer content(BlobMetadata blob) {
    return content(blob, PuffinLimits.defaults());
  }

  private ByteBuffer content(BlobMetadata blob, PuffinLimits limits) {
    ByteBuffer stored =
        ByteBuffer.wrap(io.bytes(LOCATION), (int) blob.offset(), (int) blob.length());
    return PuffinCompression.decompress(
        PuffinCompressionCodec.forName(blob.compressionCodec()), stored, limits);
  }

  private PuffinFooter parse() {
    return parse(LOCATION);
  }

  private PuffinFooter parse(String location) {
    return parse(location, PuffinLimits.defaults());
  }

  private PuffinFooter parse(String location, PuffinLimits limits) {
    byte[] bytes = io.bytes(location);
    return PuffinFooter.parse(location, ByteBuffer.wrap(bytes), bytes.length, limits);
  }

  private static ByteBuffer buffer(String text) {
    return ByteBuffer.wrap(ascii(text));
  }

  private static byte[] ascii(String text) {
    return text.getBytes(US_ASCII);
  }
}
