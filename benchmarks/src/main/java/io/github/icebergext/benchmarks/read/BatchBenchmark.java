package io.github.icebergext.benchmarks.read;

import io.github.icebergext.benchmarks.ComparedBenchmark;
import io.github.icebergext.dv.DeletedPositions;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.apache.iceberg.deletes.PositionDeleteIndex;
import org.apache.iceberg.io.FileIO;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;

/** Reads many vectors. */
public abstract class BatchBenchmark extends ComparedBenchmark {
  private Readers readers = new Readers(SimulatedStore.of(Vectors.none().files()), List.of());

  /** Writes the vectors. */
  @Setup
  public void prepare() throws IOException {
    Vectors vectors = vectors();
    readers = new Readers(storage(vectors), vectors.entries());
  }

  abstract Vectors vectors() throws IOException;

  FileIO storage(Vectors vectors) throws IOException {
    return SimulatedStore.of(vectors.files());
  }

  /** Ends the threads. */
  @TearDown
  public void close() throws IOException {
    readers.close();
  }

  /** Reads them in batches, with the full check. */
  @Benchmark
  public List<DeletedPositions> ours() throws IOException {
    return readers.ours();
  }

  /**
   * Reads each in a request of its own. Subclasses measure this as {@code iceberg}, as often as the
   * time that it takes allows.
   */
  final List<PositionDeleteIndex> oneByOne() throws InterruptedException, ExecutionException {
    return readers.iceberg();
  }
}
