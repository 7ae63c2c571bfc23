package io.github.icebergext.benchmarks.read;

import java.util.List;
import java.util.concurrent.ExecutionException;
import org.apache.iceberg.deletes.PositionDeleteIndex;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Warmup;

/** Reads 10,000 vectors of 2 KB in 100 files. */
public class Read10000In100Benchmark extends BatchBenchmark {
  @Param("2kb")
  public String shape = "";

  @Override
  Vectors vectors() {
    return Vectors.of("s3://bucket/", 100, 100, Vectors.FEW_DELETED_ROWS);
  }

  /** Takes 25 s, beside which a cold JVM does not count. */
  @Benchmark
  @Warmup(iterations = 0)
  @Measurement(iterations = 2)
  public List<PositionDeleteIndex> iceberg() throws InterruptedException, ExecutionException {
    return oneByOne();
  }
}
