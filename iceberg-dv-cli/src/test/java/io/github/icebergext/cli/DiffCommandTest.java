package io.github.icebergext.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.github.icebergext.dv.table.LiveDeletes;
import io.github.icebergext.dv.write.DeletionVectorWriter;
import io.github.icebergext.dv.write.PreviousDeletes;
import io.github.icebergext.testing.TestData;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Table;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DiffCommandTest {
  private static final String SPARK = "spark-3.5.9-iceberg-1.12.0";

  @TempDir Path folder;
  private DemoWarehouse warehouse;
  private Table table;
  private DataFile data;
  private long start;

  @BeforeEach
  void createTable() {
    warehouse = new DemoWarehouse(folder);
    table = warehouse.createTable();
    data = warehouse.append(table, 1000);
    start = current();
  }

  @AfterEach
  void close() {
    warehouse.close();
  }

  private long current() {
    return table.currentSnapshot().snapshotId();
  }

  private DeleteFile delete(long startInclusive, long endExclusive) {
    return delete(
        data, PreviousDeletes.of(LiveDeletes.of(table)), startInclusive, endExclusive, true);
  }

  private DeleteFile delete(
      DataFile dataFile,
      PreviousDeletes previous,
      long startInclusive,
      long endExclusive,
      boolean commit) {
    try (DeletionVectorWriter writer = DeletionVectorWriter.of(table, previous)) {
      for (long position = startInclusive; position < endExclusive; position++) {
        writer.delete(dataFile, position);
      }
      var result = writer.flush();
      if (commit) {
        result.applyTo(table.newRowDelta()).commit();
      }
      return result.vectors().get(0).entry();
    }
  }

  private CommandRun diff(Object... options) {
    List<Object> args = new ArrayList<>(List.of("diff", table.location()));
    args.addAll(List.of(options));
    return CommandRun.of(args.toArray());
  }

  @Test
  void newlyDeletedRowsOfEachDataFileAreCounted() {
    delete(10, 20);
    long from = current();
    delete(15, 40);

    CommandRun run = diff("--from", from, "--to", current());

    assertThat(run.exitCode()).isZero();
    assertThat(run.out())
        .contains("  from        " + from + ", delete at ")
        .contains("  to          " + current() + ", delete at ")
        .contains("  deleted     20 rows in 1 data file\n")
        .contains("  data/rows.parquet  rows deleted  1,000       20\n")
        .doesNotContain("history");
  }

  @Test
  void secondSnapshotIsTheCurrentOneUnlessNamed() {
    delete(10, 20);
    long middle = current();
    delete(20, 50);

    assertThat(diff("--json", "--from", start).json().path("deletedRows").asLong()).isEqualTo(40);
    assertThat(diff("--json", "--from", start, "--to", middle).json().path("deletedRows").asLong())
        .isEqualTo(10);
  }

  @Test
  void rangesAreShownOnRequest() {
    delete(10, 20);
    delete(30, 31);
    delete(40, 50);

    assertThat(diff("--from", start).out()).doesNotContain("10–19");
    assertThat(diff("--from", start, "--ranges", 2).out()).contains("10–19  30  … and 1 more\n");
    JsonNode change = diff("--json", "--from", start, "--ranges", 1).json().path("changes").get(0);
    assertThat(change.path("rangeCount").asInt()).isEqualTo(3);
    assertThat(change.path("ranges").toString())
        .isEqualTo("[{\"startInclusive\":10,\"endExclusive\":20}]");
  }

  @Test
  void positionsAreLinesOfTheirOwnOrAJsonArray() {
    delete(10, 12);

    CommandRun lines = diff("--from", start, "--positions");

    assertThat(lines.exitCode()).isZero();
    assertThat(lines.out()).isEqualTo(data.location() + "\t10\n" + data.location() + "\t11\n");
    assertThat(
            diff("--json", "--from", start, "--positions")
                .json()
                .path("changes")
                .get(0)
                .path("positions")
                .toString())
        .isEqualTo("[10,11]");
  }

  @Test
  void jsonNamesTheVectorsOfBothSnapshots() {
    DeleteFile before = delete(10, 12);
    long from = current();
    DeleteFile after = delete(20, 23);

    JsonNode json = diff("--json", "--from", from).json();

    assertThat(json.path("table").asText()).isEqualTo(table.location());
    assertThat(json.path("formatVersion").asInt()).isEqualTo(3);
    assertThat(json.path("fromSnapshotId").asLong()).isEqualTo(from);
    assertThat(json.path("toSnapshotId").asLong()).isEqualTo(current());
    assertThat(json.path("fromIsAncestor").asBoolean()).isTrue();
    assertThat(json.path("changeCount").asInt()).isOne();
    JsonNode change = json.path("changes").get(0);
    assertThat(change.path("dataFile").asText()).isEqualTo(data.location());
    assertThat(change.path("kind").asText()).isEqualTo("ROWS_DELETED");
    assertThat(change.path("dataFileRecordCount").asLong()).isEqualTo(1000);
    assertThat(change.path("deletedRows").asLong()).isEqualTo(3);
    assertVector(change.path("before").path("vector"), before);
    assertVector(change.path("after").path("vector"), after);
    assertThat(change.has("problem")).isFalse();
    assertThat(change.has("positions")).isFalse();
  }

  private static void assertVector(JsonNode json, DeleteFile vector) {
    assertThat(json.path("location").asText()).isEqualTo(vector.location());
    assertThat(json.path("contentOffset").asLong()).isEqualTo(vector.contentOffset());
    assertThat(json.path("contentSizeInBytes").asLong()).isEqualTo(vector.contentSizeInBytes());
    assertThat(json.path("recordCount").asLong()).isEqualTo(vector.recordCount());
  }

  @Test
  void nothingChangedIsSaidInOneLine() {
    delete(10, 12);

    CommandRun run = diff("--from", current());

    assertThat(run.exitCode()).isZero();
    assertThat(run.out()).endsWith("  deleted     no rows\n");
  }

  @Test
  void vectorThatLostDeletedRowsIsAFinding() {
    delete(10, 20);
    DeleteFile old = LiveDeletes.of(table).vectors().get(0);
    long from = current();
    DeleteFile forgetful = delete(data, PreviousDeletes.none(from), 15, 25, false);
    table
        .newRewrite()
        .validateFromSnapshot(from)
        .deleteFile(old)
        .addFile(forgetful, old.dataSequenceNumber())
        .commit();

    CommandRun run = diff("--from", from);

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.out())
        .contains("  deleted     5 rows in 1 data file\n")
        .contains("  restored    5 rows\n")
        .contains("  rows restored  1,000        5         5\n")
        .contains("✗ Deleted rows of data file " + data.location() + " are back: 5 positions");
    JsonNode json = diff("--json", "--from", from).json();
    assertThat(json.path("restoredRows").asLong()).isEqualTo(5);
    assertThat(json.findValuesAsText("reason")).containsExactly("SHRUNK_VECTOR");
    CommandRun positions = diff("--from", from, "--positions");
    assertThat(positions.exitCode()).isEqualTo(1);
    assertThat(positions.out().lines()).hasSize(5);
    assertThat(positions.err()).startsWith("icedv: Deleted rows of data file ").hasLineCount(1);
  }

  // duckdb/duckdb-iceberg#1248, #1322
  @Test
  void vectorInAFileThatIsNoPuffinIsRefusedUnlessItIsAskedFor() {
    DeleteFile bare = TestFiles.bareVector(folder, data.location(), 5, 6);
    table.newRowDelta().addDeletes(bare).commit();

    CommandRun rejected = diff("--from", start);
    CommandRun warned = diff("--from", start, "--foreign", "warn", "--positions");
    CommandRun allowed = diff("--from", start, "--foreign", "allow");

    assertThat(rejected.exitCode()).isEqualTo(2);
    assertThat(rejected.err()).contains("a bare deletion-vector-v1 blob and no Puffin file");
    assertThat(warned.exitCode()).isZero();
    assertThat(warned.out()).hasLineCount(2);
    assertThat(warned.err())
        .startsWith("icedv: warning: " + bare.location() + ": the vector at offset 0 of ")
        .hasLineCount(1);
    assertThat(allowed.exitCode()).isZero();
    assertThat(allowed.out()).contains("  deleted     2 rows in 1 data file\n");
    assertThat(allowed.err()).isEmpty();
    assertThat(
            diff("--json", "--from", start, "--foreign", "warn").json().findValuesAsText("reason"))
        .containsExactly("NOT_PUFFIN");
  }

  @Test
  void goingBackSaysThatTheFirstSnapshotIsNoAncestor() {
    delete(10, 20);

    CommandRun run = diff("--from", current(), "--to", start);

    assertThat(run.exitCode()).isZero();
    assertThat(run.out())
        .contains("  history     the first snapshot is no ancestor of the second")
        .contains("  restored    10 rows\n");
  }

  @Test
  void rewrittenAndRemovedDataFilesAreToldApart() {
    DataFile removed = dataFile("removed.parquet");
    table.newAppend().appendFile(removed).commit();
    long from = current();
    table
        .newRewrite()
        .validateFromSnapshot(from)
        .deleteFile(data)
        .addFile(dataFile("rewritten.parquet"))
        .commit();
    long rewrite = current();
    table.newDelete().deleteFile(removed).commit();

    CommandRun run = diff("--from", from);
    JsonNode changes = diff("--json", "--from", from).json().path("changes");

    assertThat(run.exitCode()).isZero();
    assertThat(run.out()).contains("  also        1 data file removed, 1 data file rewritten\n");
    assertThat(changes)
        .anySatisfy(
            change -> {
              assertThat(change.path("dataFile").asText()).isEqualTo(data.location());
              assertThat(change.path("kind").asText()).isEqualTo("DATA_FILE_REWRITTEN");
              assertThat(change.path("removedBySnapshotId").asLong()).isEqualTo(rewrite);
            })
        .anySatisfy(
            change -> {
              assertThat(change.path("dataFile").asText()).isEqualTo("removed.parquet");
              assertThat(change.path("kind").asText()).isEqualTo("DATA_FILE_REMOVED");
              assertThat(change.path("removedByOperation").asText()).isEqualTo("delete");
            });
  }

  @Test
  void dataFileThatCameWithDeletesIsCountedApart() {
    DataFile added = dataFile("added.parquet");
    DeleteFile vector = delete(added, PreviousDeletes.none(current()), 0, 7, false);
    table.newRowDelta().addRows(added).addDeletes(vector).commit();

    JsonNode json = diff("--json", "--from", start).json();

    assertThat(json.path("deletedRows").asLong()).isZero();
    assertThat(json.path("deletedRowsOfAddedDataFiles").asLong()).isEqualTo(7);
    assertThat(json.path("changes").get(0).path("kind").asText()).isEqualTo("DATA_FILE_ADDED");
    assertThat(diff("--from", start, "--positions").out()).isEmpty();
  }

  @Test
  void twoVectorsOfADataFileAreAFinding() {
    delete(10, 20);
    long from = current();
    DeleteFile second = delete(data, PreviousDeletes.none(from), 15, 25, false);
    table.newRowDelta().addDeletes(second).validateFromSnapshot(from).commit();

    CommandRun run = diff("--json", "--from", from);

    assertThat(run.exitCode()).isEqualTo(1);
    JsonNode change = run.json().path("changes").get(0);
    assertThat(change.path("kind").asText()).isEqualTo("DUPLICATE_VECTORS");
    assertThat(change.path("vectorsBefore")).hasSize(1);
    assertThat(change.path("vectorsAfter")).hasSize(2);
    assertThat(change.path("problem").path("reason").asText()).isEqualTo("DUPLICATE_VECTOR");
  }

  private static DataFile dataFile(String location) {
    return DataFiles.builder(PartitionSpec.unpartitioned())
        .withPath(location)
        .withFormat(FileFormat.PARQUET)
        .withFileSizeInBytes(100)
        .withRecordCount(50)
        .build();
  }

  @Test
  void snapshotThatIsNotThereIsAnError() {
    CommandRun run = diff("--from", 5);

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.out()).isEmpty();
    assertThat(run.err())
        .isEqualTo(
            "icedv: " + table.location() + ": has no snapshot 5, current is " + start + "\n");
    assertThat(diff("--from", start, "--to", 6).err()).contains("has no snapshot 6");
  }

  @Test
  void firstSnapshotHasToBeNamed() {
    CommandRun run = diff();

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).contains("--from").contains("(see icedv diff --help)");
  }

  @Test
  void negativeNumberOfRangesIsAnError() {
    CommandRun run = diff("--from", start, "--ranges", -1);

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).contains("--ranges must not be negative, but is -1");
  }

  // The total of deleted positions that Spark gave each snapshot, the second less the first.
  @ParameterizedTest
  @CsvSource({
    "part,97455630524866644,962383652434469726,1800",
    "part,6194295909269964163,962383652434469726,514",
    "unpart,1105589534776556819,6912735014242861445,1504",
    "unpart,141579631021638769,6912735014242861445,3",
    "shapes,6171042519458184285,5835420313952250849,322535",
    "orc,8856758038322589785,580280697109266457,250",
  })
  void deletedRowsOfSparkTablesAreAsManyAsSparkCounted(
      String name, long from, long to, long expected) {
    JsonNode json = sparkTable(name, from, to, "--json").json();

    assertThat(json.path("fromIsAncestor").asBoolean()).isTrue();
    assertThat(json.path("restoredRows").asLong()).isZero();
    assertThat(
            json.path("deletedRows").asLong() + json.path("deletedRowsOfAddedDataFiles").asLong())
        .isEqualTo(expected);
  }

  @Test
  void rowsThatPositionDeleteFilesDeletedAreSaidToBeMissingInTheCount() {
    CommandRun run = sparkTable("upgraded", 4923098709222310610L, 3902976581194276087L);

    assertThat(run.exitCode()).isZero();
    assertThat(run.out())
        .contains(
            "  deleted     121 rows in 1 data file, those of position-delete files not counted\n")
        .contains("  also        3 data files with other position deletes\n");
  }

  private static CommandRun sparkTable(String name, long from, long to, Object... options) {
    Path spark = TestData.tables().resolve(SPARK);
    List<Object> args = new ArrayList<>(List.of("diff", spark.resolve("db/" + name)));
    args.addAll(List.of("--relocate", "file:/warehouse=" + spark));
    args.addAll(List.of("--from", from, "--to", to));
    args.addAll(List.of(options));
    return CommandRun.of(args.toArray());
  }

  @Test
  void copiedTableWithoutRelocationSaysWhatToAdd() {
    Path copied = TestData.tables().resolve(SPARK).resolve("db/unpart");

    CommandRun run = CommandRun.of("diff", copied, "--from", 1105589534776556819L);

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).contains("add --relocate file:///warehouse/db/unpart=" + copied);
  }
}
