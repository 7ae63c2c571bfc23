package io.github.icebergext.dv;

import static io.github.icebergext.puffin.Reason.BITMAP_COUNT;
import static io.github.icebergext.puffin.Reason.BITMAP_DIRECTORY;
import static io.github.icebergext.puffin.Reason.TRAILING_BYTES;
import static io.github.icebergext.puffin.Reason.VECTOR_CHECKSUM;
import static io.github.icebergext.puffin.Reason.VECTOR_LENGTH;
import static io.github.icebergext.puffin.Reason.VECTOR_MAGIC;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.icebergext.puffin.Reason;
import io.github.icebergext.testing.TestData;
import io.github.icebergext.testing.Vectors;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.util.Random;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DeltaVectorCodecTest {
  /** The inline example of Delta's protocol, JSON example 3: 40 bytes, numbers in big-endian. */
  private static final String PROTOCOL_EXAMPLE =
      "wi5b=000010000siXQKl0rr91000f55c8Xg0@@D72lkbi5=-{L";

  /** Two bitmaps, the first empty; the second holds 9. */
  private static final String NATIVE =
      "02000000 08000000 3a300000 00000000" + "12000000 3a300000 01000000 00000000 10000000 0900";

  // delta-kernel-rs, cdf-table-with-dv: written by the Rust z85 crate and by Delta.
  @ParameterizedTest
  @CsvSource(
      delimiter = ' ',
      quoteCharacter = '`',
      value = {
        "^Bg9^0rr910000000000iXQKl0rr91000005c8Xg##093 34 1",
        "^Bg9^0rr910000000000iXQKl0rr91000315c8Xg000f5 36 2",
        "^Bg9^0rr910000000000iXQKl0rr91000935c8Xg000311onP9 40 4"
      })
  void decodesInlineVectorsFromRealLogs(String text, int sizeInBytes, long cardinality) {
    DeletedPositions positions = DeltaVectorCodec.decodeInline(text, sizeInBytes);
    assertThat(positions.cardinality()).isEqualTo(cardinality);
    String again = DeltaVectorCodec.encodeInline(positions);
    assertThat(DeltaVectorCodec.decodeInline(again, sizeInBytes)).isEqualTo(positions);
  }

  @Test
  void decodesTheProtocolsExampleThoughItsNumbersAreBigEndian() {
    assertThat(Vectors.positions(DeltaVectorCodec.decodeInline(PROTOCOL_EXAMPLE, 40)))
        .containsExactly(3, 4, 7, 11, 18, 29);
  }

  @Test
  void decodesTheInlineBytesOfTheCorpus() throws IOException {
    byte[] kernel =
        Files.readAllBytes(
            TestData.corpus().resolve("embedded/delta-kernel-rs/inline-example.bin"));
    byte[] protocol =
        Files.readAllBytes(TestData.corpus().resolve("embedded/delta/protocol-inline-example.bin"));
    assertThat(Base85.encode(protocol)).isEqualTo(PROTOCOL_EXAMPLE);
    for (byte[] bytes : new byte[][] {kernel, protocol}) {
      assertThat(
              Vectors.positions(DeltaVectorCodec.decodeInline(Base85.encode(bytes), bytes.length)))
          .containsExactly(3, 4, 7, 11, 18, 29);
    }
  }

  // ZeroMQ RFC 32
  @Test
  void encodesTheExampleOfTheBase85Specification() {
    byte[] bytes = Vectors.hex("864fd26f b559f75b");
    assertThat(Base85.encode(bytes)).isEqualTo("HelloWorld");
    assertThat(Base85.decode("HelloWorld", 8)).isEqualTo(bytes);
  }

  @Test
  void base85RoundTripsBytesOfAnyLength() {
    Random random = new Random(3);
    for (int length = 0; length < 300; length++) {
      byte[] bytes = new byte[length];
      random.nextBytes(bytes);
      assertThat(Base85.decode(Base85.encode(bytes), length)).isEqualTo(bytes);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ' ',
      quoteCharacter = '`',
      value = {
        "HelloWorl 8 VECTOR_LENGTH 9`",
        "HelloWorld 9 VECTOR_LENGTH 10`",
        "HelloWorld 4 VECTOR_LENGTH 10`",
        "Hello\\orld 8 COMPRESSED_DATA character`",
        "Helloäorld 8 COMPRESSED_DATA character`",
        "#####World 8 COMPRESSED_DATA too`",
        "HelloWorld 7 COMPRESSED_DATA padding`",
        "Hello##zzz 7 COMPRESSED_DATA too`",
        "Hello##zzz 6 COMPRESSED_DATA too`",
        "Hello#z000 6 COMPRESSED_DATA too`"
      })
  void refusesTextThatIsNoBase85(String text, int length, Reason reason, String message) {
    checkRefused(
        () -> DeltaVectorCodec.decodeInline(text, length), reason, message.replace("`", ""));
  }

  @Test
  void decodesNativeVectorsInlineAndStored() {
    byte[] frame = Vectors.frame(0xD0D33964, Vectors.hex(NATIVE));
    byte[] file = new byte[frame.length + 1];
    System.arraycopy(frame, 0, file, 1, frame.length);
    DeletedPositions stored =
        DeltaVectorCodec.decodeStored(ByteBuffer.wrap(file), 1, frame.length - 8);
    DeletedPositions inline = inline("d0d33964" + NATIVE);
    assertThat(Vectors.positions(stored)).containsExactly((1L << 32) + 9);
    assertThat(inline).isEqualTo(stored);
    assertThat(Vectors.encode(stored))
        .isEqualTo(Vectors.encode(DeletedPositions.of((1L << 32) + 9)));
    assertThat(
            DeltaVectorCodec.decodeStored(
                    ByteBuffer.wrap(Vectors.frame(0xD0D33964, new byte[4])), 0, 8)
                .isEmpty())
        .isTrue();
  }

  @Test
  void readsAStoredVectorWithTheMagicOfIcebergAsAnIcebergBlob() {
    byte[] blob = Vectors.icebergBlob(1, 5, 1L << 32);
    assertThat(DeltaVectorCodec.blobLength(blob.length - 8)).isEqualTo(blob.length);
    assertThat(DeltaVectorCodec.sizeInBytes(blob.length)).isEqualTo(blob.length - 8);
    DeletedPositions positions =
        DeltaVectorCodec.decodeStored(ByteBuffer.wrap(blob), 0, blob.length - 8);
    assertThat(positions).isEqualTo(DeletedPositions.of(1, 5, 1L << 32));
  }

  @Test
  void refusesNativeVectorsThatBreakARule() {
    checkInlineRefused("d0d33964 ffffffff", BITMAP_COUNT, "cannot hold");
    checkInlineRefused("d0d33964 01000000", BITMAP_COUNT, "count is 1, which 0 bytes");
    checkInlineRefused(
        "d0d33964 01000000 ffffffff 3a300000 00000000", BITMAP_DIRECTORY, "size is -1");
    checkInlineRefused(
        "d0d33964 01000000 09000000 3a300000 00000000", BITMAP_DIRECTORY, "size is 9, 8 bytes");
    checkInlineRefused(
        "d0d33964 01000000 09000000 3a300000 00000000 00", TRAILING_BYTES, "1 bytes follow");
    checkInlineRefused(
        "d0d33964 01000000 08000000 3a300000 00000000 00", TRAILING_BYTES, "1 bytes follow");
    // A bitmap that reaches into the next one.
    checkInlineRefused(
        "d0d33964 02000000 10000000 3a300000 01000000 00000000 10000000"
            + "0a000000 3a300000 00000000 0000",
        BITMAP_DIRECTORY,
        "a container takes 2 bytes, 0 are left");
    checkInlineRefused("d0d339", VECTOR_LENGTH, "at least 4 are needed");
    checkInlineRefused("d2d33964 0000000000000000", VECTOR_MAGIC, "magic is d2d33964");
    checkInlineRefused("5e43f2d0 0000000000000000", VECTOR_MAGIC, "a Paimon vector");
  }

  @Test
  void refusesStoredVectorsThatBreakARule() {
    byte[] frame = Vectors.frame(0xD0D33964, Vectors.hex(NATIVE));
    ByteBuffer file = ByteBuffer.wrap(frame);
    int size = frame.length - 8;
    checkRefused(
        () -> DeltaVectorCodec.decodeStored(file, 1, size), VECTOR_LENGTH, "end after the file's");
    checkRefused(
        () -> DeltaVectorCodec.decodeStored(file, 0, size - 1), VECTOR_LENGTH, "the length of");
    byte[] damaged = frame.clone();
    damaged[frame.length - 1]++;
    checkRefused(
        () -> DeltaVectorCodec.decodeStored(ByteBuffer.wrap(damaged), 0, size),
        VECTOR_CHECKSUM,
        "CRC-32");
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, Integer.MAX_VALUE - 7, Integer.MIN_VALUE})
  void refusesSizesThatNoVectorHas(int sizeInBytes) {
    assertThatThrownBy(() -> DeltaVectorCodec.blobLength(sizeInBytes))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("" + sizeInBytes);
    assertThatThrownBy(() -> DeltaVectorCodec.sizeInBytes(7))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> DeltaVectorCodec.decodeStored(ByteBuffer.allocate(9), -1, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("offset is -1");
    assertThatThrownBy(() -> DeltaVectorCodec.decodeInline("", -1))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void inlineVectorsRoundTrip() {
    Random random = new Random(9);
    for (int i = 0; i < 100; i++) {
      long[] positions = Vectors.random(random);
      DeletedPositions value = DeletedPositions.of(positions);
      String text = DeltaVectorCodec.encodeInline(value);
      int sizeInBytes = (int) value.serializedSizeInBytes() - 8;
      assertThat(Vectors.positions(DeltaVectorCodec.decodeInline(text, sizeInBytes)))
          .as("vector %d", i)
          .isEqualTo(positions);
    }
  }

  private static DeletedPositions inline(String hex) {
    byte[] bytes = Vectors.hex(hex);
    return DeltaVectorCodec.decodeInline(Base85.encode(bytes), bytes.length);
  }

  private static void checkInlineRefused(String hex, Reason reason, String message) {
    checkRefused(() -> inline(hex), reason, message);
  }

  private static void checkRefused(ThrowingCallable call, Reason reason, String message) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            InvalidDeletionVectorException.class,
            refusal -> assertThat(refusal.reason()).isEqualTo(reason))
        .hasMessageContaining(message);
  }
}
