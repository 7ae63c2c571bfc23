package io.github.icebergext.dv.write;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RadixSortTest {
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 63, 64, 65, 1000, 2047, 2048, 5000})
  void sortsNumbersOfEveryWidth(int count) {
    Random random = new Random(count);
    for (int bits = 1; bits < Integer.SIZE; bits++) {
      int bound = bits;
      int[] values =
          IntStream.generate(() -> random.nextInt() >>> (32 - bound)).limit(count).toArray();
      assertThat(sorted(values)).isEqualTo(IntStream.of(values).sorted().toArray());
    }
  }

  @Test
  void sortsNumbersThatDifferInLowBitsOnly() {
    int[] values = new Random(1).ints(500, 2_000_000_000, 2_000_000_100).toArray();
    assertThat(sorted(values)).isEqualTo(IntStream.of(values).sorted().toArray());
  }

  @Test
  void sortsTheFirstOnly() {
    int[] values = new Random(2).ints(300, 0, 1000).toArray();
    int[] sorted = RadixSort.sort(values.clone(), 200);
    assertThat(Arrays.copyOf(sorted, 200))
        .isEqualTo(Arrays.stream(values, 0, 200).sorted().toArray());
  }

  @Test
  void leavesAscendingNumbersWhereTheyAre() {
    int[] values = IntStream.range(0, 1000).map(i -> i / 2).toArray();
    assertThat(RadixSort.sort(values, 1000)).isSameAs(values);
  }

  private static int[] sorted(int[] values) {
    return Arrays.copyOf(RadixSort.sort(values.clone(), values.length), values.length);
  }
}
