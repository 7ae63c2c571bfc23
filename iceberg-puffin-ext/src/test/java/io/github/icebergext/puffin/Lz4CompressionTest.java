package io.github.icebergext.puffin;

import static io.github.icebergext.puffin.CommandLine.command;
import static io.github.icebergext.puffin.Lz4FrameBuilder.BLOCK_CHECKSUM;
import static io.github.icebergext.puffin.Lz4FrameBuilder.CHECKSUM;
import static io.github.icebergext.puffin.Lz4FrameBuilder.DICTIONARY;
import static io.github.icebergext.puffin.Lz4FrameBuilder.INDEPENDENT;
import static io.github.icebergext.puffin.Lz4FrameBuilder.SIZE;
import static io.github.icebergext.puffin.Lz4FrameBuilder.VERSION;
import static io.github.icebergext.puffin.Lz4FrameBuilder.ofSize;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import net.jpountz.lz4.LZ4FrameInputStream;
import net.jpountz.lz4.LZ4FrameOutputStream;
import net.jpountz.lz4.LZ4FrameOutputStream.BLOCKSIZE;
import net.jpountz.lz4.LZ4FrameOutputStream.FLG;
import org.apache.iceberg.puffin.PuffinCompressionCodec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class Lz4CompressionTest extends CompressionContract {
  private static final String[] COMMAND_OPTIONS = {
    "-1",
    "-3",
    "-9",
    "-12",
    "--fast=9",
    "-B4",
    "-B5",
    "-B6",
    "-B7",
    "-B4 -BI",
    "-B4 -BD",
    "-B5 -BD -9",
    "-B6 -BD -BX",
    "-B7 -BD -12",
    "-BI -BX",
    "--no-frame-crc",
    "-B4 -BD -BX --no-frame-crc",
    "-12 -B4 -BD --favor-decSpeed"
  };

  @Override
  PuffinCompressionCodec codec() {
    return PuffinCompressionCodec.LZ4;
  }

  @Override
  List<Peer> writers() {
    List<Peer> writers = new ArrayList<>();
    for (String options : COMMAND_OPTIONS) {
      String[] all = (options + " --content-size").split(" ");
      writers.add(new Peer("lz4 " + options, command("lz4", all)));
    }
    for (BLOCKSIZE size : BLOCKSIZE.values()) {
      writers.add(new Peer("lz4-java " + size, bytes -> lz4Java(bytes, size)));
    }
    return writers;
  }

  @Override
  List<Peer> readers() {
    return List.of(
        new Peer("lz4 command", command("lz4", "-d")),
        new Peer("lz4-java", Lz4CompressionTest::readByLz4Java));
  }

  private static byte[] lz4Java(byte[] bytes, BLOCKSIZE size) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    FLG.Bits[] flags = {
      FLG.Bits.BLOCK_INDEPENDENCE,
      FLG.Bits.BLOCK_CHECKSUM,
      FLG.Bits.CONTENT_CHECKSUM,
      FLG.Bits.CONTENT_SIZE
    };
    try (LZ4FrameOutputStream frame = new LZ4FrameOutputStream(out, size, bytes.length, flags)) {
      frame.write(bytes);
    }
    return out.toByteArray();
  }

  private static byte[] readByLz4Java(byte[] stored) throws IOException {
    try (LZ4FrameInputStream frame = new LZ4FrameInputStream(new ByteArrayInputStream(stored))) {
      return frame.readAllBytes();
    }
  }

  @Override
  byte[] withoutContentChecksum(byte[] content) {
    byte[] frame = compress(content);
    frame[4] ^= CHECKSUM;
    byte[] header = Arrays.copyOf(frame, 14);
    Lz4FrameBuilder builder = new Lz4FrameBuilder(header[4], header[5]).size(content.length);
    byte[] blocks = Arrays.copyOfRange(frame, 15, frame.length - 4);
    return concat(builder.header().cut(), blocks);
  }

  @Override
  byte[] declaring(long contentSize) {
    return ofSize(contentSize).end();
  }

  @Test
  void frameHasIndependentBlocksContentSizeAndChecksum() {
    byte[] frame = compress("abcdefghi".getBytes(US_ASCII));
    assertThat(frame)
        .isEqualTo(
            new Lz4FrameBuilder(VERSION | INDEPENDENT | SIZE | CHECKSUM, 0x40)
                .size(9)
                .header()
                .stored("abcdefghi".getBytes(US_ASCII))
                .int32(0)
                .checksum("abcdefghi".getBytes(US_ASCII))
                .cut());
  }

  @Test
  void blockSizeIsTheSmallestThatHoldsTheContent() {
    assertThat(compress(new byte[65_536])[5]).isEqualTo((byte) 0x40);
    assertThat(compress(new byte[65_537])[5]).isEqualTo((byte) 0x50);
    assertThat(compress(new byte[262_145])[5]).isEqualTo((byte) 0x60);
    assertThat(compress(new byte[1_048_577])[5]).isEqualTo((byte) 0x70);
    assertThat(compress(new byte[4_194_305])[5]).isEqualTo((byte) 0x70);
  }

  // iceberg-go#1678: footers are stored as LZ4 frames too.
  @Test
  void footerIsBoundedByTheFooterLimitInsteadOfTheBlobLimit() {
    ByteBuffer stored = stored(new byte[1_000]);
    PuffinLimits enough =
        PuffinLimits.builder().maxFooterBytes(1_000).maxDecompressedBytes(0).build();
    PuffinLimits tooLittle = PuffinLimits.builder().maxFooterBytes(999).build();

    assertThat(PuffinCompression.decompressFooter(stored, enough))
        .isEqualTo(ByteBuffer.allocate(1_000));
    assertRefused(
        () -> PuffinCompression.decompressFooter(stored, tooLittle),
        Reason.LIMIT,
        "content size at byte 6 is 1000 bytes, over the limit maxFooterBytes 999");
  }

  // lz4-java#176: linked blocks are the default of several encoders.
  @Test
  void matchReachesIntoTheBlockBeforeWhereBlocksAreLinked() {
    byte[] frame =
        new Lz4FrameBuilder(VERSION | SIZE, 0x40)
            .size(16)
            .header()
            .stored("abcdefgh".getBytes(US_ASCII))
            .block(0x00, 8, 0, 0x40, 'w', 'x', 'y', 'z')
            .end();
    assertThat(decompress(frame)).asString().isEqualTo("abcdefghabcdwxyz");
  }

  @Test
  void matchReachesBackAsFarAsItsOffsetGoesWhereBlocksAreLinked() {
    byte[] first = new byte[65_536];
    first[1] = 'a';
    first[2] = 'b';
    first[3] = 'c';
    first[4] = 'd';
    byte[] frame =
        new Lz4FrameBuilder(VERSION | SIZE, 0x40)
            .size(65_541)
            .header()
            .stored(first)
            .block(0x00, 0xFF, 0xFF, 0x10, 'z')
            .end();
    assertThat(Arrays.copyOfRange(decompress(frame), 65_536, 65_541)).asString().isEqualTo("abcdz");
  }

  @Test
  void blockChecksumsAreReadOfCompressedAndStoredBlocks() {
    byte[] frame =
        new Lz4FrameBuilder(VERSION | INDEPENDENT | SIZE | BLOCK_CHECKSUM, 0x40)
            .size(10)
            .header()
            .stored("abcde".getBytes(US_ASCII))
            .block(0x50, 'f', 'g', 'h', 'i', 'j')
            .end();
    assertThat(decompress(frame)).asString().isEqualTo("abcdefghij");
  }

  @Test
  void emptyStoredBlockIsLegal() {
    assertThat(decompress(ofSize(1).stored().stored((byte) 'a').end())).asString().isEqualTo("a");
  }

  @Test
  void emptyFrameHasNoBlock() {
    assertThat(decompress(ofSize(0).end())).isEmpty();
  }

  @Test
  void commandOmitsTheContentSizeUnlessAskedForIt() throws IOException {
    byte[] frame = command("lz4").apply(new byte[100]);
    assertRefused(
        () -> decompress(frame),
        Reason.COMPRESSED_DATA,
        "no content size (FLG 0x64 at byte 4), which Puffin requires");
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource
  void malformedFrameIsRefused(String rule, byte[] frame, String message) {
    assertRefused(() -> decompress(frame), Reason.COMPRESSED_DATA, message);
  }

  static Stream<Arguments> malformedFrameIsRefused() {
    int usual = VERSION | INDEPENDENT | SIZE;
    byte[] five = "abcde".getBytes(US_ASCII);
    return Stream.of(
        arguments(
            "magic",
            new byte[] {'P', 'F', 'A', '1'},
            "magic at byte 0 is 0x31414650, expected 0x184d2204"),
        arguments(
            "another codec",
            new byte[] {0x28, (byte) 0xB5, 0x2F, (byte) 0xFD},
            "magic at byte 0 is 0xfd2fb528 (a zstd frame), expected 0x184d2204"),
        arguments(
            "legacy frame",
            new byte[] {2, 0x21, 0x4C, 0x18},
            "magic at byte 0 is 0x184c2102 (a legacy lz4 frame), expected 0x184d2204"),
        arguments(
            "legacy frame behind",
            concat(ofSize(0).end(), new byte[] {2, 0x21, 0x4C, 0x18}),
            "a legacy lz4 frame at byte 19 (4 bytes), expected the end after one frame"),
        arguments(
            "version",
            new Lz4FrameBuilder(0x80 | SIZE, 0x40).size(0).header().end(),
            "version 2 in FLG at byte 4, expected 1"),
        arguments(
            "reserved bit of FLG",
            new Lz4FrameBuilder(usual | 2, 0x40).size(0).header().end(),
            "reserved bit set in FLG 0x6a at byte 4, expected 0"),
        arguments(
            "reserved top bit of BD",
            new Lz4FrameBuilder(usual, 0xC0).size(0).header().end(),
            "reserved bits set in BD 0xc0 at byte 5, expected 0"),
        arguments(
            "reserved low bits of BD",
            new Lz4FrameBuilder(usual, 0x48).size(0).header().end(),
            "reserved bits set in BD 0x48 at byte 5, expected 0"),
        arguments(
            "block size",
            new Lz4FrameBuilder(usual, 0x30).size(0).header().end(),
            "block size code 3 in BD at byte 5, expected 4 to 7"),
        arguments(
            "content size absent",
            new Lz4FrameBuilder(VERSION | INDEPENDENT, 0x40).header().end(),
            "no content size (FLG 0x60 at byte 4), which Puffin requires"),
        arguments(
            "dictionary",
            new Lz4FrameBuilder(usual | DICTIONARY, 0x40).size(0).int32(0xBEEF).header().end(),
            "a dictionary id at byte 14, expected no dictionary"),
        arguments(
            "header checksum",
            new Lz4FrameBuilder(usual, 0x40).size(0).bytes(0).end(),
            "header checksum at byte 14 is 0x0, but the header has 0x"),
        arguments(
            "header cut",
            new Lz4FrameBuilder(usual, 0x40).int32(0).cut(),
            "content size at byte 6 needs 8 bytes, but the data ends after 4"),
        arguments(
            "dictionary id cut",
            new Lz4FrameBuilder(usual | DICTIONARY, 0x40).size(0).bytes(1, 2).cut(),
            "dictionary id at byte 14 needs 4 bytes, but the data ends after 2"),
        arguments(
            "header checksum cut",
            new Lz4FrameBuilder(usual, 0x40).size(0).cut(),
            "header checksum at byte 14 needs 1 bytes, but the data ends after 0"),
        arguments(
            "block cut",
            ofSize(5).int32(5).bytes(0x50, 'a').cut(),
            "block at byte 19 needs 5 bytes, but the data ends after 2"),
        arguments(
            "end mark absent",
            ofSize(5).stored(five).cut(),
            "block size or end mark at byte 24 needs 4 bytes, but the data ends after 0"),
        arguments(
            "block over the declared largest",
            ofSize(70_000).stored(new byte[65_537]).end(),
            "block at byte 15 has 65537 bytes, expected at most the declared 65536"),
        arguments(
            "compressed block over the declared largest",
            ofSize(70_000).block(new int[65_537]).end(),
            "block at byte 15 has 65537 bytes, expected at most the declared 65536"),
        arguments(
            "block that yields more than the declared largest",
            ofSize(70_000).block(run(65_537)).end(),
            "yields 65536 bytes or more, expected at most the 65535 that its block"),
        arguments(
            "block checksum",
            new Lz4FrameBuilder(usual | BLOCK_CHECKSUM, 0x40)
                .size(1)
                .header()
                .int32(2)
                .bytes(0x10, 'a')
                .int32(0x1234)
                .end(),
            "block checksum at byte 21 is 0x1234, but the data has 0x"),
        arguments(
            "content checksum",
            new Lz4FrameBuilder(usual | CHECKSUM, 0x40)
                .size(5)
                .header()
                .stored(five)
                .int32(0)
                .int32(0x1234)
                .cut(),
            "content checksum at byte 28 is 0x1234, but the data has 0x"),
        arguments(
            "content checksum cut",
            new Lz4FrameBuilder(usual | CHECKSUM, 0x40).size(0).header().end(),
            "content checksum at byte 19 needs 4 bytes, but the data ends after 0"),
        arguments(
            "content shorter than declared",
            ofSize(6).stored(five).end(),
            "end mark at byte 24 after 5 bytes of content, expected the declared 6"),
        arguments(
            "stored block longer than declared",
            ofSize(4).stored(five).end(),
            "stored block at byte 19 brings the content to 5 bytes, expected the declared 4"),
        arguments(
            "literals longer than declared",
            ofSize(4).block(0x50, 'a', 'b', 'c', 'd', 'e').end(),
            "yields 5 bytes or more, expected at most the 4 that its block"),
        arguments(
            "match longer than declared",
            ofSize(4).block(0x10, 'a', 1, 0, 0x10, 'b').end(),
            "yields 4 bytes or more, expected at most the 3 that its block"),
        arguments(
            "match into the block before though blocks are independent",
            ofSize(16)
                .stored("abcdefgh".getBytes(US_ASCII))
                .block(0x00, 8, 0, 0x40, 'w', 'x', 'y', 'z')
                .end(),
            "match offset 8 at byte 32, expected 1 to 0"),
        arguments(
            "match before the first byte",
            new Lz4FrameBuilder(VERSION | SIZE, 0x40)
                .size(9)
                .header()
                .block(0x10, 'a', 2, 0, 0x40, 'w', 'x', 'y', 'z')
                .end(),
            "match offset 2 at byte 21, expected 1 to 1"));
  }

  /** Returns a block that yields {@code length} equal bytes, at least 20. */
  static int[] run(int length) {
    int more = length - 1 - 4 - 15;
    int[] block = new int[4 + more / 255 + 1 + 1];
    Arrays.fill(block, 255);
    block[0] = 0x1F;
    block[1] = 'a';
    block[2] = 1;
    block[3] = 0;
    block[block.length - 2] = more % 255;
    block[block.length - 1] = 0;
    return block;
  }
}
