package io.github.icebergext.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.github.icebergext.dv.write.UnchangedVectorPolicy;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.iceberg.Table;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * All that works on a table, at once and for long: nothing is lost, nothing comes back, every file
 * that the table needs exists, and no other is left.
 *
 * <p>Takes {@code soak.seconds}, 20 by default. With {@code soak.guard=false} the test is another
 * one: that without the guard a table breaks.
 */
class SoakTest {
  private static final long SECONDS = Long.getLong("soak.seconds", 20);
  private static final long SEED = Long.getLong("soak.seed", System.nanoTime());

  /** Runs of fewer seconds do not tell whether the heap grows. */
  private static final long SECONDS_FOR_HEAP = 120;

  private static final double MOST_GROWTH = 1.5;
  private static final int DATA_FILES = 30;

  @TempDir private Path folder;

  private final Random random = new Random(SEED);
  private long heapEarly;
  private long heapNow;

  /** As long as {@code soak.seconds} asks. */
  @Test
  @Timeout(value = 2, unit = TimeUnit.HOURS)
  @DisabledIfSystemProperty(named = "soak.guard", matches = "false")
  void nothingIsLostAndNothingIsLeft() throws Exception {
    soak(SoakExpiry.Way.GUARD, SoakExpiry.Way.GUARD_AS_DELETE_WITH);
  }

  /** If this fails, Iceberg has mended its expiry, or the soak has become too gentle. */
  @Test
  @EnabledIfSystemProperty(named = "soak.guard", matches = "false")
  void withoutTheGuardItFails() {
    Throwable failure = catchThrowable(() -> soak(SoakExpiry.Way.WITHOUT_GUARD));

    assertThat(failure).hasStackTraceContaining(".puffin");
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      System.out.println(cause);
    }
  }

  private void soak(SoakExpiry.Way... ways) throws Exception {
    System.out.println("soak.seed=" + SEED);
    try (SoakHistory history = new SoakHistory(historyFile())) {
      SoakTable soak = new SoakTable(Files.createDirectory(folder.resolve("table")), history);
      SoakAppender appender = new SoakAppender(soak, next(), DATA_FILES * SoakAppender.ROWS);
      for (int i = 0; i < DATA_FILES; i++) {
        appender.append(i % SoakTable.PARTITIONS);
      }
      SoakExpiry expiry = new SoakExpiry(soak, ways);
      SoakRun run = new SoakRun(actors(soak, appender, expiry), next());
      SoakCheck check = new SoakCheck(soak, expiry);
      try {
        run.run(
            SECONDS,
            () -> {
              check.run();
              measureHeap(history);
            });
        finish(soak, expiry, check);
      } finally {
        System.out.printf(
            "soak: %.0f s, %s; checks: %d, commits: %d, snapshots at most: %d, files at most: %d,"
                + " kept by the guard: %d, left by Iceberg: %d, heap: %d KiB, early %d KiB%n",
            history.seconds(),
            run,
            check.checks(),
            soak.open().currentSnapshot().sequenceNumber(),
            check.mostSnapshots(),
            check.mostFiles(),
            expiry.kept(),
            expiry.leftByIceberg(),
            heapNow >> 10,
            heapEarly >> 10);
      }
      run.checkAllWorked();
      assertThat(expiry.kept()).as("files that the guard had to keep").isPositive();
    }
  }

  private static Path historyFile() throws IOException {
    return Files.createDirectories(Path.of("target")).resolve("soak-history.log");
  }

  private Random next() {
    return new Random(random.nextLong());
  }

  private List<SoakActor> actors(SoakTable soak, SoakAppender appender, SoakExpiry expiry) {
    return List.of(
        new SoakDeleter("our writer", soak, next(), UnchangedVectorPolicy.WRITE),
        new SoakDeleter("our second writer", soak, next(), UnchangedVectorPolicy.SKIP),
        new SoakIcebergDeleter(soak, next()),
        appender,
        new SoakCompactor(soak, next()),
        new SoakTagger(soak),
        expiry,
        new SoakReader("reader", soak, next()),
        new SoakReader("second reader", soak, next()));
  }

  private void measureHeap(SoakHistory history) {
    if (history.seconds() < SECONDS / 3.0) {
      return;
    }
    MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
    memory.gc();
    heapNow = memory.getHeapMemoryUsage().getUsed();
    if (heapEarly == 0) {
      heapEarly = heapNow;
    }
  }

  /** When everything has expired, nothing is left but what the current snapshot needs. */
  private void finish(SoakTable soak, SoakExpiry expiry, SoakCheck check) throws Exception {
    Table table = soak.open();
    for (String ref : table.refs().keySet()) {
      if (table.refs().get(ref).isTag()) {
        table.manageSnapshots().removeTag(ref).commit();
      }
    }
    expiry.expireAll();
    check.run();
    assertThat(soak.open().snapshots()).hasSize(1);
    if (SECONDS >= SECONDS_FOR_HEAP) {
      assertThat((double) heapNow).as("heap in use").isLessThan(MOST_GROWTH * heapEarly);
    }
  }
}
