package io.github.icebergext.benchmarks.read;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.apache.iceberg.deletes.PositionDeleteIndex;
import org.apache.iceberg.io.FileIO;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.TearDown;

/** Reads 1,000 vectors of 2 KB in 10 files that the operating system has in memory. */
public class ReadLocalBatchBenchmark extends BatchBenchmark {
  @Param("1000-in-10")
  public String shape = "";

  private final LocalFolder folder = LocalFolder.create();

  @Override
  Vectors vectors() {
    return Vectors.of(folder.location(), 10, 100, Vectors.FEW_DELETED_ROWS);
  }

  @Override
  FileIO storage(Vectors vectors) throws IOException {
    folder.write(vectors.files());
    return folder;
  }

  /** Opens a file for each vector. */
  @Benchmark
  public List<PositionDeleteIndex> iceberg() throws InterruptedException, ExecutionException {
    return oneByOne();
  }

  /** Deletes the folder. */
  @TearDown
  public void delete() throws IOException {
    folder.delete();
  }
}
