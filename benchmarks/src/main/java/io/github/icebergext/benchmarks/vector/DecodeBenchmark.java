package io.github.icebergext.benchmarks.vector;

import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.dv.DeletionVectorCodec;
import java.nio.ByteBuffer;
import java.util.zip.CRC32;
import org.apache.iceberg.deletes.PositionDeleteIndex;
import org.openjdk.jmh.annotations.Benchmark;

/** Decodes a blob that was read into an array of its own, as both libraries' readers do. */
public class DecodeBenchmark extends VectorBenchmark {
  /** Checks everything. */
  @Benchmark
  public DeletedPositions ours() {
    return DeletionVectorCodec.decodeOwned(blob, rows.deleted().length);
  }

  /** Does not check the contents of containers. */
  @Benchmark
  public PositionDeleteIndex iceberg() {
    return PositionDeleteIndex.deserialize(blob, entry);
  }

  /** Decodes from a buffer, of which the bytes are copied. */
  @Benchmark
  public DeletedPositions copying() {
    return DeletionVectorCodec.decode(ByteBuffer.wrap(blob), rows.deleted().length);
  }

  /** The least that any reader does. */
  @Benchmark
  public long checksum() {
    CRC32 crc = new CRC32();
    crc.update(blob, 4, blob.length - 8);
    return crc.getValue();
  }
}
