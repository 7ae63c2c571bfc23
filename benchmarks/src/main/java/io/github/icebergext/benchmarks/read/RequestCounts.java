package io.github.icebergext.benchmarks.read;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutionException;

/**
 * What both libraries ask of an object store, counted instead of timed. The store answers faster
 * than the one that is timed, which changes how long the count takes and nothing else.
 */
public final class RequestCounts {
  private static final Duration FIRST_BYTE = Duration.ofMillis(2);

  private RequestCounts() {}

  /** Returns lines in the form of those that compare times. */
  public static List<String> lines() throws IOException, InterruptedException, ExecutionException {
    List<String> lines = new ArrayList<>();
    lines.addAll(lines("read-1000-in-10 2kb", vectors(10, 100, Vectors.FEW_DELETED_ROWS)));
    lines.addAll(lines("read-10000-in-100 2kb", vectors(100, 100, Vectors.FEW_DELETED_ROWS)));
    lines.addAll(lines("read-1000-large 126kb", vectors(10, 100, Vectors.MANY_DELETED_ROWS)));
    lines.addAll(lines("read-one 1", vectors(1, 1, Vectors.FEW_DELETED_ROWS)));
    lines.addAll(lines("read-one 50", vectors(1, 50, Vectors.FEW_DELETED_ROWS).onlyFirst()));
    return lines;
  }

  private static Vectors vectors(int files, int vectorsPerFile, int deletedRows) {
    return Vectors.of("s3://bucket/", files, vectorsPerFile, deletedRows);
  }

  private static List<String> lines(String benchmark, Vectors vectors)
      throws IOException, InterruptedException, ExecutionException {
    Traffic ours = ours(vectors);
    Traffic iceberg = iceberg(vectors);
    String name = "beside " + benchmark;
    return List.of(
        line(name, "requests", ours.requests(), iceberg.requests()),
        line(name, "bytes", ours.bytes(), iceberg.bytes()),
        line(name, "lengths", ours.lengths(), iceberg.lengths()),
        line(name, "most-requests-at-once", ours.mostUnderWay(), iceberg.mostUnderWay()));
  }

  private static Traffic ours(Vectors vectors) throws IOException {
    SimulatedStore store = SimulatedStore.withFirstByteAfter(FIRST_BYTE, vectors.files());
    try (Readers readers = new Readers(store, vectors.entries())) {
      readers.ours();
    }
    return store.traffic();
  }

  private static Traffic iceberg(Vectors vectors) throws InterruptedException, ExecutionException {
    SimulatedStore store = SimulatedStore.withFirstByteAfter(FIRST_BYTE, vectors.files());
    try (Readers readers = new Readers(store, vectors.entries())) {
      readers.iceberg();
    }
    return store.traffic();
  }

  private static String line(String name, String counted, long ours, long iceberg) {
    return String.format(
        Locale.ROOT,
        "%s %s %d %d %.3f",
        name,
        counted,
        ours,
        iceberg,
        (double) iceberg / Math.max(ours, 1));
  }
}
