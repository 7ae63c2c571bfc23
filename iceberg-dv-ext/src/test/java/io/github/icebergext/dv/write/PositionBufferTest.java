package io.github.icebergext.dv.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.testing.Vectors;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PositionBufferTest {
  private static final long MAX = DeletedPositions.MAX_ICEBERG_POSITION;

  private final PositionBuffer pending = new PositionBuffer();

  @Test
  void isEmptyUntilAPositionIsAdded() {
    assertThat(pending.isEmpty()).isTrue();
    assertThat(pending.positions().isEmpty()).isTrue();
    pending.add(0);
    assertThat(pending.isEmpty()).isFalse();
    assertThat(Vectors.positions(pending.positions())).containsExactly(0);
  }

  @ParameterizedTest
  @ValueSource(longs = {0, (1L << 31) - 1, 1L << 31, 1L << 32, MAX - 1})
  void staysEmptyWhenNothingIsAdded(long position) {
    pending.addRange(position, position);
    pending.addAll(new long[0]);
    pending.addAll(DeletedPositions.of());
    assertThat(pending.isEmpty()).isTrue();
  }

  @Test
  void ordersPositionsAndDropsRepeatedOnes() {
    LongStream.of(7, 3, 70_000, 3, 0, 7).forEach(pending::add);
    assertThat(Vectors.positions(pending.positions())).containsExactly(0, 3, 7, 70_000);
  }

  @Test
  void takesPositionsOnBothSidesOfThirtyOneAndThirtyTwoBits() {
    long[] positions = {(1L << 31) - 1, 1L << 31, (1L << 32) - 1, 1L << 32, MAX};
    Arrays.stream(positions).forEach(pending::add);
    assertThat(Vectors.positions(pending.positions())).containsExactly(positions);
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 65_530, (1L << 31) - 10, (1L << 32) - 3, MAX - 70_000})
  void takesRangesWithoutTheirEnd(long start) {
    for (int length : new int[] {0, 1, 16, 17, 70_000}) {
      PositionBuffer ranges = new PositionBuffer();
      ranges.addRange(start, start + length);
      assertThat(Vectors.positions(ranges.positions()))
          .isEqualTo(LongStream.range(start, start + length).toArray());
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {-1, Long.MIN_VALUE, MAX + 1, Long.MAX_VALUE})
  void refusesPositionsThatIcebergDoesNotTakeAndStaysAsItWas(long position) {
    String message = "Cannot delete position " + position + ": it is not between 0 and " + MAX;
    assertThatThrownBy(() -> pending.add(position))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
    assertThatThrownBy(() -> pending.addAll(new long[] {1, 2, position}))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
    assertThatThrownBy(() -> pending.addRange(Math.min(position, 1), position > 1 ? MAX + 2 : 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("it is not between 0 and " + MAX);
    assertThat(pending.isEmpty()).isTrue();
  }

  @Test
  void refusesInvertedRanges() {
    assertThatThrownBy(() -> pending.addRange(5, 4))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("Invalid range of positions: start 5 is after end 4");
    assertThatThrownBy(() -> pending.addRange(Long.MAX_VALUE, Long.MIN_VALUE))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("is after end");
    assertThat(pending.isEmpty()).isTrue();
  }

  @Test
  void givesVectorsBackAsTheyWereGiven() {
    DeletedPositions positions = DeletedPositions.builder().addRange(3, 1000).build();
    pending.addAll(positions);
    assertThat(pending.positions()).isSameAs(positions);
  }

  @Test
  void goesOnAfterwardsWithoutChangingWhatWasReturned() {
    pending.addAll(new long[] {9, 1});
    DeletedPositions first = pending.positions();
    pending.add(5);
    assertThat(Vectors.positions(first)).containsExactly(1, 9);
    assertThat(Vectors.positions(pending.positions())).containsExactly(1, 5, 9);
    assertThat(pending.positions()).isEqualTo(pending.positions());
  }

  @Test
  void leavesArraysOfTheCallerAsTheyAre() {
    long[] positions = {3, 2, 1, 3};
    pending.addAll(positions);
    pending.positions();
    assertThat(positions).containsExactly(3, 2, 1, 3);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 63, 64, 100, 4095, 4096, 4097, 8192, 100_000})
  void encodesAsIcebergDoesHoweverManyAndInWhateverOrder(int count) {
    for (int rows : new int[] {count, 3 * count, 1_000_000, Integer.MAX_VALUE}) {
      long[] positions = new Random(count).longs(count, 0, rows).toArray();
      long[] ascending = Arrays.stream(positions).sorted().distinct().toArray();
      byte[] expected = Vectors.icebergBlob(ascending);
      assertThat(encoded(positions)).isEqualTo(expected);
      assertThat(encoded(ascending)).isEqualTo(expected);
      assertThat(encoded(reversed(ascending))).isEqualTo(expected);
    }
  }

  private static byte[] encoded(long[] positions) {
    PositionBuffer oneByOne = new PositionBuffer();
    Arrays.stream(positions).forEach(oneByOne::add);
    PositionBuffer atOnce = new PositionBuffer();
    atOnce.addAll(positions);
    byte[] bytes = Vectors.encode(oneByOne.positions());
    assertThat(Vectors.encode(atOnce.positions())).isEqualTo(bytes);
    return bytes;
  }

  private static long[] reversed(long[] values) {
    return IntStream.rangeClosed(1, values.length)
        .mapToLong(i -> values[values.length - i])
        .toArray();
  }

  @Test
  void collectsAnyMixOfCallsInAnyOrderLikeASet() {
    Random random = new Random(17);
    for (int i = 0; i < 200; i++) {
      PositionBuffer mixed = new PositionBuffer();
      TreeSet<Long> expected = new TreeSet<>();
      // Without it Iceberg would write an empty bitmap before one of positions from 2^32 on.
      addAt(7, mixed, expected);
      int calls = random.nextInt(60);
      for (int call = 0; call < calls; call++) {
        addAtRandom(random, mixed, expected);
        if (random.nextInt(20) == 0) {
          assertThat(mixed.positions().cardinality()).isEqualTo(expected.size());
        }
      }
      long[] ascending = expected.stream().mapToLong(Long::longValue).toArray();
      assertThat(Vectors.positions(mixed.positions())).as("vector %d", i).isEqualTo(ascending);
      assertThat(Vectors.encode(mixed.positions()))
          .as("vector %d", i)
          .isEqualTo(Vectors.icebergBlob(ascending));
    }
  }

  private static void addAt(long position, PositionBuffer mixed, Set<Long> expected) {
    mixed.add(position);
    expected.add(position);
  }

  private static void addAtRandom(Random random, PositionBuffer mixed, Set<Long> expected) {
    long base = new long[] {0, 65_536, (1L << 31) - 1500, (1L << 32) - 9}[random.nextInt(4)];
    int size = random.nextInt(10) == 0 ? 5000 : random.nextInt(30);
    long[] positions = random.longs(size, base, base + 3000 + 10L * size).toArray();
    switch (random.nextInt(4)) {
      case 0 -> {
        long end = base + random.nextInt(random.nextInt(10) == 0 ? 70_000 : 30);
        mixed.addRange(base, end);
        LongStream.range(base, end).forEach(expected::add);
        return;
      }
      case 1 -> mixed.addAll(positions);
      case 2 -> mixed.addAll(DeletedPositions.of(positions));
      default -> Arrays.stream(positions).forEach(mixed::add);
    }
    Arrays.stream(positions).forEach(expected::add);
  }

  @Test
  void takesEveryRowOfAFileSeveralTimes() {
    IntStream.range(0, 3_000_000).map(i -> (int) (i * 7919L % 1_000_000)).forEach(pending::add);
    assertThat(pending.positions().cardinality()).isEqualTo(1_000_000);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 10, 255, 256, 1000, 4096, 5000})
  void keepsWhatWasAddedInALentBufferWhenAnotherOneGetsIt(int count) {
    int[] lent = PositionBuffer.newBuffer();
    long[] positions = new Random(count).longs(count, 0, 1_000_000).toArray();
    pending.borrow(lent);
    pending.addAll(positions);
    assertThat(pending.isEmpty()).isEqualTo(count == 0);
    pending.settle(lent);
    PositionBuffer other = new PositionBuffer();
    other.borrow(lent);
    other.addAll(new long[] {9, 7});
    assertThat(Vectors.positions(pending.positions()))
        .isEqualTo(Arrays.stream(positions).sorted().distinct().toArray());
    assertThat(Vectors.positions(other.positions())).containsExactly(7, 9);
    assertThat(pending.isEmpty()).isEqualTo(count == 0);
  }

  @Test
  void collectsInTurnWithOthersLikeASet() {
    Random random = new Random(3);
    int[] lent = PositionBuffer.newBuffer();
    List<PositionBuffer> all = Stream.generate(PositionBuffer::new).limit(4).toList();
    List<Set<Long>> expected =
        Stream.generate(TreeSet<Long>::new).limit(4).<Set<Long>>map(set -> set).toList();
    for (int i = 0; i < 200; i++) {
      int next = random.nextInt(4);
      all.get(next).borrow(lent);
      addAtRandom(random, all.get(next), expected.get(next));
      if (random.nextInt(5) == 0) {
        assertThat(all.get(next).positions().cardinality()).isEqualTo(expected.get(next).size());
      }
      all.get(next).settle(lent);
    }
    for (int i = 0; i < 4; i++) {
      long[] ascending = expected.get(i).stream().mapToLong(Long::longValue).toArray();
      assertThat(Vectors.positions(all.get(i).positions())).as("buffer %d", i).isEqualTo(ascending);
    }
  }
}
