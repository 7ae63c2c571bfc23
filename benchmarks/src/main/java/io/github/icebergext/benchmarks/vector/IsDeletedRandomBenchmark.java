package io.github.icebergext.benchmarks.vector;

import java.util.SplittableRandom;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;

/** Asks for rows at random; the time of one question. */
public class IsDeletedRandomBenchmark extends VectorBenchmark {
  private static final int QUESTIONS = 1 << 20;

  private long[] asked = new long[0];

  @Override
  void prepareMore() {
    long end = rows.first() + rows.count();
    asked = new SplittableRandom(2).longs(QUESTIONS, rows.first(), end).toArray();
  }

  /** Asks the value. */
  @Benchmark
  @OperationsPerInvocation(QUESTIONS)
  public long ours() {
    long count = 0;
    for (long position : asked) {
      count += positions.isDeleted(position) ? 1 : 0;
    }
    return count;
  }

  /** Asks the index. */
  @Benchmark
  @OperationsPerInvocation(QUESTIONS)
  public long iceberg() {
    long count = 0;
    for (long position : asked) {
      count += index.isDeleted(position) ? 1 : 0;
    }
    return count;
  }
}
