package io.github.icebergext.benchmarks.read;

import java.util.List;
import java.util.concurrent.ExecutionException;
import org.apache.iceberg.deletes.PositionDeleteIndex;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Warmup;

/** Reads 1,000 vectors of 126 KB in 10 files, which the bandwidth of eight streams bounds. */
public class Read1000LargeBenchmark extends BatchBenchmark {
  @Param("126kb")
  public String shape = "";

  @Override
  Vectors vectors() {
    return Vectors.of("s3://bucket/", 10, 100, Vectors.MANY_DELETED_ROWS);
  }

  /** Takes seconds, and hardly varies. */
  @Benchmark
  @Warmup(iterations = 1)
  @Measurement(iterations = 3)
  public List<PositionDeleteIndex> iceberg() throws InterruptedException, ExecutionException {
    return oneByOne();
  }
}
