package io.github.icebergext.benchmarks.read;

import io.github.icebergext.dv.read.DeletionVectorReader;
import io.github.icebergext.dv.read.ReadListener;
import io.github.icebergext.dv.read.ReadVector;
import io.github.icebergext.puffin.ByteRange;
import io.github.icebergext.puffin.PuffinLimits;
import java.io.BufferedReader;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.io.CloseableIterable;

/**
 * The most bytes that were asked for and not yet handed out, and the most that the heap held after
 * a collection, while 100,000 vectors of 16 KB, 1.6 GB in all, are read with a heap of 256 MB from
 * a store that answers at once. Counted outside the reader.
 */
public final class BytesInFlight {
  private static final int FILES = 1_000;
  private static final int VECTORS_PER_FILE = 100;
  private static final int DELETED_ROWS = 8_000;
  private static final String MAX_HEAP = "-Xmx256m";

  /** A collection of garbage takes longer than reading a vector. */
  private static final int VECTORS_PER_COLLECTION = 2_500;

  private BytesInFlight() {}

  /** Returns lines in the form of those that compare times, with limits for Iceberg's figures. */
  public static List<String> lines() throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                System.getProperty("java.home") + "/bin/java",
                MAX_HEAP,
                "-cp",
                System.getProperty("java.class.path"),
                BytesInFlight.class.getName())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    List<String> lines;
    try (BufferedReader output = process.inputReader()) {
      lines = output.lines().toList();
    }
    if (process.waitFor() != 0) {
      throw new IllegalStateException("Cannot read with " + MAX_HEAP + ", see above");
    }
    return lines;
  }

  /** Reads in this JVM and prints the lines. */
  public static void main(String[] arguments) throws IOException {
    long heap = 0;
    Vectors ofOneFile = Vectors.of("s3://bucket/", 1, VECTORS_PER_FILE, DELETED_ROWS);
    Meter meter = new Meter();
    DeletionVectorReader reader =
        DeletionVectorReader.builder(SimulatedStore.withoutDelay(copies(ofOneFile)))
            .withListener(meter)
            .build();
    Iterable<DeleteFile> entries = () -> entries(ofOneFile).iterator();
    try (CloseableIterable<ReadVector> vectors = reader.readAll(entries)) {
      for (ReadVector vector : vectors) {
        if (meter.handedOut(vector.deleteFile()) % VECTORS_PER_COLLECTION == 0) {
          heap = Math.max(heap, heapInUse());
        }
      }
    }
    meter.checkAllHandedOut();
    System.out.println(
        line("bytes-in-flight", meter.peak(), PuffinLimits.defaults().maxBytesInFlight()));
    System.out.println(line("heap-in-use", heap, Runtime.getRuntime().maxMemory()));
  }

  private static String location(int file) {
    return "s3://bucket/%05d.puffin".formatted(file);
  }

  private static Map<String, byte[]> copies(Vectors ofOneFile) {
    byte[] content = ofOneFile.files().values().iterator().next();
    Map<String, byte[]> files = new HashMap<>();
    IntStream.range(0, FILES).forEach(file -> files.put(location(file), content));
    return files;
  }

  /** Makes entries as they are asked for. */
  private static Stream<DeleteFile> entries(Vectors ofOneFile) {
    return IntStream.range(0, FILES)
        .boxed()
        .flatMap(
            file ->
                ofOneFile.entries().stream().map(entry -> Vectors.moved(entry, location(file))));
  }

  /** Adds up the bytes asked for, and takes off again what was handed out. */
  private static final class Meter implements ReadListener {
    private final Map<String, AtomicLong> byFile = new ConcurrentHashMap<>();
    private final AtomicLong inFlight = new AtomicLong();
    private final AtomicLong peak = new AtomicLong();
    private int handedOut;

    @Override
    public void requested(String location, ByteRange range) {
      add(location, range.length());
    }

    private void add(String location, long bytes) {
      ofFile(location).addAndGet(bytes);
      peak.accumulateAndGet(inFlight.addAndGet(bytes), Math::max);
    }

    private AtomicLong ofFile(String location) {
      return byFile.computeIfAbsent(location, key -> new AtomicLong());
    }

    /** Takes off a vector, and all of its file after the last one; returns the count of vectors. */
    int handedOut(DeleteFile entry) {
      handedOut++;
      add(entry.location(), -entry.contentSizeInBytes());
      if (handedOut % VECTORS_PER_FILE == 0) {
        add(entry.location(), -ofFile(entry.location()).get());
      }
      return handedOut;
    }

    void checkAllHandedOut() {
      if (handedOut != FILES * VECTORS_PER_FILE || inFlight.get() != 0) {
        throw new IllegalStateException(handedOut + " vectors, in flight " + inFlight);
      }
    }

    long peak() {
      return peak.get();
    }
  }

  /** Returns what the heap holds without garbage. */
  private static long heapInUse() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  private static String line(String measured, long bytes, long limit) {
    double ratio = (double) limit / bytes;
    return String.format(
        Locale.ROOT,
        "ratio %s 100000 %d %d %.3f %.3f %.3f bytes",
        measured,
        bytes,
        limit,
        ratio,
        ratio,
        ratio);
  }
}
