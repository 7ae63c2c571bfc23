package io.github.icebergext.benchmarks.vector;

import io.github.icebergext.dv.DeletedPositions;
import java.nio.ByteBuffer;
import org.apache.iceberg.deletes.PositionDeleteIndex;
import org.openjdk.jmh.annotations.Benchmark;

/** Builds a vector from an array of ascending positions. */
public class BuildSortedBenchmark extends VectorBenchmark {
  /** Gives the array to the builder, which also encodes. */
  @Benchmark
  public DeletedPositions ours() {
    long[] deleted = rows.deleted();
    return DeletedPositions.builder().addAll(deleted, 0, deleted.length).build();
  }

  /** Adds one by one: Iceberg takes no arrays. */
  @Benchmark
  public PositionDeleteIndex iceberg() {
    return IcebergIndex.of(rows.deleted());
  }

  /** Encodes as well, as the builder does. */
  @Benchmark
  public ByteBuffer icebergEncoded() {
    return IcebergIndex.of(rows.deleted()).serialize();
  }
}
