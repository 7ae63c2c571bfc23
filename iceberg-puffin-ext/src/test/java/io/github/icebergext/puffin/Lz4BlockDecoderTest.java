package io.github.icebergext.puffin;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import net.jpountz.lz4.LZ4Factory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class Lz4BlockDecoderTest {
  @Test
  void blockOfLiteralsIsCopied() {
    assertThat(decode(3, 0x30, 'a', 'b', 'c')).isEqualTo("abc");
  }

  @Test
  void blockMayEndWithNoLiterals() {
    assertThat(decode(0, 0x00)).isEmpty();
    assertThat(decode(5, 0x10, 'a', 1, 0, 0x00)).isEqualTo("aaaaa");
  }

  @Test
  void literalLengthGoesOnUntilAByteBelow255() {
    int[] block = new int[2 + 15];
    Arrays.fill(block, 'x');
    block[0] = 0xF0;
    block[1] = 0;
    assertThat(decode(15, block)).isEqualTo("x".repeat(15));

    block = new int[3 + 15 + 255 + 3];
    Arrays.fill(block, 'y');
    block[0] = 0xF0;
    block[1] = 255;
    block[2] = 3;
    assertThat(decode(273, block)).isEqualTo("y".repeat(273));
  }

  @Test
  void matchLengthGoesOnUntilAByteBelow255() {
    assertThat(decode(20, 0x1F, 'a', 1, 0, 0, 0x00)).isEqualTo("a".repeat(20));
    assertThat(decode(275, 0x1F, 'a', 1, 0, 255, 0, 0x00)).isEqualTo("a".repeat(275));
    assertThat(decode(281, 0x1F, 'a', 1, 0, 255, 5, 0x10, 'b')).isEqualTo("a".repeat(280) + "b");
  }

  @Test
  void matchCopiesFromItsOffset() {
    assertThat(decode(13, 0x80, 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 7, 0, 0x10, 'z'))
        .isEqualTo("abcdefghbcdez");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 7, 15, 16, 17, 31})
  void matchThatOverlapsItselfRepeats(int offset) {
    String literals = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcde";
    StringBuilder expected = new StringBuilder(literals);
    for (int i = 0; i < 4 + 15 + 100; i++) {
      expected.append(expected.charAt(expected.length() - offset));
    }
    int[] block =
        Stream.of(
                IntStream.of(0xFF, literals.length() - 15),
                literals.chars(),
                IntStream.of(offset, 0, 100, 0x00))
            .flatMapToInt(bytes -> bytes)
            .toArray();
    assertThat(decode(expected.length(), block)).isEqualTo(expected.toString());
  }

  @Test
  void blocksOfRandomRepetitionsEqualTheirSource() {
    Random random = new Random(11);
    for (int i = 0; i < 500; i++) {
      byte[] content = repetitive(random, random.nextInt(5_000));
      byte[] block = LZ4Factory.safeInstance().highCompressor(1 + i % 17).compress(content);
      assertThat(decode(content.length, block)).isEqualTo(content);
    }
  }

  /** Returns bytes that mostly repeat one of the three before. */
  private static byte[] repetitive(Random random, int size) {
    byte[] content = new byte[size];
    for (int i = 1; i < size; i++) {
      boolean repeat = random.nextInt(40) != 0;
      int before = i - 1 - random.nextInt(Math.min(i, 3));
      content[i] = repeat ? content[before] : (byte) random.nextInt();
    }
    return content;
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource
  void malformedBlockIsRefused(String rule, int[] block, String message) {
    assertThatExceptionOfType(PuffinFormatException.class)
        .isThrownBy(() -> decode(40, block))
        .withMessageStartingWith("Cannot decompress lz4 frame: ")
        .withMessageContaining(message)
        .extracting(PuffinFormatException::reason)
        .isEqualTo(Reason.COMPRESSED_DATA);
  }

  static Stream<Arguments> malformedBlockIsRefused() {
    return Stream.of(
        arguments("no token", block(), "block ends at byte 0 inside a token"),
        arguments("literal length cut", block(0xF0), "block ends at byte 1 inside a length"),
        arguments(
            "long literals cut",
            block(0xF0, 20, 0),
            "35 literals at byte 2, but their block ends at byte 3"),
        arguments(
            "literals cut",
            block(0x30, 'a', 'b'),
            "3 literals at byte 1, but their block ends at byte 3"),
        arguments(
            "literals longer than the output",
            block(0xF0, 26),
            "sequence before byte 2 yields 41 bytes or more, expected at most the 40 that"),
        arguments(
            "literal length without end",
            block(0xF0, 255, 255, 255, 255, 255),
            "sequence before byte 2 yields 270 bytes or more, expected at most the 40 that"),
        arguments("offset cut", block(0x10, 'a', 1), "block ends at byte 3 inside a match offset"),
        arguments(
            "offset 0", block(0x10, 'a', 0, 0, 0), "match offset 0 at byte 2, expected 1 to 1"),
        arguments(
            "offset before the window",
            block(0x10, 'a', 2, 0, 0),
            "match offset 2 at byte 2, expected 1 to 1"),
        arguments(
            "offset before any output",
            block(0x00, 1, 0, 0),
            "match offset 1 at byte 1, expected 1 to 0"),
        arguments(
            "largest offset",
            block(0x10, 'a', 255, 255, 0),
            "match offset 65535 at byte 2, expected 1 to 1"),
        arguments(
            "match length cut", block(0x1F, 'a', 1, 0), "block ends at byte 4 inside a length"),
        arguments(
            "match longer than the output",
            block(0x1F, 'a', 1, 0, 21, 0),
            "sequence before byte 5 yields 40 bytes or more, expected at most the 39 that"),
        arguments(
            "match at the end", block(0x10, 'a', 1, 0), "block ends at byte 4 inside a token"));
  }

  private static int[] block(int... bytes) {
    return bytes;
  }

  private static String decode(int outputSize, int... block) {
    byte[] bytes = new byte[block.length];
    for (int i = 0; i < block.length; i++) {
      bytes[i] = (byte) block[i];
    }
    return new String(decode(outputSize, bytes), ISO_8859_1);
  }

  private static byte[] decode(int outputSize, byte[] block) {
    byte[] out = new byte[outputSize];
    Lz4BlockDecoder decoder = new Lz4BlockDecoder(block, out, new FrameCursor("lz4", block));
    assertThat(decoder.decode(0, block.length, 0, 0, outputSize)).isEqualTo(outputSize);
    return out;
  }
}
