package io.github.icebergext.benchmarks.vector;

import io.github.icebergext.benchmarks.ComparedBenchmark;
import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.dv.DeletionVectorCodec;
import java.nio.ByteBuffer;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.deletes.PositionDeleteIndex;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/** Takes two blobs of the same shape, and gives one blob with the deletes of both. */
public class UnionBenchmark extends ComparedBenchmark {
  @Param({"2pct", "5pct"})
  public String shape = "";

  private byte[] left = new byte[0];
  private byte[] right = new byte[0];
  private DeleteFile leftEntry = IcebergIndex.entry(left, 1);
  private DeleteFile rightEntry = IcebergIndex.entry(right, 1);

  /** Lets Iceberg write the blobs. */
  @Setup
  public void prepare() {
    long[] some = Rows.of(shape, 1).deleted();
    long[] others = Rows.of(shape, 2).deleted();
    left = IcebergIndex.blob(IcebergIndex.of(some));
    right = IcebergIndex.blob(IcebergIndex.of(others));
    leftEntry = IcebergIndex.entry(left, some.length);
    rightEntry = IcebergIndex.entry(right, others.length);
  }

  /** Decodes with all checks, unites and encodes. */
  @Benchmark
  public ByteBuffer ours() {
    DeletedPositions some = DeletionVectorCodec.decodeOwned(left, leftEntry.recordCount());
    DeletedPositions others = DeletionVectorCodec.decodeOwned(right, rightEntry.recordCount());
    return DeletionVectorCodec.encode(some.union(others));
  }

  /** Decodes, merges and encodes. */
  @Benchmark
  public ByteBuffer iceberg() {
    PositionDeleteIndex index = PositionDeleteIndex.deserialize(left, leftEntry);
    index.merge(PositionDeleteIndex.deserialize(right, rightEntry));
    return index.serialize();
  }
}
