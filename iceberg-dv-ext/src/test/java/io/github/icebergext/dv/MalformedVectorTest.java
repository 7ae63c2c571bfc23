package io.github.icebergext.dv;

import static io.github.icebergext.puffin.Reason.BITMAP_COUNT;
import static io.github.icebergext.puffin.Reason.BITMAP_DIRECTORY;
import static io.github.icebergext.puffin.Reason.BITMAP_KEY;
import static io.github.icebergext.puffin.Reason.CARDINALITY;
import static io.github.icebergext.puffin.Reason.CONTAINER_CONTENT;
import static io.github.icebergext.puffin.Reason.CONTAINER_OFFSET;
import static io.github.icebergext.puffin.Reason.TRAILING_BYTES;
import static io.github.icebergext.puffin.Reason.VECTOR_CHECKSUM;
import static io.github.icebergext.puffin.Reason.VECTOR_LENGTH;
import static io.github.icebergext.puffin.Reason.VECTOR_MAGIC;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.sun.management.ThreadMXBean;
import io.github.icebergext.puffin.Reason;
import io.github.icebergext.testing.Vectors;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Each rule of the decoder with the smallest bytes that break it, then all their neighbours. */
class MalformedVectorTest {
  /** One bitmap, key 0, one container, which is an array. */
  private static final String ONE_ARRAY = "0100000000000000 00000000 3a300000 01000000 0000";

  /** One bitmap, key 0, cookie for runs, one container, which is flagged. */
  private static final String ONE_RUN = "0100000000000000 00000000 3b300000 01 0000";

  static Stream<Arguments> framesThatBreakARule() {
    return Stream.of(
        arguments("", VECTOR_LENGTH, "the blob has 0 bytes, at least 20 are needed"),
        arguments("0000000b d1d33964 00000000000000 00000000", VECTOR_LENGTH, "has 19 bytes"),
        arguments(
            "0000000b d1d33964 0000000000000000 00000000",
            VECTOR_LENGTH,
            "at byte 0, the length of magic and vector is 11, expected 12 in a blob of 20 bytes"),
        // Iceberg throws BufferUnderflowException for a length below that of the magic.
        arguments(
            "00000003 d1d33964 0000000000000000 00000000", VECTOR_LENGTH, "is 3, expected 12"),
        arguments("59682f00 d1d33964 0000000000000000 00000000", VECTOR_LENGTH, "is 1500000000"),
        arguments("ffffffff d1d33964 0000000000000000 00000000", VECTOR_LENGTH, "is 4294967295"),
        arguments(
            "0000000c 6439d3d1 0000000000000000 00000000",
            VECTOR_MAGIC,
            "at byte 4, the magic is 6439d3d1, expected d1d33964"),
        arguments(
            "0000000c d0d33964 0000000000000000 00000000",
            VECTOR_MAGIC,
            "d0d33964 (a Delta vector in native form)"),
        arguments(
            "0000000c 5e43f2d0 0000000000000000 00000000",
            VECTOR_MAGIC,
            "5e43f2d0 (a Paimon vector of 32-bit positions)"),
        arguments(
            "0000000c d1d33964 0000000000000000 00000000",
            VECTOR_CHECKSUM,
            "at byte 16, the CRC-32 is 0, computed "),
        // Wrong in its count too, which is not looked at before the checksum is right.
        arguments("0000000c d1d33964 ffffffffffffff7f 00000000", VECTOR_CHECKSUM, "CRC-32"));
  }

  @ParameterizedTest
  @MethodSource("framesThatBreakARule")
  void refusesAFrame(String blob, Reason reason, String message) {
    checkRefused(Vectors.hex(blob), reason, message);
  }

  static Stream<Arguments> vectorsThatBreakARule() {
    return Stream.of(
        arguments("0100000000000000", BITMAP_COUNT, "bitmap count is 1, which 0 bytes cannot hold"),
        arguments("ffffffffffffffff", BITMAP_COUNT, "count is 18446744073709551615"),
        // apache/iceberg#17214: a count of 2^31 - 1 makes Iceberg run out of memory.
        arguments("ffffff7f00000000 00000000 3a300000 00000000", BITMAP_COUNT, "which 12 bytes"),
        arguments(
            "0200000000000000 00000000 3a300000 00000000 01000000 3a300000 000000",
            BITMAP_COUNT,
            "bitmap count is 2, which 23 bytes cannot hold"),
        arguments(
            "0100000000000000 00000080 3a300000 00000000",
            BITMAP_KEY,
            "at byte 16, bitmap key is 2147483648, at most 2147483647 is legal"),
        // iceberg-rust#2866: keys that repeat or descend lose positions.
        arguments(
            "0200000000000000 01000000 3a300000 00000000 01000000 3a300000 00000000",
            BITMAP_KEY,
            "at byte 28, bitmap key 1 follows 1, keys ascend"),
        arguments(
            "0200000000000000 01000000 3a300000 00000000 00000000 3a300000 00000000",
            BITMAP_KEY,
            "bitmap key 0 follows 1"),
        arguments(
            "0100000000000000 00000000 39300000 00000000",
            BITMAP_DIRECTORY,
            "at byte 20, cookie is 12345, expected 12346"),
        arguments(
            "0100000000000000 00000000 3a300000 01000100",
            BITMAP_DIRECTORY,
            "number of containers is 65537, at most 65536 is legal"),
        arguments("0100000000000000 00000000 3a300000 ffffffff", BITMAP_DIRECTORY, "is 4294967295"),
        arguments(
            "0100000000000000 00000000 3a300000 01000000 00000000 100000",
            BITMAP_DIRECTORY,
            "the directory of 1 containers takes 8 bytes, 7 are left"),
        arguments(
            "0100000000000000 00000000 3b30ffff 00000000",
            BITMAP_DIRECTORY,
            "the directory of 65536 containers"),
        arguments(
            "0100000000000000 00000000 3a300000 02000000 00000000 00000000 18000000 1a000000 0000 0000",
            BITMAP_DIRECTORY,
            "at byte 32, container key 0 follows 0, keys ascend"),
        arguments(
            "0100000000000000 00000000 3a300000 02000000 01000000 00000000 18000000 1a000000 0000 0000",
            BITMAP_DIRECTORY,
            "container key 0 follows 1"),
        arguments(
            ONE_ARRAY + "0100 10000000 0000",
            BITMAP_DIRECTORY,
            "a container takes 4 bytes, 2 are left"),
        arguments(
            ONE_ARRAY + "0010 10000000 0000", BITMAP_DIRECTORY, "a container takes 8192 bytes"),
        arguments(ONE_RUN + "0000 01", BITMAP_DIRECTORY, "the number of runs takes 2 bytes"),
        arguments(ONE_RUN + "0000 0100 0000", BITMAP_DIRECTORY, "a container takes 6 bytes"),
        // pg_roaringbitmap#45: readers that seek and readers that do not see different positions.
        arguments(
            ONE_ARRAY + "0000 00000000 0000",
            CONTAINER_OFFSET,
            "at byte 32, stored container offset is 0, the container is at 16"),
        arguments(
            "0100000000000000 00000000 3b300300 01 0000 0000 0100 0000 0200 0000 0300 0000"
                + "25000000 2b000000 2d000000 30000000 0100 0000 0000 0000 0000 0000",
            CONTAINER_OFFSET,
            "stored container offset is 48, the container is at 47"),
        // Iceberg reads this one, and then finds neither 3 nor 5.
        arguments(
            ONE_ARRAY + "0100 10000000 0500 0300",
            CONTAINER_CONTENT,
            "at byte 36, the container of prefix 0 holds 3 after 5, values ascend"),
        arguments(ONE_ARRAY + "0100 10000000 0300 0300", CONTAINER_CONTENT, "holds 3 after 3"),
        arguments(
            ONE_ARRAY + "8713 10000000 01" + "00".repeat(8191),
            CONTAINER_CONTENT,
            "has 1 bits set, 5000 are declared"),
        arguments(ONE_RUN + "0000 0000", CONTAINER_CONTENT, "has no runs, at least one is needed"),
        arguments(
            ONE_RUN + "0e00 0200 0000 0900 0900 0400",
            CONTAINER_CONTENT,
            "has a run from 9 before the end of another, 10"),
        arguments(
            ONE_RUN + "0000 0200 0200 0000 0000 0000", CONTAINER_CONTENT, "a run from 0 before"),
        arguments(
            ONE_RUN + "0900 0100 ffff 0900",
            CONTAINER_CONTENT,
            "has a run to 65544, at most 65535 is legal"),
        arguments(
            ONE_ARRAY + "0000 10000000 0000 00",
            TRAILING_BYTES,
            "at byte 38, 1 bytes follow the last bitmap"),
        // A second bitmap that the count leaves out: Iceberg drops its positions.
        arguments(
            "0100000000000000 00000000 3a300000 00000000 01000000 3a300000 00000000",
            TRAILING_BYTES,
            "12 bytes follow"));
  }

  @ParameterizedTest
  @MethodSource("vectorsThatBreakARule")
  void refusesAVector(String vector, Reason reason, String message) {
    checkRefused(Vectors.blob(vector), reason, message);
  }

  private static void checkRefused(byte[] blob, Reason reason, String message) {
    InvalidDeletionVectorException refusal =
        catchThrowableOfType(
            InvalidDeletionVectorException.class, () -> DeletionVectorCodec.decodeOwned(blob));
    assertThat(refusal)
        .hasMessageStartingWith("Cannot decode deletion vector: ")
        .hasMessageContaining(message);
    assertThat(refusal.reason()).isEqualTo(reason);
  }

  // iceberg-go#1127: zero expected positions were once taken for an unknown number.
  @Test
  void refusesAnUnexpectedCardinalityOfWhichZeroIsOne() {
    byte[] blob = Vectors.icebergBlob(1, 2, 3);
    for (long expected : new long[] {0, 2, 4, Long.MAX_VALUE}) {
      assertThatThrownBy(() -> DeletionVectorCodec.decode(ByteBuffer.wrap(blob), expected))
          .isInstanceOfSatisfying(
              InvalidDeletionVectorException.class,
              refusal -> assertThat(refusal.reason()).isEqualTo(CARDINALITY))
          .hasMessageContaining("holds 3 positions, expected " + expected);
    }
    assertThat(DeletionVectorCodec.decodeOwned(Vectors.icebergBlob(), 0).isEmpty()).isTrue();
    assertThatThrownBy(() -> DeletionVectorCodec.decodeOwned(blob, -1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("expected cardinality is -1");
  }

  static Stream<Arguments> legalOddities() {
    return Stream.of(
        arguments("no bitmap", "0000000000000000", new long[0]),
        arguments("an empty bitmap", "0100000000000000 00000000 3a300000 00000000", new long[0]),
        arguments(
            "empty bitmaps between keys",
            "0300000000000000 00000000 3a300000 00000000 05000000 3a300000 00000000 07000000"
                + "3a300000 01000000 00000000 10000000 0900",
            new long[] {(7L << 32) + 9}),
        // roaring-rs and CRoaring write such bitmaps; Iceberg steps over them wrongly.
        arguments(
            "the cookie for runs without a run",
            "0100000000000000 00000000 3b300000 00 00000000 0900",
            new long[] {9}),
        arguments(
            "the cookie for runs, four containers, hence offsets",
            "0100000000000000 00000000 3b300300 00 0000 0000 0100 0000 0200 0000 0300 0000"
                + "25000000 27000000 29000000 2b000000 0100 0200 0300 0400",
            new long[] {1, 65_538, 131_075, 196_612}),
        arguments(
            "runs that touch", ONE_RUN + "0300 0200 0000 0100 0200 0100", new long[] {0, 1, 2, 3}),
        arguments(
            "a wrong declared cardinality of runs",
            ONE_RUN + "0000 0100 0000 0200",
            new long[] {0, 1, 2}),
        arguments(
            "flags beyond the last container",
            "0100000000000000 00000000 3b300000 ff 0000 0200 0100 0000 0200",
            new long[] {0, 1, 2}),
        arguments(
            "the largest key and value",
            "0100000000000000 ffffff7f 3a300000 01000000 ffff0000 10000000 ffff",
            new long[] {Long.MAX_VALUE}));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("legalOddities")
  void readsLegalOdditiesAndWritesThemLikeAnyOther(String name, String vector, long[] positions) {
    DeletedPositions decoded =
        DeletionVectorCodec.decodeOwned(Vectors.blob(vector), positions.length);
    assertThat(Vectors.positions(decoded)).containsExactly(positions);
    DeletedPositions built =
        DeletedPositions.builder()
            .maxPosition(Long.MAX_VALUE)
            .addAll(positions, 0, positions.length)
            .build();
    assertThat(decoded).isEqualTo(built).hasSameHashCodeAs(built);
    assertThat(Vectors.encode(decoded)).isEqualTo(Vectors.encode(built));
    assertThat(decoded.serializedSizeInBytes()).isEqualTo(Vectors.encode(built).length);
  }

  static List<byte[]> smallBlobs() {
    return List.of(
        Vectors.icebergBlob(),
        Vectors.icebergBlob(3, 5, 70_000),
        Vectors.icebergBlob(0, 1, 2, 3, 4, 5, 6, 7, 100),
        Vectors.icebergBlob(1, (1L << 32) + 1),
        Vectors.blob(
            "0100000000000000 00000000 3b300300 05 0000 0400 0100 0000 0200 0200 0300 0000"
                + "25000000 2b000000 2d000000 33000000"
                + "0100 0000 0400 0700 0100 0500 0200 0900"));
  }

  @ParameterizedTest
  @MethodSource("smallBlobs")
  void refusesOrReadsEveryPrefix(byte[] blob) {
    for (int length = 0; length < blob.length; length++) {
      checkTotal(Arrays.copyOf(blob, length), false);
      int end = Math.max(length - 4, 8);
      // With length and checksum put right, so that the vector itself is looked at.
      checkTotal(Vectors.blob(Arrays.copyOfRange(blob, 8, end)), true);
    }
  }

  @ParameterizedTest
  @MethodSource("smallBlobs")
  void refusesOrReadsEveryBitFlip(byte[] blob) {
    for (int bit = 0; bit < blob.length * 8; bit++) {
      byte[] flipped = blob.clone();
      flipped[bit / 8] ^= (byte) (1 << (bit % 8));
      checkTotal(flipped, false);
      if (bit >= 64 && bit < blob.length * 8 - 32) {
        checkTotal(Vectors.blob(Arrays.copyOfRange(flipped, 8, blob.length - 4)), true);
      }
    }
  }

  @Test
  void refusesOrReadsRandomBytes() {
    Random random = new Random(5);
    for (int i = 0; i < 20_000; i++) {
      byte[] vector = new byte[random.nextInt(80)];
      random.nextBytes(vector);
      if (vector.length > 20) {
        Arrays.fill(vector, 0, 16, (byte) 0);
        vector[0] = 1;
        vector[12] = (byte) (0x3a + random.nextInt(2));
        vector[13] = 0x30;
      }
      checkTotal(Vectors.blob(vector), true);
    }
  }

  /** Checks that bytes are refused by the one exception, or read as they are written again. */
  private static void checkTotal(byte[] blob, boolean framed) {
    DeletedPositions decoded;
    long before = allocatedBytes();
    try {
      decoded = DeletionVectorCodec.decodeOwned(blob);
    } catch (InvalidDeletionVectorException e) {
      // The first refusal of each kind also links its message.
      assertThat(allocatedBytes() - before).isLessThan(64L * blob.length + 4_000_000);
      return;
    }
    assertThat(framed).as("a frame that was not put right").isTrue();
    if (decoded.cardinality() > 1 << 20) {
      return;
    }
    long[] positions = Vectors.positions(decoded);
    assertThat(positions).hasSize((int) decoded.cardinality()).isSorted();
    assertThat(Arrays.stream(positions).filter(position -> !decoded.isDeleted(position))).isEmpty();
    assertThat(DeletionVectorCodec.decode(DeletionVectorCodec.encode(decoded))).isEqualTo(decoded);
  }

  static Stream<Arguments> hostileBlobs() {
    return Stream.of(
        // Within Iceberg's limits, and yet it allocates a bitmap for each of 2^31 - 2 keys.
        arguments(
            "key 2^31 - 2",
            Vectors.blob("0100000000000000 feffff7f 3a300000 01000000 00000000 10000000 0000")),
        arguments("count 2^31 - 1", Vectors.blob("ffffff7f00000000 00000000 3a300000 00000000")),
        arguments("length 1.5 GB", Vectors.hex("59682f00 d1d33964 0000000000000000 00000000")),
        arguments("65,536 containers declared", Vectors.blob("0100000000000000 00000000 3b30ffff")),
        arguments("65,536 containers of which the last is unordered", manyContainers()),
        arguments("empty bitmaps only", emptyBitmaps(50_000)));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("hostileBlobs")
  void allocatesInProportionToTheBytesThatAreThere(String name, byte[] blob) {
    decodeOrRefuse(blob);
    long before = allocatedBytes();
    decodeOrRefuse(blob);
    assertThat(allocatedBytes() - before).isLessThan(8L * blob.length + 10_000);
  }

  private static void decodeOrRefuse(byte[] blob) {
    try {
      DeletionVectorCodec.decodeOwned(blob);
    } catch (InvalidDeletionVectorException e) {
      assertThat(e.reason()).isNotNull();
    }
  }

  private static byte[] manyContainers() {
    int count = 1 << 16;
    ByteBuffer vector = ByteBuffer.allocate(20 + 10 * count + 2).order(ByteOrder.LITTLE_ENDIAN);
    vector.putLong(1).putInt(0).putInt(12346).putInt(count);
    for (int i = 0; i < count; i++) {
      vector.putShort((short) i).putShort((short) (i == count - 1 ? 1 : 0));
    }
    for (int i = 0; i < count; i++) {
      vector.putInt(8 + 8 * count + 2 * i);
    }
    return Vectors.blob(vector.array());
  }

  private static byte[] emptyBitmaps(int count) {
    ByteBuffer vector = ByteBuffer.allocate(8 + 12 * count).order(ByteOrder.LITTLE_ENDIAN);
    vector.putLong(count);
    for (int i = 0; i < count; i++) {
      vector.putInt(i).putInt(12346).putInt(0);
    }
    return Vectors.blob(vector.array());
  }

  private static long allocatedBytes() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    return threads.getCurrentThreadAllocatedBytes();
  }
}
