package io.github.icebergext.integration;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.dv.table.LiveDeletes;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.jdbc.JdbcCatalog;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A table whose writer was killed reads as before or after its commit, and whoever comes next goes
 * on from there. Kills at random {@code kills} times, 3 by default; each time starts a JVM.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class KilledWriterTest {
  private static final int KILLS = Integer.getInteger("kills", 3);

  /** Where a killed writer has not committed its round, and where it has. */
  private static final List<String> BEFORE =
      List.of("create .puffin", "write .puffin", "close .puffin", "close .avro", "before catalog");

  private static final String AFTER = "after catalog";

  @TempDir private Path folder;
  private long rounds;

  @BeforeEach
  void createTable() throws IOException {
    try (JdbcCatalog catalog = KilledWriter.catalog(folder)) {
      catalog.createNamespace(Namespace.of("db"));
      Table table =
          catalog.createTable(
              KilledWriter.NAME,
              new Schema(Types.NestedField.required(1, "id", Types.LongType.get())),
              PartitionSpec.unpartitioned(),
              Map.of(TableProperties.FORMAT_VERSION, "3"));
      KilledWriter.DATA_FILES.forEach(name -> StoredTable.append(table, name, KilledWriter.ROWS));
    }
  }

  @Test
  void aTableReadsAsBeforeOrAfter() throws Exception {
    for (String moment : BEFORE) {
      killAt(moment);
      assertThat(completeRounds()).as(moment).isEqualTo(rounds);
    }
    killAt(AFTER);
    assertThat(completeRounds()).isEqualTo(rounds + 1);
    rounds++;
    // Only those of which the Puffin file had been begun left one.
    assertThat(leftovers()).hasSize(BEFORE.size());
  }

  @Test
  void aWriterIsKilledAtAnyTime() throws Exception {
    Random random = new Random(5);
    for (int kill = 0; kill < KILLS; kill++) {
      Process writer = start("");
      try (BufferedReader said = writer.inputReader(UTF_8)) {
        assertThat(said.readLine()).as(errors()).isEqualTo(KilledWriter.COMMITTED);
        rounds++;
        // Whatever it does by then.
        boolean exited = writer.waitFor(random.nextInt(200), TimeUnit.MILLISECONDS);
        assertThat(exited).as(errors()).isFalse();
        kill(writer);
        rounds += said.lines().filter(KilledWriter.COMMITTED::equals).count();
      }
      // A commit may have been made that was not said any more.
      long complete = completeRounds();
      assertThat(complete).isBetween(rounds, rounds + 1);
      rounds = complete;
    }
  }

  private void killAt(String moment) throws IOException, InterruptedException {
    Process writer = start(moment);
    try (BufferedReader said = writer.inputReader(UTF_8)) {
      assertThat(said.readLine()).as(errors()).isEqualTo(KilledWriter.WAITING);
      kill(writer);
    }
  }

  private static void kill(Process writer) throws InterruptedException {
    // Process itself would close what is still to be read.
    writer.toHandle().destroyForcibly();
    // 128 and the number of the signal
    assertThat(writer.waitFor(30, TimeUnit.SECONDS)).isTrue();
    assertThat(writer.exitValue()).isEqualTo(128 + 9);
  }

  private Process start(String moment) throws IOException {
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx256m",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            KilledWriter.class.getName(),
            folder.toString(),
            moment);
    Process writer =
        new ProcessBuilder(command).redirectError(folder.resolve("errors").toFile()).start();
    // Nothing interrupts who waits for its next line, and its end does.
    CompletableFuture.delayedExecutor(60, TimeUnit.SECONDS).execute(writer::destroyForcibly);
    return writer;
  }

  private String errors() throws IOException {
    return Files.readString(folder.resolve("errors"));
  }

  /** Returns how many rounds are in the table, each in all data files or in none. */
  private long completeRounds() throws IOException {
    try (JdbcCatalog catalog = KilledWriter.catalog(folder)) {
      Table table = catalog.loadTable(KilledWriter.NAME);
      assertThat(LiveDeletes.of(table).danglingVectors()).isEmpty();
      long complete = 0;
      for (Snapshot snapshot : table.snapshots()) {
        complete = completeRounds(StoredTable.deleted(table, snapshot));
      }
      return complete;
    }
  }

  private static long completeRounds(Map<String, DeletedPositions> deleted) {
    if (deleted.isEmpty()) {
      return 0;
    }
    assertThat(deleted).hasSameSizeAs(KilledWriter.DATA_FILES);
    long rows = deleted.values().iterator().next().cardinality();
    assertThat(rows % KilledWriter.ROWS_A_ROUND).isZero();
    assertThat(deleted.values())
        .allSatisfy(
            positions -> {
              assertThat(positions.cardinality()).isEqualTo(rows);
              assertThat(positions.isFullyDeleted(0, rows)).isTrue();
            });
    return rows / KilledWriter.ROWS_A_ROUND;
  }

  /** Returns the Puffin files that no snapshot refers to. */
  private Set<String> leftovers() throws IOException {
    try (JdbcCatalog catalog = KilledWriter.catalog(folder);
        Stream<Path> files = Files.walk(folder)) {
      Set<String> puffins =
          files
              .map(Path::toString)
              .filter(file -> file.endsWith(".puffin"))
              .collect(Collectors.toCollection(TreeSet::new));
      Set<String> referenced = StoredTable.puffins(catalog.loadTable(KilledWriter.NAME));
      assertThat(puffins).containsAll(referenced);
      puffins.removeAll(referenced);
      return puffins;
    }
  }
}
