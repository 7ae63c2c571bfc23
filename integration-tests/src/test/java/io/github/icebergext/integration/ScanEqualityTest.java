package io.github.icebergext.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.icebergext.dv.read.DeletionVectorReader;
import io.github.icebergext.dv.read.ForeignContainerPolicy;
import io.github.icebergext.dv.scan.LiveRowCount;
import io.github.icebergext.dv.scan.ScanDeletes;
import io.github.icebergext.testing.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.io.CloseableIterable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every snapshot of every table that others left has the same rows through our vectors as through
 * Iceberg's generic reader, and no more than are counted from metadata.
 */
class ScanEqualityTest {
  private static final long MOST_ROWS = 100_000;
  private static final Path SPARK = Path.of("spark-3.5.9-iceberg-1.12.0");

  @ParameterizedTest
  @MethodSource("tables")
  void rowsAreThoseThatIcebergReads(NamedTable named) throws IOException {
    for (Snapshot snapshot : snapshots(named.table())) {
      compare(named.table(), snapshot.snapshotId());
    }
  }

  /** Of a table of many rows only the current snapshot is read, for the sake of time. */
  private static Iterable<Snapshot> snapshots(Table table) {
    Snapshot current = table.currentSnapshot();
    long rows = Long.parseLong(current.summary().getOrDefault("total-records", "0"));
    return rows > MOST_ROWS ? List.of(current) : table.snapshots();
  }

  static void compare(Table table, long snapshotId) throws IOException {
    ScanRows rows = new ScanRows(table, snapshotId);
    Map<List<Object>, Integer> expected = rows.byIceberg();
    assertSame(rows.byPosition(lenient(table)), expected);
    assertSame(rows.byDeleteFilter(), expected);
    assertCount(table, snapshotId, expected.values().stream().mapToLong(i -> i).sum());
  }

  /** Takes bare vectors too, which one of the tables has. */
  private static ScanDeletes lenient(Table table) {
    return ScanDeletes.builder(table)
        .withVectorReader(
            DeletionVectorReader.builder(table)
                .withForeignContainers(ForeignContainerPolicy.ALLOW)
                .build())
        .build();
  }

  /** Says which rows differ, not what all of them are. */
  private static void assertSame(
      Map<List<Object>, Integer> actual, Map<List<Object>, Integer> expected) {
    if (!actual.equals(expected)) {
      Map<List<Object>, Integer> difference = new HashMap<>(actual);
      expected.forEach((row, count) -> difference.merge(row, -count, Integer::sum));
      difference.values().removeIf(count -> count == 0);
      assertThat(difference).as("rows that are too many, or too few").isEmpty();
    }
  }

  private static void assertCount(Table table, long snapshotId, long expected) throws IOException {
    try (CloseableIterable<FileScanTask> tasks =
        table.newScan().useSnapshot(snapshotId).planFiles()) {
      LiveRowCount count = LiveRowCount.of(tasks);
      if (count.exact()) {
        assertThat(count.rows()).isEqualTo(expected);
      } else {
        assertThat(count.rows()).isGreaterThanOrEqualTo(expected);
      }
    }
  }

  @Test
  void tablesOfFourWritersHaveDeletes() throws IOException {
    List<String> withDeletes = new ArrayList<>();
    for (NamedTable named : tables()) {
      if (hasDeletes(named.table())) {
        withDeletes.add(named.name().replaceFirst("/metadata/[^/]*$", ""));
      }
    }
    assertThat(withDeletes)
        .contains(
            "tables/iceberg-cxx/dangling_deletes",
            "tables/iceberg-cxx/granular_deletes",
            "tables/impala/iceberg_v3_deletion_vectors",
            "orc",
            "part",
            "shapes",
            "unpart",
            "upgraded",
            "v2pos")
        .anyMatch(name -> name.endsWith("legacy_bare_deletion_vector"));
  }

  private static boolean hasDeletes(Table table) {
    for (Snapshot snapshot : table.snapshots()) {
      if (!snapshot.deleteManifests(table.io()).isEmpty()) {
        return true;
      }
    }
    return false;
  }

  static List<NamedTable> tables() throws IOException {
    List<NamedTable> tables = new ArrayList<>();
    for (CorpusTablesTest.CorpusTable table : CorpusTablesTest.tables()) {
      tables.add(new NamedTable(table.toString(), table.open()));
    }
    Path warehouse = TestData.tables().resolve(SPARK);
    try (Stream<Path> folders = Files.list(warehouse.resolve("db"))) {
      for (Path folder : folders.sorted().toList()) {
        String name = folder.getFileName().toString();
        tables.add(new NamedTable(name, SparkTablesTest.open(warehouse, name)));
      }
    }
    return tables;
  }

  record NamedTable(String name, Table table) {
    @Override
    public String toString() {
      return name;
    }
  }
}
