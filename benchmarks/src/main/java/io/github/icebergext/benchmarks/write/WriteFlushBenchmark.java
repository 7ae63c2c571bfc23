package io.github.icebergext.benchmarks.write;

import io.github.icebergext.benchmarks.ComparedBenchmark;
import io.github.icebergext.dv.write.DeletionVectorWriter;
import io.github.icebergext.dv.write.FlushedVector;
import java.util.List;
import org.apache.iceberg.deletes.DVFileWriter;
import org.apache.iceberg.io.DeleteWriteResult;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * Writes the vectors of 10,000 data files with 1,000 random positions each into a file that is
 * dropped. The positions are added outside of the measured time, which is far longer than the clock
 * needs to be read around every flush.
 */
public class WriteFlushBenchmark extends ComparedBenchmark {
  @Param("10000x1000")
  public String shape = "";

  private static Workload workload() {
    return Workload.random(LocalTable.create("memory:/table"), 10_000, 1_000);
  }

  /** A writer to be flushed once. */
  @State(Scope.Benchmark)
  public static class Ours {
    private final OurWriting writing = new OurWriting(workload());
    private DeletionVectorWriter writer = writing.added();

    /** Adds everything to a new writer. */
    @Setup(Level.Invocation)
    public void add() {
      writer = writing.added();
    }
  }

  /** Iceberg's writer, to be closed once. */
  @State(Scope.Benchmark)
  public static class Iceberg {
    private final IcebergWriting writing = new IcebergWriting(workload());
    private DVFileWriter writer = writing.added();

    /** Adds everything to a new writer. */
    @Setup(Level.Invocation)
    public void add() {
      writer = writing.added();
    }
  }

  /** Flushes. */
  @Benchmark
  public List<FlushedVector> ours(Ours state) {
    return OurWriting.flush(state.writer);
  }

  /** Closes, which writes. */
  @Benchmark
  public DeleteWriteResult iceberg(Iceberg state) {
    return IcebergWriting.flush(state.writer);
  }
}
