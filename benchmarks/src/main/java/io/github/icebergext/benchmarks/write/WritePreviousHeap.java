package io.github.icebergext.benchmarks.write;

import io.github.icebergext.benchmarks.read.LocalFolder;
import java.io.IOException;
import java.util.List;

/**
 * The least heap with which the job of {@link WritePreviousBenchmark} succeeds, in JVMs of their
 * own, which read the entries of the previous vectors as well.
 */
public final class WritePreviousHeap {
  private WritePreviousHeap() {}

  /** Returns lines in the form of those that compare times. */
  public static List<String> lines() throws IOException, InterruptedException {
    LocalFolder folder = LocalFolder.create();
    try {
      PreviousVectors.write(folder.location());
      LeastHeap ours = LeastHeap.of(WritePreviousHeap.class, "ours", folder.location());
      LeastHeap iceberg = LeastHeap.of(WritePreviousHeap.class, "iceberg", folder.location());
      return ours.linesBeside(iceberg, "write-previous-heap 2000x100000+100");
    } finally {
      folder.delete();
    }
  }

  /** Does the job in this JVM: by {@code ours} or {@code iceberg}, on the table in a folder. */
  public static void main(String[] arguments) {
    HeapPeak peak = HeapPeak.watched();
    Workload workload = PreviousVectors.workload(arguments[1]);
    long rows =
        arguments[0].equals("ours")
            ? OurWriting.rows(new OurWriting(workload).written())
            : IcebergWriting.rows(new IcebergWriting(workload).written());
    System.out.println(LeastHeap.report(peak, rows));
  }
}
