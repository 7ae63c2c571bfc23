package io.github.icebergext.dv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.icebergext.testing.Vectors;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.apache.iceberg.deletes.Deletes;
import org.apache.iceberg.deletes.PositionDeleteIndex;
import org.apache.iceberg.io.CloseableIterable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DeletedPositionsBuilderTest {
  private static final long MAX = DeletedPositions.MAX_ICEBERG_POSITION;

  // trinodb/trino#23231: a range taken as inclusive gave a wrong vector.
  @ParameterizedTest
  @ValueSource(longs = {0, 1, 65_535, 65_536, (1L << 32) - 3, 1L << 32, MAX - 100_000})
  void takesRangesWithoutTheirEnd(long start) {
    for (int length : new int[] {0, 1, 2, 3, 65_536, 70_000}) {
      DeletedPositions positions =
          DeletedPositions.builder().addRange(start, start + length).build();
      assertThat(Vectors.positions(positions))
          .isEqualTo(LongStream.range(start, start + length).toArray());
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {-1, Long.MIN_VALUE, MAX + 1, Long.MAX_VALUE})
  void refusesPositionsThatIcebergDoesNotTakeAndStaysAsItWas(long position) {
    DeletedPositions.Builder builder = DeletedPositions.builder().add(7);
    String message = "Cannot delete position " + position + ": it is not between 0 and " + MAX;
    assertThatThrownBy(() -> builder.add(position))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
    assertThatThrownBy(() -> builder.addAll(new long[] {1, 2, position}, 0, 3))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
    assertThatThrownBy(() -> builder.addRange(Math.min(position, 1), position > 1 ? MAX + 2 : 1))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(Vectors.positions(builder.build())).containsExactly(7);
  }

  @Test
  void takesPositionsUpToThatOfTheCaller() {
    assertThat(DeletedPositions.of(MAX).lastPosition()).isEqualTo(MAX);
    DeletedPositions.Builder rows =
        DeletedPositions.builder().maxPosition(99).add(99).addRange(0, 100);
    assertThat(rows.build().cardinality()).isEqualTo(100);
    assertThatThrownBy(() -> rows.add(100)).hasMessageContaining("not between 0 and 99");
    assertThatThrownBy(() -> rows.addRange(0, 101)).hasMessageContaining("position 100");
    assertThatThrownBy(() -> rows.addAll(DeletedPositions.of(1, 100)))
        .hasMessageContaining("position 100");
    assertThatThrownBy(() -> rows.maxPosition(-1)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void takesSlicesOfArrays() {
    long[] positions = {9, 1, 2, 3, 9};
    assertThat(Vectors.positions(DeletedPositions.builder().addAll(positions, 1, 4).build()))
        .containsExactly(1, 2, 3);
    assertThat(DeletedPositions.builder().addAll(positions, 2, 2).build().isEmpty()).isTrue();
    assertThatThrownBy(() -> DeletedPositions.builder().addAll(positions, 1, 6))
        .isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  void takesConsecutivePositionsUpToTheLargestLong() {
    long[] positions = {Long.MAX_VALUE - 1, Long.MAX_VALUE};
    DeletedPositions.Builder builder = DeletedPositions.builder().maxPosition(Long.MAX_VALUE);
    assertThat(Vectors.positions(builder.addAll(positions, 0, 2).build()))
        .containsExactly(positions);
  }

  @Test
  void takesIteratorsBoxedAndPrimitive() {
    DeletedPositions.Builder builder = DeletedPositions.builder();
    builder.addAll(List.of(5L, 3L).iterator());
    builder.addAll(LongStream.of(9, 3).iterator());
    assertThat(Vectors.positions(builder.build())).containsExactly(3, 5, 9);
  }

  @Test
  void takesIcebergsIndexAndItsOwnView() {
    PositionDeleteIndex index = Deletes.toPositionIndex(CloseableIterable.empty());
    index.delete(3, 6);
    PositionDeleteIndex view = DeletedPositions.of(9).asPositionDeleteIndex();
    DeletedPositions.Builder builder = DeletedPositions.builder().addAll(index).addAll(view);
    assertThat(Vectors.positions(builder.build())).containsExactly(3, 4, 5, 9);
    assertThat(Vectors.positions(DeletedPositions.copyOf(index))).containsExactly(3, 4, 5);
    assertThat(DeletedPositions.copyOf(view)).isEqualTo(DeletedPositions.of(9));
  }

  @Test
  void goesOnAfterBuildingWithoutChangingWhatWasBuilt() {
    DeletedPositions.Builder builder = DeletedPositions.builder().add(1);
    DeletedPositions first = builder.build();
    DeletedPositions second = builder.add(2).build();
    assertThat(Vectors.positions(first)).containsExactly(1);
    assertThat(Vectors.positions(second)).containsExactly(1, 2);
  }

  @Test
  void collectsAnyMixOfCallsLikeASet() {
    Random random = new Random(13);
    for (int i = 0; i < 300; i++) {
      DeletedPositions.Builder builder = DeletedPositions.builder();
      TreeSet<Long> expected = new TreeSet<>();
      int calls = random.nextInt(40);
      for (int call = 0; call < calls; call++) {
        addAtRandom(random, builder, expected);
      }
      long[] ascending = expected.stream().mapToLong(Long::longValue).toArray();
      assertThat(Vectors.positions(builder.build())).as("vector %d", i).isEqualTo(ascending);
      assertThat(Vectors.encode(builder.build()))
          .as("vector %d", i)
          .isEqualTo(Vectors.icebergBlob(ascending));
    }
  }

  @Test
  void takesArraysInAnyOrderLikeASet() {
    Random random = new Random(5);
    for (int i = 0; i < 60; i++) {
      DeletedPositions.Builder builder = DeletedPositions.builder();
      Set<Long> expected = new TreeSet<>();
      for (int part = 0; part < 3; part++) {
        long[] positions = arrayOfPositions(random);
        int from = random.nextInt(positions.length);
        builder.addAll(positions, from, positions.length);
        Arrays.stream(positions, from, positions.length).forEach(expected::add);
      }
      long[] ascending = expected.stream().mapToLong(Long::longValue).toArray();
      assertThat(Vectors.encode(builder.build()))
          .as("vector %d", i)
          .isEqualTo(Vectors.icebergBlob(ascending));
    }
  }

  /**
   * Returns ascending positions, some of them in pairs or runs, in which a few are out of order.
   */
  private static long[] arrayOfPositions(Random random) {
    int length = 1 + random.nextInt(12_000);
    int step = 1 + random.nextInt(20);
    long[] positions = new long[length];
    long position = random.nextInt(150_000);
    for (int i = 0; i < length; i++) {
      positions[i] = position;
      position += random.nextInt(3) == 0 ? 1 + random.nextInt(step) : 1;
    }
    for (int i = random.nextInt(4); i > 0; i--) {
      positions[random.nextInt(length)] = positions[random.nextInt(length)];
    }
    return positions;
  }

  private static void addAtRandom(
      Random random, DeletedPositions.Builder builder, Set<Long> expected) {
    long base = random.nextInt(3) * 65_536L;
    long[] positions = new long[random.nextInt(8)];
    for (int i = 0; i < positions.length; i++) {
      positions[i] = base + random.nextInt(3000);
    }
    switch (random.nextInt(4)) {
      case 0 -> {
        long start = base + random.nextInt(70_000);
        long end = start + random.nextInt(random.nextInt(10) == 0 ? 70_000 : 30);
        builder.addRange(start, end);
        LongStream.range(start, end).forEach(expected::add);
        return;
      }
      case 1 -> builder.addAll(positions, 0, positions.length);
      case 2 -> builder.addAll(DeletedPositions.of(positions));
      default -> Arrays.stream(positions).forEach(builder::add);
    }
    Arrays.stream(positions).forEach(expected::add);
  }

  @Test
  void refusesARangeThatNoVectorCanHold() {
    assertThatThrownBy(() -> DeletedPositions.builder().addRange(0, MAX))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("no vector below 2 GiB holds them");
  }

  @Test
  void keepsAWholeRangeOfRowsSmall() {
    DeletedPositions positions = DeletedPositions.builder().addRange(0, 10_000_000_000L).build();
    assertThat(positions.cardinality()).isEqualTo(10_000_000_000L);
    assertThat(positions.isFullyDeleted(0, 10_000_000_000L)).isTrue();
    assertThat(positions.nextLive(0)).isEqualTo(10_000_000_000L);
  }
}
