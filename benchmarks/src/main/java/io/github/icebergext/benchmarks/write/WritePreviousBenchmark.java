package io.github.icebergext.benchmarks.write;

import io.github.icebergext.benchmarks.ComparedBenchmark;
import io.github.icebergext.benchmarks.read.LocalFolder;
import io.github.icebergext.dv.write.FlushedVector;
import java.io.IOException;
import java.util.List;
import org.apache.iceberg.io.DeleteWriteResult;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Adds 100 positions for each of 2,000 data files that have 100,000 deleted rows already, and
 * writes the vectors into a file that is dropped. The previous ones are read from Puffin files on a
 * local disk, which the operating system has in memory.
 */
public class WritePreviousBenchmark extends ComparedBenchmark {
  @Param("2000x100000+100")
  public String shape = "";

  private final LocalFolder folder = LocalFolder.create();
  private Workload workload = Workload.random(LocalTable.create(folder.location()), 1, 1);
  private OurWriting ours = new OurWriting(workload);
  private IcebergWriting iceberg = new IcebergWriting(workload);

  /** Writes the previous vectors. */
  @Setup
  public void prepare() throws IOException {
    PreviousVectors.write(folder.location());
    workload = PreviousVectors.workload(folder.location());
    ours = new OurWriting(workload);
    iceberg = new IcebergWriting(workload);
  }

  /** Deletes the folder. */
  @TearDown
  public void delete() throws IOException {
    folder.delete();
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
