package io.github.icebergext.dv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.github.icebergext.testing.Vectors;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.PrimitiveIterator;
import java.util.Random;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class DeletedPositionsTest {
  private static final DeletedPositions NONE = DeletedPositions.of();

  @Test
  void hasNoFirstAndLastPositionWhenEmpty() {
    assertThat(NONE.isEmpty()).isTrue();
    assertThat(NONE.nextDeleted(0)).isEqualTo(-1);
    assertThat(NONE.nextLive(7)).isEqualTo(7);
    assertThatThrownBy(NONE::firstPosition)
        .isInstanceOf(NoSuchElementException.class)
        .hasMessage("No position is deleted");
    assertThatThrownBy(NONE::lastPosition).isInstanceOf(NoSuchElementException.class);
    assertThatThrownBy(NONE.iterator()::nextLong).isInstanceOf(NoSuchElementException.class);
  }

  @Test
  void refusesInvertedRanges() {
    for (ThrowingCallable call :
        List.<ThrowingCallable>of(
            () -> NONE.cardinality(5, 4),
            () -> NONE.isFullyDeleted(5, 4),
            () -> NONE.isFullyLive(5, 4),
            () -> NONE.forEach(5, 4, position -> {}),
            () -> NONE.forEachRange(5, 4, (start, end) -> {}),
            () -> DeletedPositions.builder().addRange(5, 4))) {
      assertThatThrownBy(call)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("Invalid range of positions: start 5 is after end 4");
    }
  }

  @Test
  void refusesBatchesThatTheArrayCannotHold() {
    for (ThrowingCallable call :
        List.<ThrowingCallable>of(
            () -> NONE.keepMask(0, 65, new long[1]),
            () -> NONE.deleteMask(0, 65, new long[1]),
            () -> NONE.keepMask(0, 65, new byte[8]),
            () -> NONE.deleteMask(0, 65, new byte[8]),
            () -> NONE.liveOffsets(0, 65, new int[64]))) {
      assertThatThrownBy(call)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("Cannot take 65 rows: the array has room for 64");
    }
    assertThatThrownBy(() -> NONE.keepMask(0, -1, new long[1]))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Cannot take -1 rows");
  }

  @Test
  void leavesWordsAfterAMaskAsTheyAre() {
    long[] longs = {7, 7, 7};
    byte[] bytes = {7, 7, 7};
    NONE.keepMask(0, 3, longs);
    NONE.keepMask(0, 9, bytes);
    assertThat(longs).containsExactly(7, 7, 7);
    assertThat(bytes).containsExactly(-1, 1, 7);
    NONE.keepMask(0, 0, longs);
    assertThat(longs).containsExactly(7, 7, 7);
  }

  @Test
  void countsRowsFromTheStartOfTheFileNotOfTheBatch() {
    DeletedPositions positions = DeletedPositions.of(100, 102);
    int[] offsets = new int[4];
    assertThat(positions.liveOffsets(100, 4, offsets)).isEqualTo(2);
    assertThat(offsets).startsWith(1, 3);
  }

  // NVIDIA/cudf-spark#13513, trinodb/trino#25151: row groups that a filter skips
  @Test
  void masksAreOfRowsOfTheFileWhicheverBatchesAreSkipped() {
    DeletedPositions positions = DeletedPositions.of(3, 70, 130, 131, 200);
    long[] mask = new long[1];

    positions.keepMask(128, 64, mask);
    assertThat(mask[0]).isEqualTo(~0b1100L);
    positions.keepMask(192, 10, mask);
    assertThat(mask[0]).isEqualTo(0b10_1111_1111L);
  }

  // apache/iceberg-go#1053: positions were made into a list of longs before rows were filtered
  @Test
  void masksAreMadeWithoutAListOfThePositions() {
    DeletedPositions.Builder builder = DeletedPositions.builder();
    for (long position = 0; position < 2_000_000; position += 2) {
      builder.add(position);
    }
    DeletedPositions positions = builder.build();
    long[] mask = new long[2_000_000 / 64];
    positions.keepMask(0, 2_000_000, mask);
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    long before = threads.getCurrentThreadAllocatedBytes();
    positions.keepMask(0, 2_000_000, mask);

    assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(100_000);
  }

  @Test
  void tellsFullyDeletedFromFullyLiveRanges() {
    DeletedPositions positions = DeletedPositions.builder().addRange(10, 200_000).build();
    assertThat(positions.isFullyDeleted(10, 200_000)).isTrue();
    assertThat(positions.isFullyDeleted(9, 20)).isFalse();
    assertThat(positions.isFullyDeleted(-1, 20)).isFalse();
    assertThat(positions.isFullyDeleted(10, 200_001)).isFalse();
    assertThat(positions.isFullyLive(0, 10)).isTrue();
    assertThat(positions.isFullyLive(0, 11)).isFalse();
    assertThat(positions.isFullyLive(5, 5) && positions.isFullyDeleted(5, 5)).isTrue();
  }

  @Test
  void joinsRangesAcrossContainersAndKeys() {
    StringBuilder ranges = new StringBuilder();
    DeletedPositions.builder()
        .addRange((1L << 32) - 70_000, (1L << 32) + 70_000)
        .add(5)
        .build()
        .forEachRange(0, Long.MAX_VALUE, (start, end) -> ranges.append(start + "-" + end + " "));
    assertThat(ranges).hasToString("5-6 4294897296-4295037296 ");
  }

  @Test
  void reachesTheLargestPositionOfAll() {
    DeletedPositions positions =
        DeletedPositions.builder().maxPosition(Long.MAX_VALUE).add(Long.MAX_VALUE).build();
    assertThat(positions.nextLive(Long.MAX_VALUE)).isEqualTo(-1);
    assertThat(positions.nextLive(Long.MAX_VALUE - 1)).isEqualTo(Long.MAX_VALUE - 1);
    assertThat(positions.nextDeleted(Long.MIN_VALUE)).isEqualTo(Long.MAX_VALUE);
    PositionCursor cursor = positions.cursor();
    assertThat(cursor.isDeleted(Long.MAX_VALUE - 1)).isFalse();
    assertThat(cursor.isDeleted(Long.MAX_VALUE)).isTrue();
    long[] mask = new long[1];
    positions.deleteMask(Long.MAX_VALUE - 3, 10, mask);
    assertThat(mask[0]).isEqualTo(8);
  }

  @Test
  void answersACursorInAnyOrder() {
    DeletedPositions positions = DeletedPositions.builder().add(3).addRange(100, 9000).build();
    PositionCursor cursor = positions.cursor();
    for (long position : new long[] {500, 3, 99, 9000, 8999, -1, 100, 3, 1L << 40}) {
      assertThat(cursor.isDeleted(position)).isEqualTo(positions.isDeleted(position));
    }
  }

  @Test
  void equalsTheSamePositionsHoweverTheyWereEncoded() {
    DeletedPositions positions = DeletedPositions.of(1, 2, 3, 70_000);
    assertThat(positions)
        .isEqualTo(DeletedPositions.of(70_000, 3, 2, 1))
        .isNotEqualTo(DeletedPositions.of(1, 2, 3, 70_001))
        .isNotEqualTo(DeletedPositions.of(1, 2, 3))
        .isNotEqualTo(NONE)
        .isNotEqualTo("positions");
    assertThat(NONE).isEqualTo(DeletedPositions.of()).hasSameHashCodeAs(DeletedPositions.of());
  }

  @Test
  void namesItselfInAFewWords() {
    assertThat(DeletedPositions.of(9, 4))
        .hasToString("DeletedPositions{cardinality=2, first=4, last=9}");
    assertThat(NONE).hasToString("DeletedPositions{cardinality=0}");
  }

  @Test
  void tellsHowItIsLaidOut() {
    DeletedPositions positions =
        DeletedPositions.builder()
            .add(1)
            .addRange(1 << 16, 2 << 16)
            .addAll(everyOther(4L << 32, 5000), 0, 5000)
            .build();
    assertThat(positions.layout()).isEqualTo(new VectorLayout(2, 1, 1, 1));
  }

  private static long[] everyOther(long start, int count) {
    long[] positions = new long[count];
    for (int i = 0; i < count; i++) {
      positions[i] = start + 2L * i;
    }
    return positions;
  }

  @Test
  void retainsTheBlobAndSixteenBytesAContainer() {
    Random random = new Random(1);
    for (int i = 0; i < 200; i++) {
      DeletedPositions positions = DeletedPositions.of(Vectors.random(random));
      VectorLayout layout = positions.layout();
      long containers =
          0L + layout.arrayContainers() + layout.bitsetContainers() + layout.runContainers();
      assertThat(positions.retainedSizeInBytes())
          .isLessThanOrEqualTo(positions.serializedSizeInBytes() + 16 * containers + 256)
          .isGreaterThanOrEqualTo(positions.serializedSizeInBytes());
    }
  }

  @Test
  void serializesThroughItsEncoding() throws IOException, ClassNotFoundException {
    DeletedPositions positions = DeletedPositions.builder().add(1).addRange(9, 99_999).build();
    assertThat(deserialize(serialize(positions))).isEqualTo(positions);
  }

  @Test
  void checksWhatIsDeserialized() throws IOException {
    byte[] bytes = serialize(DeletedPositions.of('A', 'B', 'C'));
    String text = new String(bytes, StandardCharsets.ISO_8859_1);
    bytes[text.indexOf("A\0B\0C")]++;
    assertThatThrownBy(() -> deserialize(bytes)).hasStackTraceContaining("CRC-32");
  }

  private static byte[] serialize(DeletedPositions positions) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(positions);
    }
    return bytes.toByteArray();
  }

  private static Object deserialize(byte[] bytes) throws IOException, ClassNotFoundException {
    try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes))) {
      return in.readObject();
    }
  }

  @Test
  void iteratesAsPrimitives() {
    PrimitiveIterator.OfLong iterator = DeletedPositions.of(5, 1L << 40).iterator();
    assertThat(iterator.nextLong()).isEqualTo(5);
    assertThat(iterator.nextLong()).isEqualTo(1L << 40);
    assertThat(iterator.hasNext()).isFalse();
  }
}
