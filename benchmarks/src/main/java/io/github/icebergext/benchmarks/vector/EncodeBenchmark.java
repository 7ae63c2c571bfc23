package io.github.icebergext.benchmarks.vector;

import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.dv.DeletionVectorCodec;
import java.nio.ByteBuffer;
import java.util.zip.CRC32;
import org.openjdk.jmh.annotations.Benchmark;

/**
 * Encodes a vector that was decoded: both sides look for smaller containers first, as neither knows
 * who wrote it.
 */
public class EncodeBenchmark extends VectorBenchmark {
  private DeletedPositions built = DeletedPositions.of();

  @Override
  void prepareMore() {
    built = DeletedPositions.of(rows.deleted());
  }

  /** Encodes what was decoded. */
  @Benchmark
  public ByteBuffer ours() {
    return DeletionVectorCodec.encode(positions);
  }

  /** Encodes what was decoded. */
  @Benchmark
  public ByteBuffer iceberg() {
    return index.serialize();
  }

  /** Encodes what was built, which was brought into its final form then. */
  @Benchmark
  public ByteBuffer built() {
    return DeletionVectorCodec.encode(built);
  }

  /** Copies the bytes and computes the checksum: the floor where neither is at hand. */
  @Benchmark
  public byte[] copyAndChecksum() {
    byte[] copy = blob.clone();
    CRC32 crc = new CRC32();
    crc.update(copy, 4, copy.length - 8);
    copy[copy.length - 1] = (byte) crc.getValue();
    return copy;
  }
}
