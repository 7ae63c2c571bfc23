package io.github.icebergext.dv;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.icebergext.testing.Vectors;
import io.github.icebergext.testing.Vectors.Shape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class SetAlgebraTest {
  private final Random random = new Random(11);

  static Stream<Arguments> pairsOfShapes() {
    return Stream.of(Shape.values())
        .flatMap(left -> Stream.of(Shape.values()).map(right -> Arguments.of(left, right)));
  }

  // RoaringBitmap#717: the union of two run containers was written as a container of another kind.
  @ParameterizedTest
  @MethodSource("pairsOfShapes")
  void combinesEveryPairOfContainersIntoAVectorThatReadsBackTheSame(Shape left, Shape right) {
    for (int i = 0; i < 3; i++) {
      long[] l = Vectors.ofShape(left, random, 1 << 16);
      long[] r = Vectors.ofShape(right, random, 1 << 16);
      DeletedPositions first = decoded(l);
      DeletedPositions second = decoded(r);
      checkReadsBack("union, pair " + i, first.union(second), union(l, r));
      checkReadsBack("intersection, pair " + i, first.intersection(second), intersection(l, r));
      checkReadsBack("difference, pair " + i, first.difference(second), difference(l, r));
      checkReadsBack(
          "built, pair " + i,
          DeletedPositions.builder().addAll(first).addAll(second).build(),
          union(l, r));
      assertThat(first.containsAll(second)).isEqualTo(difference(r, l).length == 0);
      assertThat(Vectors.positions(first)).as("left is unchanged").isEqualTo(l);
      assertThat(Vectors.positions(second)).as("right is unchanged").isEqualTo(r);
    }
  }

  // RoaringBitmap#717
  @Test
  void unitesRunsThatInterleave() {
    DeletedPositions.Builder left = DeletedPositions.builder();
    DeletedPositions.Builder right = DeletedPositions.builder();
    for (int i = 0; i + 6 <= 1 << 16; i += 6) {
      left.addRange(i, i + 2);
      right.addRange(i + 3, i + 5);
    }
    DeletedPositions union = left.build().union(right.build());
    long[] expected = LongStream.range(0, 65_532).filter(i -> i % 6 != 2 && i % 6 != 5).toArray();
    checkReadsBack("union", union, expected);
  }

  @Test
  void combinesVectorsOfManyContainers() {
    for (int i = 0; i < 300; i++) {
      long[] l = Vectors.random(random);
      long[] r = Vectors.random(random);
      DeletedPositions first = DeletedPositions.of(l);
      DeletedPositions second = DeletedPositions.of(r);
      checkPositions("union, pair " + i, first.union(second), union(l, r));
      checkPositions("intersection, pair " + i, first.intersection(second), intersection(l, r));
      checkPositions("difference, pair " + i, first.difference(second), difference(l, r));
      assertThat(first.containsAll(second)).isEqualTo(difference(r, l).length == 0);
      assertThat(first.union(second).containsAll(second)).isTrue();
      assertThat(first.union(second).difference(second)).isEqualTo(first.difference(second));
    }
  }

  @Test
  void unitesAnyNumberOfVectors() {
    for (int count = 0; count < 9; count++) {
      List<DeletedPositions> all = new ArrayList<>();
      long[] expected = {};
      for (int i = 0; i < count; i++) {
        long[] positions = Vectors.random(random);
        all.add(DeletedPositions.of(positions));
        expected = union(expected, positions);
      }
      checkPositions("union of all, " + count, DeletedPositions.unionOf(all), expected);
    }
  }

  @Test
  void givesTheSmallestFormWhateverThatOfItsInputs() {
    // Runs 0-0 and 1-1, which touch: two bytes more than the array 0, 1.
    DeletedPositions touching =
        DeletionVectorCodec.decodeOwned(
            Vectors.blob("0100000000000000 00000000 3b300000 01 00000100 0200 00000000 01000000"));
    assertThat(touching.layout()).isEqualTo(new VectorLayout(1, 0, 0, 1));
    DeletedPositions union = touching.union(DeletedPositions.of());
    assertThat(union.layout()).isEqualTo(new VectorLayout(1, 1, 0, 0));
    assertThat(Vectors.encode(union)).isEqualTo(Vectors.icebergBlob(0, 1));
    assertThat(union).isEqualTo(touching).hasSameHashCodeAs(touching);
  }

  private static DeletedPositions decoded(long[] positions) {
    return DeletionVectorCodec.decodeOwned(Vectors.icebergBlob(positions), positions.length);
  }

  private static void checkReadsBack(String name, DeletedPositions result, long[] expected) {
    byte[] blob = Vectors.encode(result);
    checkPositions(name, result, expected);
    checkPositions(name, DeletionVectorCodec.decodeOwned(blob, expected.length), expected);
    assertThat(Vectors.icebergPositions(blob, expected.length)).as(name).isEqualTo(expected);
    assertThat(blob).as(name).isEqualTo(Vectors.icebergBlob(expected));
  }

  private static void checkPositions(String name, DeletedPositions result, long[] expected) {
    assertThat(Vectors.positions(result)).as(name).isEqualTo(expected);
  }

  private static long[] union(long[] left, long[] right) {
    return LongStream.concat(Arrays.stream(left), Arrays.stream(right))
        .sorted()
        .distinct()
        .toArray();
  }

  private static long[] intersection(long[] left, long[] right) {
    return Arrays.stream(left)
        .filter(position -> Arrays.binarySearch(right, position) >= 0)
        .toArray();
  }

  private static long[] difference(long[] left, long[] right) {
    return Arrays.stream(left)
        .filter(position -> Arrays.binarySearch(right, position) < 0)
        .toArray();
  }
}
