package io.github.icebergext.dv;

/** Encodes positions that are sorted already. */
final class AscendingPositions {
  private AscendingPositions() {}

  /** Encodes positions from 0 on that ascend, of which some may be equal. */
  static Containers encode(int[] sorted, int count) {
    VectorWriter writer = new VectorWriter(count * Character.BYTES);
    char[] values = new char[Math.min(count, Containers.SPAN)];
    for (int i = 0; i < count; ) {
      int prefix = sorted[i] >>> 16;
      int previous = -2;
      int different = 0;
      int runs = 0;
      // Without branches on the values, which random ones make the processor guess wrong.
      for (; i < count && sorted[i] >>> 16 == prefix; i++) {
        int value = sorted[i] & 0xFFFF;
        different += (previous - value) >>> 31;
        runs += (previous + 1 - value) >>> 31;
        values[different - 1] = (char) value;
        previous = value;
      }
      append(writer, prefix, values, different, runs);
    }
    return writer.finish();
  }

  private static void append(VectorWriter writer, int prefix, char[] values, int count, int runs) {
    if (count <= ContainerView.MAX_ARRAY_CARDINALITY) {
      writer.append(prefix, values, count, runs);
      return;
    }
    long[] words = new long[Bits.CONTAINER_WORDS];
    for (int i = 0; i < count; i++) {
      words[values[i] >>> 6] |= 1L << values[i];
    }
    writer.append(prefix, words);
  }
}
