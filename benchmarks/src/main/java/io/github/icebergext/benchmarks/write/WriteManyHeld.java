package io.github.icebergext.benchmarks.write;

import java.lang.management.ManagementFactory;
import java.lang.ref.Reference;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;

/**
 * The bytes that a writer holds for each data file before it writes, counted instead of timed: what
 * the heap holds more after a collection once everything was added. The data files with their
 * locations are there before, and are the same for both.
 */
public final class WriteManyHeld {
  private WriteManyHeld() {}

  /** Returns lines in the form of those that compare times. */
  public static List<String> lines() {
    // Loads classes, which are counted once.
    line("", 10, 10);
    return List.of(
        line("beside write-many-held 10000x1000 iceberg", 10_000, 1_000),
        line("beside write-many-held 100000x1 iceberg", 100_000, 1),
        line("ratio write-many-held 100000x10", 100_000, 10));
  }

  private static String line(String name, int files, int positionsPerFile) {
    Workload workload =
        Workload.random(LocalTable.create("memory:/table"), files, positionsPerFile);
    double ours = held(new OurWriting(workload)::added) / (double) files;
    double iceberg = held(new IcebergWriting(workload)::added) / (double) files;
    double ratio = iceberg / ours;
    return String.format(
        Locale.ROOT, "%s %.1f %.1f %.3f %.3f %.3f bytes", name, ours, iceberg, ratio, ratio, ratio);
  }

  private static long held(Supplier<Object> adding) {
    long before = heapInUse();
    Object writer = adding.get();
    long after = heapInUse();
    Reference.reachabilityFence(adding);
    Reference.reachabilityFence(writer);
    return after - before;
  }

  /** Returns what the heap holds without garbage. */
  private static long heapInUse() {
    System.gc();
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }
}
