package io.github.icebergext.dv;

/**
 * How an encoded vector is laid out, for inspection.
 *
 * @param bitmaps number of 32-bit bitmaps with positions: keys, the high 32 bits of positions
 * @param arrayContainers number of containers that are arrays of values
 * @param bitsetContainers number of containers that are bitsets
 * @param runContainers number of containers that are runs
 */
public record VectorLayout(
    int bitmaps, int arrayContainers, int bitsetContainers, int runContainers) {
  /** Counts the containers of a vector as it is. */
  static VectorLayout of(Containers containers) {
    int bitmaps = 0;
    int arrays = 0;
    int bitsets = 0;
    int runs = 0;
    for (int i = 0; i < containers.count; i++) {
      boolean first = i == 0 || containers.prefix(i) >>> 16 != containers.prefix(i - 1) >>> 16;
      bitmaps += first ? 1 : 0;
      ContainerView view = containers.view(i);
      arrays += view instanceof ArrayView ? 1 : 0;
      bitsets += view instanceof BitsetView ? 1 : 0;
      runs += view instanceof RunView ? 1 : 0;
    }
    return new VectorLayout(bitmaps, arrays, bitsets, runs);
  }
}
