package io.github.icebergext.benchmarks.write;

import java.io.BufferedReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The smallest heap with which a program succeeds, found by running it again and again. The last
 * line that it prints is made by {@link #report}.
 *
 * @param failedMegabytes the largest that was too small
 * @param megabytes the smallest that was enough
 * @param peak the most bytes in it after a full collection
 * @param rows how many rows the program has deleted
 */
record LeastHeap(int failedMegabytes, int megabytes, long peak, long rows) {
  private static final int FIRST_MEGABYTES = 16;
  private static final int MAX_MEGABYTES = 8192;

  /** What {@code -XX:+ExitOnOutOfMemoryError} ends a JVM with. */
  private static final int OUT_OF_MEMORY = 3;

  /** A heap is found within this part of it, or a megabyte. */
  private static final int PART = System.getenv("BENCHMARKS_QUICK") == null ? 50 : 6;

  /** Makes the last line that a program prints. */
  static String report(HeapPeak peak, long rows) {
    return peak.bytes() + " " + rows;
  }

  /**
   * Runs a program in JVMs of the same kind as this one, one after the other.
   *
   * @throws IllegalStateException if it fails for another reason than a lack of memory; the message
   *     has what it printed
   */
  static LeastHeap of(Class<?> program, String... arguments)
      throws IOException, InterruptedException {
    int failed = 1;
    int enough = FIRST_MEGABYTES;
    Run run = Run.of(program, enough, arguments);
    while (!run.hasSucceeded()) {
      failed = enough;
      enough *= 2;
      if (enough > MAX_MEGABYTES) {
        throw new IllegalStateException(program + " needs more than " + failed + " MB");
      }
      run = Run.of(program, enough, arguments);
    }
    while (enough - failed > Math.max(1, enough / PART)) {
      int middle = (failed + enough) / 2;
      Run next = Run.of(program, middle, arguments);
      if (next.hasSucceeded()) {
        run = next;
        enough = middle;
      } else {
        failed = middle;
      }
    }
    return run.with(failed, enough);
  }

  /** Returns lines in the form of those that compare times, where this is ours. */
  List<String> linesBeside(LeastHeap iceberg, String benchmarkAndShape) {
    if (rows != iceberg.rows) {
      throw new IllegalStateException(rows + " rows deleted, by Iceberg " + iceberg.rows);
    }
    return List.of(
        String.format(
            Locale.ROOT,
            "beside %s iceberg-after-collection %d %d %.3f bytes",
            benchmarkAndShape,
            peak,
            iceberg.peak,
            (double) iceberg.peak / peak),
        String.format(
            Locale.ROOT,
            "ratio %s %d %d %.3f %.3f %.3f MB",
            benchmarkAndShape,
            megabytes,
            iceberg.megabytes,
            (double) iceberg.megabytes / megabytes,
            (double) iceberg.failedMegabytes / megabytes,
            (double) iceberg.megabytes / failedMegabytes));
  }

  private record Run(boolean hasSucceeded, List<String> output) {
    static Run of(Class<?> program, int megabytes, String... arguments)
        throws IOException, InterruptedException {
      List<String> command = command(program, megabytes, arguments);
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      List<String> output;
      try (BufferedReader reader = process.inputReader()) {
        output = reader.lines().toList();
      }
      int status = process.waitFor();
      if (status != 0 && status != OUT_OF_MEMORY) {
        throw new IllegalStateException(
            "Ended with " + status + ": " + command + "\n" + String.join("\n", output));
      }
      return new Run(status == 0, output);
    }

    private static List<String> command(Class<?> program, int megabytes, String... arguments) {
      List<String> command = new ArrayList<>();
      command.add(System.getProperty("java.home") + "/bin/java");
      command.add("-Xmx" + megabytes + "m");
      command.add("-XX:+UseSerialGC");
      command.add("-XX:+ExitOnOutOfMemoryError");
      command.add("-cp");
      command.add(System.getProperty("java.class.path"));
      command.add(program.getName());
      command.addAll(List.of(arguments));
      return command;
    }

    LeastHeap with(int failedMegabytes, int megabytes) {
      String[] report = output.get(output.size() - 1).split(" ", -1);
      return new LeastHeap(
          failedMegabytes, megabytes, Long.parseLong(report[0]), Long.parseLong(report[1]));
    }
  }
}
