package io.github.icebergext.puffin;

import static io.github.icebergext.puffin.FooterBytes.LOCATION;
import static io.github.icebergext.puffin.FooterBytes.OFFSET;
import static io.github.icebergext.puffin.FooterBytes.file;
import static io.github.icebergext.puffin.FooterBytes.parse;
import static io.github.icebergext.puffin.FooterBytes.parseFooterAlone;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.puffin.BlobMetadata;
import org.apache.iceberg.puffin.PuffinCompressionCodec;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PuffinFooterTest {
  private static final byte[] EMPTY_PAYLOAD = "{\"blobs\":[]}".getBytes(StandardCharsets.UTF_8);
  private static final int END = OFFSET + 16 + EMPTY_PAYLOAD.length;
  private static final PuffinLimits DEFAULTS = PuffinLimits.defaults();

  /** The smallest file that Iceberg writes, byte by byte: 32 bytes. */
  private static final byte[] SMALLEST =
      HexFormat.of()
          .parseHex(
              "50464131"
                  + "50464131"
                  + "7b22626c6f6273223a5b5d7d"
                  + "0c000000"
                  + "00000000"
                  + "50464131");

  @Test
  void parsesTheSmallestFile() {
    PuffinFooter footer = parse(SMALLEST);

    assertThat(footer.blobs()).isEmpty();
    assertThat(footer.properties()).isEmpty();
    assertThat(footer.createdBy()).isEmpty();
    assertThat(footer.compressed()).isFalse();
    assertThat(footer.offset()).isEqualTo(4);
    assertThat(footer.sizeInBytes()).isEqualTo(28);
  }

  @Test
  void knowsItsPlaceInTheFile() {
    PuffinFooter footer = parse(file(EMPTY_PAYLOAD));

    assertThat(footer.offset()).isEqualTo(OFFSET);
    assertThat(footer.sizeInBytes()).isEqualTo(END - OFFSET);
  }

  @Test
  void tellsItsSizeFromTheLastTwelveBytes() {
    byte[] end = Arrays.copyOfRange(SMALLEST, 20, 32);

    assertThat(size(end, 32)).isEqualTo(28);
    assertThat(size(end, Long.MAX_VALUE)).isEqualTo(28);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 11})
  void needsTwelveBytesToTellItsSize(int bytes) {
    byte[] end = Arrays.copyOfRange(SMALLEST, 32 - bytes, 32);

    assertThatIllegalArgumentException()
        .isThrownBy(() -> size(end, 32))
        .withMessage("Invalid tail: " + bytes + " bytes of a file of 32");
  }

  @Test
  void needsAllOfItsBytesToBeParsed() {
    ByteBuffer tail = ByteBuffer.wrap(SMALLEST, 5, 27);

    assertThatIllegalArgumentException()
        .isThrownBy(() -> PuffinFooter.parse(LOCATION, tail, 32, DEFAULTS))
        .withMessage("Invalid tail: 27 bytes of a footer of 28");
  }

  @Test
  void refusesATailLargerThanTheFile() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> size(SMALLEST, 31))
        .withMessage("Invalid tail: 32 bytes of a file of 31");
  }

  @Test
  void leavesTheTailAsItIs() {
    byte[] padded = Arrays.copyOf(SMALLEST, 40);
    ByteBuffer direct = ByteBuffer.allocateDirect(40).put(padded).flip();
    for (ByteBuffer tail : List.of(ByteBuffer.wrap(padded), direct)) {
      for (ByteOrder order : List.of(ByteOrder.BIG_ENDIAN, ByteOrder.LITTLE_ENDIAN)) {
        ByteBuffer part = tail.asReadOnlyBuffer().order(order).position(1).limit(32);

        assertThat(PuffinFooter.parse(LOCATION, part, 32, DEFAULTS).blobs()).isEmpty();
        assertThat(part).isEqualTo(ByteBuffer.wrap(SMALLEST, 1, 31));
        assertThat(part.order()).isEqualTo(order);
      }
    }
  }

  @Test
  void parsesTheSameFromEveryKindOfBuffer() {
    byte[] file = FooterBytes.icebergFile();
    ByteBuffer slice = ByteBuffer.wrap(padded(file, 7, 9), 7, file.length).slice();
    ByteBuffer direct = ByteBuffer.allocateDirect(file.length).put(file).flip();
    List<ByteBuffer> tails =
        List.of(slice, direct, direct.asReadOnlyBuffer(), ByteBuffer.wrap(file).asReadOnlyBuffer());

    for (ByteBuffer tail : tails) {
      PuffinFooter footer = PuffinFooter.parse(LOCATION, tail, file.length, DEFAULTS);
      assertThat(footer.toBytes()).isEqualTo(parse(file).toBytes());
    }
  }

  /** The result must not pin or follow what the caller does with its buffer. */
  @Test
  void doesNotReferToTheTail() {
    byte[] file = FooterBytes.icebergFile();
    PuffinFooter footer = parse(file);
    ByteBuffer before = footer.toBytes();
    Arrays.fill(file, (byte) 0);

    assertThat(footer.toBytes()).isEqualTo(before);
  }

  // hive#5261
  @Test
  void refusesAnEmptyFile() {
    assertRefused(new byte[0], Reason.NOT_PUFFIN, "it is an empty file (0 bytes)");
  }

  // iceberg-rust#2867
  @Test
  void refusesFilesTooSmallForAFooter() {
    for (int size = 8; size < 20; size++) {
      byte[] file = new byte[size];
      System.arraycopy(SMALLEST, 0, file, 0, 4);
      System.arraycopy(SMALLEST, 28, file, size - 4, 4);

      assertRefused(file, Reason.NOT_PUFFIN, "it is a truncated Puffin file (" + size + " bytes)");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "PFA1........................,it is a truncated Puffin file (28 bytes)",
    "PAR1....................PAR1,it is a Parquet file (28 bytes)",
    "PAR1,it is a Parquet file (4 bytes)",
    "AGS1........................,it is an encrypted stream (AGS1) (28 bytes)",
    "...,it is a file of unknown format (3 bytes)",
    "....abcd,'it is a file of unknown format (8 bytes, last 4 61626364, expected 50464131)'"
  })
  void saysWhatAFileIsThatIsNoPuffinFile(String file, String problem) {
    assertRefused(file.getBytes(StandardCharsets.US_ASCII), Reason.NOT_PUFFIN, problem);
  }

  @Test
  void saysWhatAFileIsByItsEndAlone() {
    byte[] tail = "........PAR1".getBytes(StandardCharsets.US_ASCII);

    assertRefused(() -> size(tail, 1000), Reason.NOT_PUFFIN, "it is a Parquet file (1000 bytes)");
  }

  /** An end without magic is refused for one reason, however much of the file was read. */
  @Test
  void refusesAFileWithoutTheMagicAtItsEnd() {
    for (int bit = 0; bit < 32; bit++) {
      byte[] file = flip(file(EMPTY_PAYLOAD), END - 4, bit);
      byte[] end = Arrays.copyOfRange(file, END - 12, END);

      assertRefused(() -> parse(file), Reason.NOT_PUFFIN, "it is a truncated Puffin file");
      assertRefused(() -> size(end, END), Reason.NOT_PUFFIN, "it is a file of unknown format");
    }
  }

  // iceberg-rust#2416: the path of one read forgot a check that the path of two had
  @Test
  void refusesAFooterWithoutTheMagicAtItsStart() {
    for (int bit = 0; bit < 32; bit++) {
      assertRefused(
          flip(file(EMPTY_PAYLOAD), OFFSET, bit),
          Reason.PUFFIN_MAGIC,
          "no magic at offset 100 (actual ");
    }
  }

  /** Iceberg's reader hands out blobs of such files; Impala's tests have one cut at its start. */
  @Test
  void refusesAFileWithoutTheMagicAtItsStartWhenThatWasRead() {
    for (int bit = 0; bit < 32; bit++) {
      byte[] file = flip(file(EMPTY_PAYLOAD), 0, bit);

      assertRefused(() -> parse(file), Reason.PUFFIN_MAGIC, "no magic at offset 0 (actual ");
      assertThat(parseFooterAlone(file, DEFAULTS).blobs()).isEmpty();
    }
  }

  @Test
  void refusesBlobRangesOfAFileCutAtItsStart() {
    byte[] file = FooterBytes.icebergFile();
    byte[] cut = Arrays.copyOfRange(file, 4, file.length);

    assertRefused(() -> parse(cut), Reason.PUFFIN_MAGIC, "no magic at offset 0");
    assertRefused(
        () -> parseFooterAlone(cut, DEFAULTS), Reason.BLOB_RANGE, "blob 0: range is not between");
  }

  @Test
  void refusesEveryUnknownFlag() {
    for (int bit = 1; bit < 32; bit++) {
      int flags = 1 << bit;
      for (int others : new int[] {0, 1}) {
        byte[] file = file(EMPTY_PAYLOAD, EMPTY_PAYLOAD.length, flags | others);

        assertRefused(
            file,
            Reason.FOOTER_FLAGS,
            "unknown flags (actual "
                + HexFormat.of().toHexDigits(Integer.reverseBytes(flags | others))
                + ", known 01000000)");
      }
    }
  }

  // iceberg-rust#2867, iceberg-cpp#624, and Iceberg's own reader: NegativeArraySizeException
  @ParameterizedTest
  @ValueSource(ints = {-1, Integer.MIN_VALUE, Integer.MAX_VALUE, 109, 127, 128, 129})
  void refusesAPayloadSizeThatDoesNotFit(int size) {
    assertRefused(
        file(EMPTY_PAYLOAD, size, 0),
        Reason.FOOTER_SIZE,
        "payload size does not fit the file (actual " + size + ", at most 108)");
  }

  @Test
  void takesAPayloadSizeUpToTheFirstMagic() {
    byte[] largest = file(EMPTY_PAYLOAD, END - 20, 0);
    assertThat(size(Arrays.copyOfRange(largest, END - 12, END), END)).isEqualTo(END - 4);
    assertRefused(largest, Reason.PUFFIN_MAGIC, "no magic at offset 4 (actual 00000000");
  }

  @Test
  void refusesAnEmptyPayload() {
    assertRefused(
        file(new byte[0]), Reason.FOOTER_PAYLOAD, "payload is absent, expected an object");
  }

  @Test
  void limitsTheSizeOfAFooter() {
    PuffinLimits enough = PuffinLimits.builder().maxFooterBytes(28).build();
    byte[] larger = file("{\"blobs\": []}".getBytes(StandardCharsets.UTF_8));

    assertThat(parse(SMALLEST, enough).blobs()).isEmpty();
    assertRefused(
        () -> parse(larger, enough),
        Reason.LIMIT,
        "its size is over the limit (actual 29, limit 28)");
  }

  @Test
  void limitsTheSizeOfAFooterBeforeItIsRead() {
    byte[] end = HexFormat.of().parseHex("ffffff7f" + "00000000" + "50464131");

    assertRefused(
        () -> size(end, 1L << 40),
        Reason.LIMIT,
        "its size is over the limit (actual 2147483663, limit 67108864)");
  }

  // iceberg#16033: Iceberg itself neither writes nor reads such footers
  @Test
  void readsACompressedFooter() {
    ByteBuffer frame =
        PuffinCompression.compress(PuffinCompressionCodec.LZ4, ByteBuffer.wrap(EMPTY_PAYLOAD));
    PuffinFooter footer = parse(file(frame.array(), frame.remaining(), 1));

    assertThat(footer.compressed()).isTrue();
    assertThat(footer.blobs()).isEmpty();
    assertThat(footer.sizeInBytes()).isEqualTo(16 + frame.remaining());
  }

  @Test
  void namesTheFileOfADamagedCompressedFooter() {
    assertRefused(
        file(EMPTY_PAYLOAD, EMPTY_PAYLOAD.length, 1),
        Reason.COMPRESSED_DATA,
        "Cannot decompress lz4 frame: ");
  }

  @Test
  void limitsWhatACompressedFooterDecompressesTo() {
    byte[] json = ("{\"blobs\":[]" + " ".repeat(2000) + "}").getBytes(StandardCharsets.UTF_8);
    ByteBuffer frame =
        PuffinCompression.compress(PuffinCompressionCodec.LZ4, ByteBuffer.wrap(json));
    byte[] file = file(frame.array(), frame.remaining(), 1);
    PuffinLimits limits = PuffinLimits.builder().maxFooterBytes(2000).build();

    assertThat(parse(file).blobs()).isEmpty();
    assertRefused(() -> parse(file, limits), Reason.LIMIT, "Cannot decompress lz4 frame: ");
  }

  @Test
  void writesTheSmallestFooter() {
    PuffinFooter footer = new PuffinFooter(List.of(), Map.of(), false, 4, 28);

    assertThat(footer.toBytes()).isEqualTo(ByteBuffer.wrap(SMALLEST, 4, 28));
    assertThat(footer.toBytes().order()).isEqualTo(ByteOrder.BIG_ENDIAN);
  }

  @Test
  void writesPropertiesInTheOrderOfTheirKeys() {
    Map<String, String> properties = new HashMap<>();
    for (int i = 0; i < 100; i++) {
      properties.put("k" + i, "v" + i);
    }
    List<String> sorted = properties.keySet().stream().sorted().toList();
    BlobMetadata blob = new BlobMetadata("t", List.of(), 1, 2, 4, 1, null, properties);
    PuffinFooter footer =
        parse(file(new PuffinFooter(List.of(blob), properties, false, 4, 28).toBytes()));

    assertThat(footer.properties().keySet()).containsExactlyElementsOf(sorted);
    assertThat(footer.blobs().get(0).properties().keySet()).containsExactlyElementsOf(sorted);
    assertThat(footer.properties()).isEqualTo(properties);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void encodesOnceForAFileThatIsWritten(boolean compressed) {
    BlobMetadata blob = new BlobMetadata("t", List.of(7), 1, 2, 4, 96, "zstd", Map.of());
    PuffinFooter.Encoded encoded =
        PuffinFooter.encode(List.of(blob), Map.of("created-by", "x"), compressed, OFFSET);
    PuffinFooter parsed = parse(file(encoded.bytes()));

    assertThat(encoded.footer().sizeInBytes()).isEqualTo(encoded.bytes().remaining());
    assertThat(encoded.footer().toBytes()).isEqualTo(encoded.bytes());
    assertThat(parsed.toBytes()).isEqualTo(encoded.bytes());
    assertThat(parsed.compressed()).isEqualTo(compressed);
    assertThat(parsed.offset()).isEqualTo(encoded.footer().offset());
    assertThat(parsed.sizeInBytes()).isEqualTo(encoded.footer().sizeInBytes());
    assertThat(parsed.createdBy()).contains("x");
  }

  /** UTF-8 has no bytes for half a surrogate pair; Iceberg would write a question mark. */
  @Test
  void refusesToWriteStringsThatAreNotUnicodeText() {
    for (String text :
        List.of("\ud800", "\udc00", "a\ud800b", "\udc00\ud800", "\ud800\ud800\udc00")) {
      PuffinFooter footer = new PuffinFooter(List.of(), Map.of("k", text), false, 4, 28);

      assertThatIllegalArgumentException()
          .isThrownBy(footer::toBytes)
          .withMessage("Cannot write footer: a string holds half of a surrogate pair");
    }
  }

  @Test
  void copiesWhatItIsMadeOf() {
    List<BlobMetadata> blobs = new ArrayList<>();
    Map<String, String> properties = new HashMap<>();
    PuffinFooter footer = new PuffinFooter(blobs, properties, false, 4, 28);
    blobs.add(new BlobMetadata("t", List.of(), 1, 2, 4, 0, null, Map.of()));
    properties.put("a", "b");

    assertThat(footer.blobs()).isEmpty();
    assertThat(footer.properties()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"3,28", "-1,28", "4,15", "4,-1"})
  void refusesToBeWhereNoFooterCanBe(long offset, long size) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new PuffinFooter(List.of(), Map.of(), false, offset, size))
        .withMessage("Invalid footer: offset " + offset + ", size " + size);
  }

  private static int size(byte[] tail, long fileSize) {
    return PuffinFooter.sizeInBytes(LOCATION, ByteBuffer.wrap(tail), fileSize, DEFAULTS);
  }

  private static byte[] flip(byte[] file, int offset, int bit) {
    file[offset + bit / 8] ^= (byte) (1 << (bit % 8));
    return file;
  }

  private static byte[] padded(byte[] bytes, int before, int after) {
    return ByteBuffer.allocate(before + bytes.length + after).position(before).put(bytes).array();
  }

  /** Whatever number of reads brought the bytes, the same is refused for the same reason. */
  private static void assertRefused(byte[] file, Reason reason, String problem) {
    assertRefused(() -> parse(file), reason, problem);
    if (file.length >= 12 && reason != Reason.NOT_PUFFIN) {
      assertRefused(() -> parseFooterAlone(file, DEFAULTS), reason, problem);
    }
  }

  private static void assertRefused(ThrowingCallable reading, Reason reason, String problem) {
    assertThatThrownBy(reading)
        .isExactlyInstanceOf(PuffinFormatException.class)
        .hasMessageStartingWith("Cannot read footer of s3://b/f.puffin: " + problem)
        .extracting(e -> ((PuffinFormatException) e).reason())
        .isEqualTo(reason);
  }
}
