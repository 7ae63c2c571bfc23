package io.github.icebergext.benchmarks.write;

import io.github.icebergext.benchmarks.ComparedBenchmark;
import io.github.icebergext.dv.write.DeletionVectorWriter;
import org.apache.iceberg.deletes.DVFileWriter;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/**
 * Adds 1,000 positions of each data file to a new writer, and writes nothing: file by file, or one
 * row of each file in turn.
 */
public abstract class AddBenchmark extends ComparedBenchmark {
  private static final String IN_TURN = "1000x1000-in-turn";

  @Param({"10000x1000", IN_TURN})
  public String shape = "";

  private OurWriting ours = new OurWriting(workload(1, 1));
  private IcebergWriting iceberg = new IcebergWriting(workload(1, 1));

  /** Makes up the positions. */
  @Setup
  public void prepare() {
    Workload workload = workload(shape.equals(IN_TURN) ? 1_000 : 10_000, 1_000);
    ours = new OurWriting(workload);
    iceberg = new IcebergWriting(workload);
  }

  abstract Workload workload(int files, int positionsPerFile);

  /** Adds rows of data files. */
  @Benchmark
  public DeletionVectorWriter ours() {
    return shape.equals(IN_TURN) ? ours.addedInTurn() : ours.added();
  }

  /** Adds rows of locations, which are the same strings for each row of a file. */
  @Benchmark
  public DVFileWriter iceberg() {
    return shape.equals(IN_TURN) ? iceberg.addedInTurn() : iceberg.added();
  }
}
