package io.github.icebergext.benchmarks.write;

/** Adds the positions of each file in random order. */
public class WriteAddRandomBenchmark extends AddBenchmark {
  @Override
  Workload workload(int files, int positionsPerFile) {
    return Workload.random(LocalTable.create("memory:/table"), files, positionsPerFile);
  }
}
