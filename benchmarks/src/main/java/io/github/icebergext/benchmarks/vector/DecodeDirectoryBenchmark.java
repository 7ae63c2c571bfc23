package io.github.icebergext.benchmarks.vector;

import io.github.icebergext.dv.DecodeStages;
import org.apache.iceberg.deletes.PositionDeleteIndex;
import org.openjdk.jmh.annotations.Benchmark;

/** Decodes up to and with the directory of containers, without their contents. */
public class DecodeDirectoryBenchmark extends VectorBenchmark {
  /** Stops where only the contents of containers are left to check. */
  @Benchmark
  public Object ours() {
    return DecodeStages.directory(blob);
  }

  /** Decodes, which checks less than the directory. */
  @Benchmark
  public PositionDeleteIndex iceberg() {
    return PositionDeleteIndex.deserialize(blob, entry);
  }
}
