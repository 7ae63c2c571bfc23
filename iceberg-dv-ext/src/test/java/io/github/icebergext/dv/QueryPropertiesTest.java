package io.github.icebergext.dv;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.icebergext.testing.Vectors;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.NavigableSet;
import java.util.Random;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Every query against a plain set of numbers, on seeded random vectors and arguments. */
class QueryPropertiesTest {
  private static final int VECTORS = 150;
  private static final int QUERIES = 60;

  private final Random random = new Random(7);
  private NavigableSet<Long> expected = new TreeSet<>();
  private DeletedPositions actual = DeletedPositions.of();
  private int vector;

  @Test
  void answersPointQueriesLikeASet() {
    forEachVector(
        () -> {
          PositionCursor cursor = actual.cursor();
          for (int i = 0; i < QUERIES; i++) {
            long position = position();
            assertThat(actual.isDeleted(position)).isEqualTo(expected.contains(position));
            assertThat(cursor.isDeleted(position)).isEqualTo(expected.contains(position));
            assertThat(actual.nextDeleted(position))
                .isEqualTo(orMinusOne(expected.ceiling(position)));
            assertThat(actual.nextLive(position)).isEqualTo(nextLive(position));
          }
        });
  }

  @Test
  void answersRangeQueriesLikeASet() {
    forEachVector(
        () -> {
          for (int i = 0; i < QUERIES; i++) {
            long start = position();
            long end =
                random.nextBoolean() ? Math.max(start, position()) : plus(start, random.nextInt(5));
            SortedSet<Long> inside = expected.subSet(start, end);
            assertThat(actual.cardinality(start, end)).isEqualTo(inside.size());
            assertThat(actual.isFullyLive(start, end)).isEqualTo(inside.isEmpty());
            assertThat(actual.isFullyDeleted(start, end)).isEqualTo(inside.size() == end - start);
            List<Long> seen = new ArrayList<>();
            actual.forEach(start, end, seen::add);
            assertThat(seen).as("vector %d", vector).isEqualTo(List.copyOf(inside));
            List<Long> ranges = new ArrayList<>();
            actual.forEachRange(start, end, (from, to) -> ranges.addAll(List.of(from, to)));
            assertThat(ranges).as("vector %d", vector).isEqualTo(ranges(inside));
          }
        });
  }

  @Test
  void answersBatchesLikeASet() {
    forEachVector(
        () -> {
          for (int i = 0; i < 6; i++) {
            int length = random.nextInt(i < 4 ? 300 : 200_000);
            checkBatch(position(), length);
          }
        });
  }

  @Test
  void walksAllPositionsInOrder() {
    forEachVector(
        () -> {
          long[] all = expected.stream().mapToLong(Long::longValue).toArray();
          assertThat(Vectors.positions(actual)).as("vector %d", vector).isEqualTo(all);
          LongStream.Builder iterated = LongStream.builder();
          actual.iterator().forEachRemaining((long position) -> iterated.add(position));
          assertThat(iterated.build().toArray()).as("vector %d", vector).isEqualTo(all);
          assertThat(actual.cardinality()).isEqualTo(all.length);
          assertThat(actual.isEmpty()).isEqualTo(all.length == 0);
          if (all.length > 0) {
            assertThat(actual.firstPosition()).isEqualTo(expected.first());
            assertThat(actual.lastPosition()).isEqualTo(expected.last());
          }
        });
  }

  @Test
  void answersACursorInAscendingOrderLikeASet() {
    forEachVector(
        () -> {
          PositionCursor cursor = actual.cursor();
          long position = Math.max(0, position() - 3000);
          for (int i = 0; i < 10_000; i++) {
            if (cursor.isDeleted(position) != expected.contains(position)) {
              assertThat(cursor.isDeleted(position))
                  .as("position " + position)
                  .isEqualTo(expected.contains(position));
            }
            position = plus(position, random.nextInt(40) == 0 ? random.nextInt(9000) : 1);
          }
        });
  }

  private void forEachVector(Runnable check) {
    for (vector = 0; vector < VECTORS; vector++) {
      long[] positions = vector == 0 ? new long[0] : Vectors.random(random);
      if (vector % 10 == 1) {
        positions =
            LongStream.concat(
                    Arrays.stream(positions), LongStream.of(Long.MAX_VALUE - 1, Long.MAX_VALUE))
                .toArray();
      }
      expected = new TreeSet<>();
      Arrays.stream(positions).forEach(expected::add);
      actual =
          DeletedPositions.builder()
              .maxPosition(Long.MAX_VALUE)
              .addAll(positions, 0, positions.length)
              .build();
      check.run();
    }
  }

  /** Returns an argument of some interest: near a position, a boundary, or outside. */
  private long position() {
    int near = random.nextInt(5) - 2;
    return switch (random.nextInt(8)) {
      case 0 -> near;
      case 1 -> (1L << 32) + near;
      case 2 -> plus(Long.MAX_VALUE, near);
      case 3 -> Long.MIN_VALUE + random.nextInt(3);
      case 4 -> (random.nextLong() >>> 1) >>> random.nextInt(63);
      case 5 -> (random.nextInt(8) << 16) + near;
      default -> nearPosition(near);
    };
  }

  private long nearPosition(int near) {
    if (expected.isEmpty()) {
      return random.nextInt(1 << 20);
    }
    long from =
        expected.first()
            + (long)
                (random.nextDouble() * (Math.min(expected.last(), 1L << 34) - expected.first()));
    Long position = expected.ceiling(from);
    return position == null ? from : plus(position, near);
  }

  private static long plus(long position, long distance) {
    long sum = position + distance;
    return distance > 0 && sum < position ? Long.MAX_VALUE : sum;
  }

  private static long orMinusOne(Long position) {
    return position == null ? -1 : position;
  }

  private long nextLive(long from) {
    long live = Math.max(from, 0);
    while (expected.contains(live)) {
      if (live == Long.MAX_VALUE) {
        return -1;
      }
      live++;
    }
    return live;
  }

  private static List<Long> ranges(SortedSet<Long> positions) {
    List<Long> ranges = new ArrayList<>();
    long end = Long.MIN_VALUE;
    for (long position : positions) {
      if (position != end) {
        if (!ranges.isEmpty()) {
          ranges.add(end);
        }
        ranges.add(position);
      }
      end = position + 1;
    }
    if (!ranges.isEmpty()) {
      ranges.add(end);
    }
    return ranges;
  }

  private void checkBatch(long start, int length) {
    BitSet deleted = new BitSet();
    for (long position : expected.tailSet(start)) {
      if (position - start < 0 || position - start >= length) {
        break;
      }
      deleted.set((int) (position - start));
    }
    BitSet live = new BitSet();
    live.set(0, length);
    live.andNot(deleted);
    int words = (length + 63) / 64;
    int bytes = (length + 7) / 8;
    long[] longs = new long[words];
    byte[] octets = new byte[bytes];
    // What stood in a mask before must not matter.
    Arrays.fill(longs, 0x5555);
    Arrays.fill(octets, (byte) 0x55);
    actual.keepMask(start, length, longs);
    actual.keepMask(start, length, octets);
    assertThat(BitSet.valueOf(longs)).isEqualTo(live);
    assertThat(BitSet.valueOf(octets)).isEqualTo(live);
    actual.deleteMask(start, length, longs);
    actual.deleteMask(start, length, octets);
    assertThat(BitSet.valueOf(longs)).isEqualTo(deleted);
    assertThat(BitSet.valueOf(octets)).isEqualTo(deleted);
    int[] offsets = new int[length];
    int count = actual.liveOffsets(start, length, offsets);
    assertThat(Arrays.copyOf(offsets, count))
        .as("vector %d", vector)
        .isEqualTo(live.stream().toArray());
  }
}
