package io.github.icebergext.cli.file;

import io.github.icebergext.cli.text.Errors;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.ToDoubleFunction;
import org.apache.datasketches.memory.Memory;
import org.apache.datasketches.theta.Sketches;
import org.apache.iceberg.puffin.StandardBlobTypes;
import org.jspecify.annotations.Nullable;

/** The blob {@code apache-datasketches-theta-v1}. */
final class ThetaSketch {
  static final String TYPE = StandardBlobTypes.APACHE_DATASKETCHES_THETA_V1;

  private static final int MAX_PREAMBLE_LONGS = 3;
  private static final int COMPRESSED_VERSION = 4;
  private static final int SINGLE_ITEM_VERSION = 3;
  private static final int EMPTY_FLAG = 4;

  private ThetaSketch() {}

  /**
   * What a sketch estimates.
   *
   * @param distinctValues the estimate; null if there is none
   * @param problem what is wrong with the sketch; null if nothing is
   * @param note why there is no estimate of a sketch that may be sound; null if there is one
   */
  record Estimate(
      @Nullable Double distinctValues, @Nullable String problem, @Nullable String note) {}

  /**
   * Estimates the number of distinct values from a sketch, which is consumed. DataSketches refuses
   * most versions of Java, so the estimate then says that instead.
   */
  static Estimate estimate(ByteBuffer sketch) {
    return estimate(sketch, bytes -> Sketches.wrapSketch(Memory.wrap(bytes)).getEstimate());
  }

  static Estimate estimate(ByteBuffer sketch, ToDoubleFunction<byte[]> dataSketches) {
    byte[] bytes = new byte[sketch.remaining()];
    sketch.get(bytes);
    String problem = problem(ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN));
    if (problem != null) {
      return new Estimate(null, problem, null);
    }
    try {
      return new Estimate(dataSketches.applyAsDouble(bytes), null, null);
    } catch (LinkageError e) {
      return new Estimate(
          null,
          null,
          "no estimate: DataSketches does not run on Java "
              + Runtime.version().feature()
              + ", but on 17 and 21");
    } catch (RuntimeException e) {
      return new Estimate(null, "no theta sketch: " + Errors.message(e), null);
    }
  }

  // DataSketches reads memory that it takes on trust: without this check a sketch cut short would
  // be read past its end.
  private static @Nullable String problem(ByteBuffer sketch) {
    if (sketch.capacity() < Long.BYTES) {
      return "no theta sketch: " + sketch.capacity() + " bytes, expected at least " + Long.BYTES;
    }
    int preambleLongs = sketch.get(0) & 0x3F;
    if (preambleLongs < 1 || preambleLongs > MAX_PREAMBLE_LONGS) {
      return "no theta sketch: preamble of " + preambleLongs + " longs, expected 1 to 3";
    }
    long needed = preambleLongs * (long) Long.BYTES + hashBytes(sketch, preambleLongs);
    if (needed >= 0 && needed <= sketch.capacity()) {
      return null;
    }
    return "theta sketch cut short: it has "
        + sketch.capacity()
        + " bytes and names more"
        + (needed > 0 ? ", " + needed : "");
  }

  /** Returns the bytes after the preamble, as many of them as the bytes at hand can tell. */
  private static long hashBytes(ByteBuffer sketch, int preambleLongs) {
    int preamble = preambleLongs * Long.BYTES;
    int version = sketch.get(1);
    if (version >= COMPRESSED_VERSION) {
      return compressedBytes(sketch, preamble);
    }
    if (preambleLongs == 1) {
      boolean single = version == SINGLE_ITEM_VERSION && (sketch.get(5) & EMPTY_FLAG) == 0;
      return single ? Long.BYTES : 0;
    }
    return sketch.capacity() < preamble ? 0 : sketch.getInt(Long.BYTES) * (long) Long.BYTES;
  }

  /**
   * The bits of a hash are in byte 3, the bytes of their count in byte 4, the count after it all.
   */
  private static long compressedBytes(ByteBuffer sketch, int preamble) {
    int hashBits = sketch.get(3) & 0xFF;
    int countBytes = sketch.get(4) & 0xFF;
    if (countBytes > Integer.BYTES || preamble + countBytes > sketch.capacity()) {
      return Long.MIN_VALUE;
    }
    long count = 0;
    for (int i = 0; i < countBytes; i++) {
      count |= (sketch.get(preamble + i) & 0xFFL) << (Byte.SIZE * i);
    }
    return countBytes + (count * hashBits + Byte.SIZE - 1) / Byte.SIZE;
  }
}
