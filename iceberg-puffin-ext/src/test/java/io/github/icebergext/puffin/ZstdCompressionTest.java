package io.github.icebergext.puffin;

import static io.github.icebergext.puffin.CommandLine.command;
import static io.github.icebergext.puffin.ZstdFrameBuilder.CHECKSUM;
import static io.github.icebergext.puffin.ZstdFrameBuilder.COMPRESSED;
import static io.github.icebergext.puffin.ZstdFrameBuilder.RAW;
import static io.github.icebergext.puffin.ZstdFrameBuilder.RUN;
import static io.github.icebergext.puffin.ZstdFrameBuilder.SINGLE_SEGMENT;
import static io.github.icebergext.puffin.ZstdFrameBuilder.SIZE_OF_2_BYTES;
import static io.github.icebergext.puffin.ZstdFrameBuilder.SIZE_OF_4_BYTES;
import static io.github.icebergext.puffin.ZstdFrameBuilder.SIZE_OF_8_BYTES;
import static io.github.icebergext.puffin.ZstdFrameBuilder.ofSize;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.airlift.compress.zstd.ZstdCompressor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.apache.iceberg.inmemory.InMemoryInputFile;
import org.apache.iceberg.inmemory.InMemoryOutputFile;
import org.apache.iceberg.puffin.Blob;
import org.apache.iceberg.puffin.BlobMetadata;
import org.apache.iceberg.puffin.Puffin;
import org.apache.iceberg.puffin.PuffinCompressionCodec;
import org.apache.iceberg.puffin.PuffinReader;
import org.apache.iceberg.puffin.PuffinWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ZstdCompressionTest extends CompressionContract {
  private static final String[] COMMAND_OPTIONS = {
    "-1", "-3", "-7", "-13", "-19", "--ultra -22", "--fast=5", "--no-check", "-3 --long=22"
  };

  @Override
  PuffinCompressionCodec codec() {
    return PuffinCompressionCodec.ZSTD;
  }

  @Override
  List<Peer> writers() {
    List<Peer> writers = new ArrayList<>();
    for (String options : COMMAND_OPTIONS) {
      writers.add(new Peer("zstd " + options, command("zstd", options.split(" "))));
    }
    writers.add(new Peer("Iceberg", ZstdCompressionTest::writtenByIceberg));
    writers.add(new Peer("aircompressor", ZstdCompressionTest::writtenByAircompressor));
    return writers;
  }

  @Override
  List<Peer> readers() {
    return List.of(
        new Peer("zstd command", command("zstd", "-d")),
        new Peer("Iceberg", ZstdCompressionTest::readByIceberg));
  }

  private static byte[] writtenByAircompressor(byte[] bytes) {
    ZstdCompressor compressor = new ZstdCompressor();
    byte[] out = new byte[compressor.maxCompressedLength(bytes.length)];
    return Arrays.copyOf(out, compressor.compress(bytes, 0, bytes.length, out, 0, out.length));
  }

  private static byte[] writtenByIceberg(byte[] bytes) throws IOException {
    InMemoryOutputFile file = new InMemoryOutputFile();
    try (PuffinWriter writer =
        Puffin.write(file).compressBlobs(PuffinCompressionCodec.ZSTD).build()) {
      writer.add(new Blob("a", List.of(1), 2, 3, ByteBuffer.wrap(bytes)));
      writer.finish();
      BlobMetadata blob = writer.writtenBlobsMetadata().get(0);
      int end = (int) (blob.offset() + blob.length());
      return Arrays.copyOfRange(file.toByteArray(), (int) blob.offset(), end);
    }
  }

  private static byte[] readByIceberg(byte[] stored) throws IOException {
    InMemoryInputFile file = new InMemoryInputFile(puffin(stored));
    try (PuffinReader reader = Puffin.read(file).build()) {
      return array(reader.readAll(reader.fileMetadata().blobs()).iterator().next().second());
    }
  }

  private static byte[] puffin(byte[] stored) {
    byte[] magic = "PFA1".getBytes(US_ASCII);
    String blob =
        "{\"type\":\"a\",\"fields\":[1],\"snapshot-id\":2,\"sequence-number\":3,\"offset\":4,"
            + "\"compression-codec\":\"zstd\",\"length\":"
            + stored.length
            + "}";
    byte[] payload = ("{\"blobs\":[" + blob + "]}").getBytes(US_ASCII);
    return ByteBuffer.allocate(stored.length + payload.length + 20)
        .order(ByteOrder.LITTLE_ENDIAN)
        .put(magic)
        .put(stored)
        .put(magic)
        .put(payload)
        .putInt(payload.length)
        .putInt(0)
        .put(magic)
        .array();
  }

  @Override
  byte[] withoutContentChecksum(byte[] content) {
    byte[] frame = Arrays.copyOf(compress(content), compress(content).length - 4);
    frame[4] ^= CHECKSUM;
    return frame;
  }

  @Override
  byte[] declaring(long contentSize) {
    return new ZstdFrameBuilder(SIZE_OF_8_BYTES | SINGLE_SEGMENT, int64(contentSize))
        .lastBlock(RAW, 0)
        .end();
  }

  private static int[] int64(long value) {
    int[] bytes = new int[8];
    for (int i = 0; i < 8; i++) {
      bytes[i] = (int) (value >>> (8 * i)) & 0xFF;
    }
    return bytes;
  }

  @Test
  void frameCarriesContentSizeAndChecksum() {
    byte[] content = "abcdefghi".getBytes(US_ASCII);
    assertThat(compress(content))
        .isEqualTo(
            new ZstdFrameBuilder(SINGLE_SEGMENT | CHECKSUM, 9)
                .lastBlock(RAW, 9, 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i')
                .checksum(content));
  }

  @Test
  void contentSizeOfEveryWidthIsRead() {
    int smallestWindow = 0;
    List<byte[]> frames =
        List.of(
            new ZstdFrameBuilder(SINGLE_SEGMENT, 44).lastBlock(RUN, 44, 'a').end(),
            new ZstdFrameBuilder(SIZE_OF_2_BYTES | SINGLE_SEGMENT, 0, 0)
                .lastBlock(RUN, 256, 'a')
                .end(),
            new ZstdFrameBuilder(SIZE_OF_2_BYTES, smallestWindow, 0x2C, 0x01)
                .lastBlock(RUN, 556, 'a')
                .end(),
            new ZstdFrameBuilder(SIZE_OF_4_BYTES, smallestWindow, 44, 0, 0, 0)
                .lastBlock(RUN, 44, 'a')
                .end(),
            new ZstdFrameBuilder(SIZE_OF_8_BYTES, smallestWindow, 44, 0, 0, 0, 0, 0, 0, 0)
                .lastBlock(RUN, 44, 'a')
                .end());
    assertThat(frames)
        .extracting(frame -> "a".repeat(decompress(frame).length))
        .containsExactly(
            "a".repeat(44), "a".repeat(256), "a".repeat(556), "a".repeat(44), "a".repeat(44));
  }

  @Test
  void rawAndRunLengthBlocksFollowEachOther() {
    byte[] frame =
        new ZstdFrameBuilder(SINGLE_SEGMENT | CHECKSUM, 8)
            .block(RAW, 2, 'a', 'b')
            .block(RUN, 5, 'c')
            .block(RAW, 0)
            .lastBlock(RAW, 1, 'd')
            .checksum("abcccccd".getBytes(US_ASCII));
    assertThat(decompress(frame)).asString().isEqualTo("abcccccd");
  }

  @Test
  void unusedBitOfTheDescriptorIsIgnored() {
    byte[] frame = new ZstdFrameBuilder(SINGLE_SEGMENT | 1 << 4, 1).lastBlock(RAW, 1, 'a').end();
    assertThat(decompress(frame)).asString().isEqualTo("a");
  }

  @Test
  void emptyFrameIsReadToItsChecksum() {
    byte[] frame = new ZstdFrameBuilder(SINGLE_SEGMENT | CHECKSUM, 0).lastBlock(RAW, 0).checksum();
    assertThat(decompress(frame)).isEmpty();
    frame[frame.length - 1]++;
    assertRefused(
        () -> decompress(frame),
        Reason.COMPRESSED_DATA,
        "blocks from byte 6 do not decompress to the declared 0 bytes: Bad checksum");
  }

  @Test
  void commandOmitsTheContentSizeOfAStream() throws IOException {
    byte[] frame = command("zstd", "--no-content-size").apply(new byte[100]);
    assertRefused(() -> decompress(frame), Reason.COMPRESSED_DATA, "no content size (frame");
  }

  @Test
  void faultInsideABlockKeepsItsCause() {
    byte[] frame = ofSize(9).lastBlock(COMPRESSED, 5, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF).end();
    assertRefused(
        () -> decompress(frame),
        Reason.COMPRESSED_DATA,
        "blocks from byte 6 do not decompress to the declared 9 bytes: ");
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource
  void malformedFrameIsRefused(String rule, byte[] frame, String message) {
    assertRefused(() -> decompress(frame), Reason.COMPRESSED_DATA, message);
  }

  static Stream<Arguments> malformedFrameIsRefused() {
    return Stream.of(
        arguments(
            "magic",
            new byte[] {'P', 'F', 'A', '1'},
            "magic at byte 0 is 0x31414650, expected 0xfd2fb528"),
        arguments(
            "another codec",
            new byte[] {4, 0x22, 0x4D, 0x18},
            "magic at byte 0 is 0x184d2204 (an lz4 frame), expected 0xfd2fb528"),
        arguments(
            "older version",
            new byte[] {0x27, (byte) 0xB5, 0x2F, (byte) 0xFD},
            "magic at byte 0 is 0xfd2fb527, expected 0xfd2fb528"),
        arguments(
            "reserved bit",
            new ZstdFrameBuilder(SINGLE_SEGMENT | 1 << 3, 0).lastBlock(RAW, 0).end(),
            "reserved bit set in frame header descriptor 0x28 at byte 4, expected 0"),
        arguments(
            "window",
            new ZstdFrameBuilder(SIZE_OF_4_BYTES, 13 << 3 | 1, 1, 0, 0, 0).end(),
            "window at byte 5 has 9437184 bytes, expected at most 8388608"),
        arguments(
            "largest window",
            new ZstdFrameBuilder(SIZE_OF_4_BYTES, 0xFF, 1, 0, 0, 0).end(),
            "window at byte 5 has 4123168604160 bytes, expected at most 8388608"),
        arguments(
            "dictionary id of 1 byte",
            new ZstdFrameBuilder(SINGLE_SEGMENT | 1, 7, 0).lastBlock(RAW, 0).end(),
            "a dictionary id at byte 5, expected no dictionary"),
        arguments(
            "dictionary id of 2 bytes",
            new ZstdFrameBuilder(SIZE_OF_4_BYTES | 2, 0, 7, 0, 0, 0, 0, 0).end(),
            "a dictionary id at byte 6, expected no dictionary"),
        arguments(
            "dictionary id of 4 bytes",
            new ZstdFrameBuilder(SINGLE_SEGMENT | 3, 7, 0, 0, 0, 0).lastBlock(RAW, 0).end(),
            "a dictionary id at byte 5, expected no dictionary"),
        arguments(
            "content size absent",
            new ZstdFrameBuilder(0, 0).lastBlock(RAW, 0).end(),
            "no content size (frame header descriptor 0x0 at byte 4), which Puffin requires"),
        arguments(
            "content size cut",
            new ZstdFrameBuilder(SIZE_OF_8_BYTES, 0, 1, 2, 3).end(),
            "content size at byte 6 needs 8 bytes, but the data ends after 3"),
        arguments(
            "block header cut",
            ofSize(1).bytes(0, 0).end(),
            "block header at byte 6 needs 3 bytes, but the data ends after 2"),
        arguments(
            "raw block cut",
            ofSize(3).lastBlock(RAW, 3, 'a').end(),
            "raw block at byte 9 needs 3 bytes, but the data ends after 1"),
        arguments(
            "run-length block cut",
            ofSize(3).lastBlock(RUN, 3).end(),
            "run-length block at byte 9 needs 1 bytes, but the data ends after 0"),
        arguments(
            "compressed block cut",
            ofSize(3).lastBlock(COMPRESSED, 3, 1, 2).end(),
            "compressed block at byte 9 needs 3 bytes, but the data ends after 2"),
        arguments(
            "reserved block type",
            ofSize(3).lastBlock(3, 3, 1, 2, 3).end(),
            "block at byte 6 has the reserved type 3"),
        arguments(
            "block over the window",
            new ZstdFrameBuilder(SIZE_OF_2_BYTES, 0, 0, 8).lastBlock(RUN, 1025, 'a').end(),
            "block at byte 8 has 1025 bytes, expected at most 1024"),
        arguments(
            "block over 128 KiB",
            new ZstdFrameBuilder(SIZE_OF_4_BYTES | SINGLE_SEGMENT, 0, 0, 4, 0)
                .lastBlock(RUN, 131_073, 'a')
                .end(),
            "block at byte 9 has 131073 bytes, expected at most 131072"),
        arguments(
            "last block absent",
            ofSize(1).block(RAW, 1, 'a').end(),
            "block header at byte 10 needs 3 bytes, but the data ends after 0"),
        arguments(
            "blocks too few for the content",
            ofSize(9).block(RAW, 1, 'a').lastBlock(RUN, 7, 'b').end(),
            "blocks up to byte 14 hold at most 8 bytes of content, expected the declared 9"),
        arguments(
            "raw blocks longer than declared",
            ofSize(2).block(RAW, 2, 'a', 'b').lastBlock(RAW, 1, 'c').end(),
            "blocks from byte 6 do not decompress to the declared 2 bytes: Output buffer too small"),
        arguments(
            "content shorter than declared",
            ofSize(9).lastBlock(COMPRESSED, 4, 2 << 3, 'a', 'b', 0).end(),
            "blocks from byte 6 decompress to 2 bytes, expected the declared 9"),
        arguments(
            "content where none is declared",
            ofSize(0).lastBlock(COMPRESSED, 0).end(),
            "blocks from byte 6 do not decompress to the declared 0 bytes: "),
        arguments(
            "content checksum",
            new ZstdFrameBuilder(SINGLE_SEGMENT | CHECKSUM, 1)
                .lastBlock(RAW, 1, 'a')
                .bytes(1, 2, 3, 4)
                .end(),
            "blocks from byte 6 do not decompress to the declared 1 bytes: Bad checksum"),
        arguments(
            "content checksum cut",
            new ZstdFrameBuilder(SINGLE_SEGMENT | CHECKSUM, 1).lastBlock(RAW, 1, 'a').end(),
            "content checksum at byte 10 needs 4 bytes, but the data ends after 0"));
  }
}
