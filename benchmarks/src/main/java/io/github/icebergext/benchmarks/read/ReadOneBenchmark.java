package io.github.icebergext.benchmarks.read;

import org.apache.iceberg.io.FileIO;

/** Reads one vector from an object store; vector and footer lie within 128 KB. */
public class ReadOneBenchmark extends OneBenchmark {
  @Override
  String folder() {
    return "s3://bucket/";
  }

  @Override
  FileIO storage(Vectors vectors) {
    return SimulatedStore.of(vectors.files());
  }
}
