package io.github.icebergext.dv;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Every way of checking, whichever the running JVM takes, against plain numbers. */
class ContentCheckTest {
  private final Random random = new Random(11);

  @Test
  void acceptsAscendingValuesOfEveryNumber() {
    for (int count = 1; count <= ContainerView.MAX_ARRAY_CARDINALITY; count += 1 + count / 30) {
      assertAscends(ascending(count), true);
    }
  }

  @Test
  void refusesTheSameOrASmallerValueAtEveryPlace() {
    for (int count : new int[] {2, 5, 9, 256, 257, 261, 300, 1023, 4096}) {
      int[] values = ascending(count);
      for (int i = 1; i < count; i++) {
        int value = values[i];
        values[i] = values[i - 1];
        assertAscends(values, false);
        if (values[i - 1] > 0) {
          values[i] = random.nextInt(values[i - 1]);
          assertAscends(values, false);
        }
        values[i] = value;
      }
    }
  }

  @Test
  void comparesAllPairsOfHighBits() {
    int[] borders = {0, 1, 0x7FFE, 0x7FFF, 0x8000, 0x8001, 0xFFFE, 0xFFFF};
    for (int first : borders) {
      for (int second : borders) {
        for (int lane = 0; lane < 4; lane++) {
          int[] values = {1, 3, 5, 7, 9, 11, 13};
          values[lane] = first;
          values[lane + 1] = second;
          assertAscends(values, ascend(values));
        }
      }
    }
  }

  @Test
  void countsBits() {
    for (int bits : new int[] {0, 1, 4097, 30_000, 65_536}) {
      BitSet set = new BitSet();
      set.set(0, bits / 2);
      random.ints(bits, 0, Containers.SPAN).forEach(set::set);
      byte[] bytes = new byte[ContainerView.BITSET_BYTES + 3];
      byte[] content = set.toByteArray();
      System.arraycopy(content, 0, bytes, 3, content.length);
      assertThat(ContentCheck.population(bytes, 3)).isEqualTo(set.cardinality());
    }
  }

  private int[] ascending(int count) {
    return random.ints(0, Containers.SPAN).distinct().limit(count).sorted().toArray();
  }

  private static boolean ascend(int[] values) {
    for (int i = 1; i < values.length; i++) {
      if (values[i] <= values[i - 1]) {
        return false;
      }
    }
    return true;
  }

  private static void assertAscends(int[] values, boolean expected) {
    // At an odd offset, and to the last byte of the array.
    byte[] bytes = new byte[3 + 2 * values.length];
    for (int i = 0; i < values.length; i++) {
      LittleEndian.putU16(bytes, 3 + 2 * i, values[i]);
    }
    for (ContentCheck check : List.of(new ContentCheck.InPlace(), new ContentCheck.Copying())) {
      if ((check.ascends(bytes, 3, values.length) && check.isSure()) != expected) {
        assertThat(values).as(check.getClass().getSimpleName()).isEmpty();
      }
    }
  }
}
