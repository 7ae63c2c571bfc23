package io.github.icebergext.benchmarks.vector;

import io.github.icebergext.dv.DeletedPositions;
import java.nio.ByteBuffer;
import org.apache.iceberg.deletes.PositionDeleteIndex;
import org.openjdk.jmh.annotations.Benchmark;

/** Builds a vector from ascending positions, each by one call. */
public class BuildOneByOneBenchmark extends VectorBenchmark {
  /** Gives positions to the builder, which also encodes. */
  @Benchmark
  public DeletedPositions ours() {
    DeletedPositions.Builder builder = DeletedPositions.builder();
    for (long position : rows.deleted()) {
      builder.add(position);
    }
    return builder.build();
  }

  /** Gives positions to the index. */
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
