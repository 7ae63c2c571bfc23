package io.github.icebergext.benchmarks.read;

import java.io.IOException;
import org.apache.iceberg.io.FileIO;
import org.openjdk.jmh.annotations.TearDown;

/** Reads one vector from a local disk, whose file the operating system has in memory. */
public class ReadLocalBenchmark extends OneBenchmark {
  private final LocalFolder folder = LocalFolder.create();

  @Override
  String folder() {
    return folder.location();
  }

  @Override
  FileIO storage(Vectors vectors) throws IOException {
    folder.write(vectors.files());
    return folder;
  }

  /** Deletes the folder. */
  @TearDown
  public void delete() throws IOException {
    folder.delete();
  }
}
