package io.github.icebergext.benchmarks.write;

/** Adds the positions of each file in ascending order. */
public class WriteAddSortedBenchmark extends AddBenchmark {
  @Override
  Workload workload(int files, int positionsPerFile) {
    return Workload.random(LocalTable.create("memory:/table"), files, positionsPerFile).sorted();
  }
}
