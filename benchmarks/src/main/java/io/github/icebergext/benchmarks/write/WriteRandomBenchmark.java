package io.github.icebergext.benchmarks.write;

import io.github.icebergext.benchmarks.ComparedBenchmark;
import io.github.icebergext.dv.write.FlushedVector;
import java.util.List;
import org.apache.iceberg.io.DeleteWriteResult;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/**
 * Adds 1,000 positions for each of 10,000 data files in random order, file by file, and writes the
 * vectors into a file that is dropped.
 */
public class WriteRandomBenchmark extends ComparedBenchmark {
  @Param("10000x1000")
  public String shape = "";

  private Workload workload = Workload.random(LocalTable.create("memory:/table"), 1, 1);
  private OurWriting ours = new OurWriting(workload);
  private IcebergWriting iceberg = new IcebergWriting(workload);

  /** Makes up the positions. */
  @Setup
  public void prepare() {
    workload = Workload.random(workload.table(), 10_000, 1_000);
    ours = new OurWriting(workload);
    iceberg = new IcebergWriting(workload);
  }

  /** Adds and flushes. */
  @Benchmark
  public List<FlushedVector> ours() {
    return ours.written();
  }

  /** Adds and closes. */
  @Benchmark
  public DeleteWriteResult iceberg() {
    return iceberg.written();
  }
}
