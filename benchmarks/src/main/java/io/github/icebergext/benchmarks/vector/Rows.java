package io.github.icebergext.benchmarks.vector;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.function.LongPredicate;
import java.util.stream.LongStream;

/**
 * The rows of a data file that a benchmark looks at, and the deleted positions of that file.
 *
 * @param first position of the first row looked at
 * @param count number of rows looked at
 * @param deleted all deleted positions, ascending
 */
record Rows(long first, int count, long[] deleted) {
  private static final int MANY = 10_000_000;

  /** Returns the rows of a shape; the same for the same seed. */
  static Rows of(String shape, int seed) {
    SplittableRandom random = new SplittableRandom(seed);
    return switch (shape) {
      case "sparse1k" -> sparse(1_000_000, 1_000, random);
      case "2pct" -> where(MANY, row -> random.nextInt(50) == 0);
      case "array5pct", "5pct" -> where(MANY, row -> random.nextInt(20) == 0);
      case "bitmap20pct" -> where(MANY, row -> random.nextInt(5) == 0);
      case "runs50pct" -> where(MANY, row -> row / 1_000 % 2 == seed % 2);
      case "clustered" -> where(MANY, row -> row / 5_000 % 20 == 0 && random.nextInt(2) == 0);
      case "several-keys" -> severalKeys(random);
      case "mixed" -> where(MANY, row -> mixed(row, random));
      default -> throw new IllegalArgumentException("No such shape: " + shape);
    };
  }

  private static Rows where(int count, LongPredicate deleted) {
    return new Rows(0, count, LongStream.range(0, count).filter(deleted).toArray());
  }

  private static Rows sparse(int count, int deletes, SplittableRandom random) {
    long[] deleted = random.longs(0, count).distinct().limit(deletes).toArray();
    Arrays.sort(deleted);
    return new Rows(0, count, deleted);
  }

  /** Eight keys with 5 % of their first million rows, and all rows around the border of two. */
  private static Rows severalKeys(SplittableRandom random) {
    int half = 1_000_000;
    long border = 4L << 32;
    long[] deleted =
        LongStream.range(0, 8)
            .flatMap(
                key -> LongStream.range(key == 4 ? -half : 0, half).map(low -> (key << 32) + low))
            .filter(row -> random.nextInt(20) == 0)
            .toArray();
    return new Rows(border - half, 2 * half, deleted);
  }

  /** Gives each 65,536 rows another kind of container than the ones before. */
  private static boolean mixed(long row, SplittableRandom random) {
    return switch ((int) (row >>> 16) % 6) {
      case 0 -> random.nextInt(1_000) == 0;
      case 1 -> random.nextInt(20) == 0;
      case 2 -> random.nextInt(3) == 0;
      case 3 -> row / 100 % 3 == 0;
      case 4 -> true;
      default -> false;
    };
  }

  /** Tells whether no row is outside of those looked at. */
  boolean isWholeFile() {
    return first == 0 && deleted[deleted.length - 1] < count;
  }

  /** Returns the number of words in a mask of the rows looked at. */
  int words() {
    return (count + Long.SIZE - 1) / Long.SIZE;
  }
}
