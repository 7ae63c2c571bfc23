package io.github.icebergext.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.dv.read.DeletionVectorReader;
import io.github.icebergext.dv.table.LiveDeletes;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileMetadata;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.hadoop.HadoopTables;
import org.apache.iceberg.io.CloseableIterable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DeleteCommandTest {
  @TempDir Path folder;
  private DemoWarehouse warehouse;
  private Table table;
  private DataFile rows;
  private long appended;

  @BeforeEach
  void createTable() {
    warehouse = new DemoWarehouse(folder.resolve("demo"));
    table = warehouse.createTable();
    rows = warehouse.append(table, 100);
    appended = table.currentSnapshot().snapshotId();
  }

  @AfterEach
  void close() {
    warehouse.close();
  }

  /** Returns a file of lines in which {@code $} stands for the data file. */
  private Path lines(String... lines) {
    String text = String.join("\n", lines).replace("$", rows.location()) + "\n";
    return TestFiles.write(folder.resolve("rows.csv"), text.getBytes(StandardCharsets.UTF_8));
  }

  private CommandRun delete(Object file, Object... options) {
    List<Object> args = new ArrayList<>(List.of("delete", "--where-positions", file));
    args.addAll(List.of("--catalog-name", DemoWarehouse.CATALOG_NAME, "--catalog-property"));
    warehouse.catalogProperties().forEach((key, value) -> args.add(key + "=" + value));
    args.addAll(List.of(options));
    args.add("db.events");
    CommandRun run = CommandRun.of(args.toArray());
    table.refresh();
    return run;
  }

  /** Returns the ids that Iceberg's reader finds; the id of a row is its position. */
  private static Set<Long> ids(IcebergGenerics.ScanBuilder scan) {
    Set<Long> ids = new TreeSet<>();
    try (CloseableIterable<Record> records = scan.select("id").build()) {
      records.forEach(row -> ids.add((Long) row.getField("id")));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return ids;
  }

  private static Set<Long> idsWithout(long... deleted) {
    Set<Long> ids = new TreeSet<>();
    for (long id = 0; id < 100; id++) {
      ids.add(id);
    }
    for (long id : deleted) {
      ids.remove(id);
    }
    return ids;
  }

  private List<Path> puffins() {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(file -> file.toString().endsWith(".puffin")).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void assertNothingWasWritten() {
    assertThat(puffins()).isEmpty();
    assertThat(table.currentSnapshot().snapshotId()).isEqualTo(appended);
  }

  @Test
  void rowsAreGoneForIcebergsReader() {
    CommandRun run = delete(lines("$,3", "$,99", "$,0", "$,3"));

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(ids(IcebergGenerics.read(table))).isEqualTo(idsWithout(0, 3, 99));
    assertThat(run.out())
        .contains("  branch      main\n")
        .contains("  snapshot    " + table.currentSnapshot().snapshotId() + ", ")
        .contains("  deleted     3 rows in 1 data file\n")
        .contains("  data/rows.parquet   100    3        3  3.0%  data/deletes-");
  }

  @Test
  void jsonNamesTheVectorOfEachDataFile() {
    DataFile other = dataFile("other.parquet", 2);
    table.newAppend().appendFile(other).commit();

    CommandRun run =
        delete(lines("$,5", other.location() + ",0", other.location() + ",1"), "--json");

    assertThat(run.exitCode()).as(run.err()).isZero();
    JsonNode json = run.json();
    assertThat(json.path("table").asText()).isEqualTo("db.events");
    assertThat(json.path("branch").asText()).isEqualTo("main");
    assertThat(json.path("dryRun").asBoolean()).isFalse();
    assertThat(json.path("snapshotId").asLong()).isEqualTo(table.currentSnapshot().snapshotId());
    assertThat(json.path("givenRows").asLong()).isEqualTo(3);
    assertThat(json.path("newlyDeletedRows").asLong()).isEqualTo(3);
    assertThat(json.path("dataFiles")).hasSize(2);
    assertDeleted(json.path("dataFiles").get(0), rows, 1, false);
    assertDeleted(json.path("dataFiles").get(1), other, 2, true);
  }

  private void assertDeleted(JsonNode json, DataFile dataFile, long deleted, boolean all) {
    DeleteFile live = LiveDeletes.of(table).vector(dataFile.location()).orElseThrow();
    assertThat(json.path("dataFile").asText()).isEqualTo(dataFile.location());
    assertThat(json.path("dataFileRecordCount").asLong()).isEqualTo(dataFile.recordCount());
    assertThat(json.path("newlyDeletedRows").asLong()).isEqualTo(deleted);
    assertThat(json.path("deletedRows").asLong()).isEqualTo(deleted);
    assertThat(json.path("allRowsDeleted").asBoolean()).isEqualTo(all);
    JsonNode vector = json.path("vector");
    assertThat(vector.path("location").asText()).isEqualTo(live.location());
    assertThat(vector.path("contentOffset").asLong()).isEqualTo(live.contentOffset());
    assertThat(vector.path("contentSizeInBytes").asLong()).isEqualTo(live.contentSizeInBytes());
    assertThat(vector.path("recordCount").asLong()).isEqualTo(deleted);
  }

  private static DataFile dataFile(String location, long rows) {
    return DataFiles.builder(PartitionSpec.unpartitioned())
        .withPath(location)
        .withFormat(FileFormat.PARQUET)
        .withFileSizeInBytes(100)
        .withRecordCount(rows)
        .build();
  }

  @Test
  void earlierDeletesStay() {
    delete(lines("$,3", "$,4"));

    CommandRun run = delete(lines("$,4", "$,5"));

    assertThat(ids(IcebergGenerics.read(table))).isEqualTo(idsWithout(3, 4, 5));
    assertThat(LiveDeletes.of(table).vectors()).hasSize(1);
    assertThat(run.out())
        .contains("  deleted     1 row in 1 data file; 1 more were deleted already\n");
  }

  @Test
  void rowsThatAreAllDeletedAlreadyMakeNoSnapshot() {
    delete(lines("$,3"));
    long before = table.currentSnapshot().snapshotId();

    CommandRun run = delete(lines("$,3"));

    assertThat(run.exitCode()).isZero();
    assertThat(run.out())
        .contains("  snapshot    none made, as there is nothing to delete\n")
        .contains("  deleted     0 rows in 1 data file; 1 more were deleted already\n");
    assertThat(table.currentSnapshot().snapshotId()).isEqualTo(before);
    assertThat(puffins()).hasSize(1);
  }

  @Test
  void headerQuotesAndCommentsAreRead() {
    CommandRun run = delete(lines("data file,position", "# of today", "", "\"$\",\"7\"", "$, 8 "));

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(ids(IcebergGenerics.read(table))).isEqualTo(idsWithout(7, 8));
  }

  @Test
  void emptyFileDeletesNothing() {
    CommandRun run = delete(lines("data file,position"));

    assertThat(run.exitCode()).isZero();
    assertThat(run.out()).endsWith("  deleted     0 rows in 0 data files\n");
    assertNothingWasWritten();
  }

  @Test
  void standardInputIsRead() {
    InputStream before = System.in;
    System.setIn(
        new ByteArrayInputStream((rows.location() + ",7").getBytes(StandardCharsets.UTF_8)));
    try {
      assertThat(delete("-").exitCode()).isZero();
    } finally {
      System.setIn(before);
    }
    assertThat(ids(IcebergGenerics.read(table))).isEqualTo(idsWithout(7));
  }

  // What diff prints is a file of positions.
  @Test
  void positionsThatDiffPrintsAreDeleted() {
    delete(lines("$,3", "$,40"));
    long deleted = table.currentSnapshot().snapshotId();
    table.manageSnapshots().rollbackTo(appended).commit();
    CommandRun diff =
        CommandRun.of("diff", table.location(), "--from", appended, "--to", deleted, "--positions");
    Path file =
        TestFiles.write(folder.resolve("diff.tsv"), diff.out().getBytes(StandardCharsets.UTF_8));

    assertThat(delete(file).exitCode()).isZero();

    assertThat(ids(IcebergGenerics.read(table))).isEqualTo(idsWithout(3, 40));
  }

  @Test
  void dryRunWritesNothing() {
    CommandRun run = delete(lines("$,3", "$,4"), "--dry-run");

    assertThat(run.exitCode()).isZero();
    assertThat(run.out())
        .contains("  snapshot    none made, as this is a dry run\n")
        .contains("  to delete   2 rows in 1 data file\n")
        .contains("  data/rows.parquet   100    2        2  2.0%  -\n");
    JsonNode json = delete(lines("$,3", "$,4"), "--dry-run", "--json").json();
    assertThat(json.path("dryRun").asBoolean()).isTrue();
    assertThat(json.has("snapshotId")).isFalse();
    assertThat(json.path("dataFiles").get(0).path("deletedRows").asLong()).isEqualTo(2);
    assertThat(json.path("dataFiles").get(0).has("vector")).isFalse();
    assertNothingWasWritten();
  }

  @Test
  void branchIsReadAndCommittedTo() {
    table.manageSnapshots().createBranch("b").commit();
    delete(lines("$,3"));

    CommandRun run = delete(lines("$,4"), "--branch", "b", "--json");

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.json().path("branch").asText()).isEqualTo("b");
    assertThat(run.json().path("snapshotId").asLong()).isEqualTo(table.snapshot("b").snapshotId());
    assertThat(ids(IcebergGenerics.read(table))).isEqualTo(idsWithout(3));
    assertThat(positions(LiveDeletes.of(table, table.snapshot("b"))))
        .isEqualTo(DeletedPositions.of(4));
  }

  private DeletedPositions positions(LiveDeletes live) {
    return DeletionVectorReader.of(table).read(live.vector(rows.location()).orElseThrow());
  }

  @Test
  void branchThatIsNoneIsAnError() {
    table.manageSnapshots().createTag("t", appended).commit();

    assertThat(delete(lines("$,4"), "--branch", "b").err())
        .isEqualTo("icedv: db.events: has no branch b\n");
    assertThat(delete(lines("$,4"), "--branch", "t").exitCode()).isEqualTo(2);
    assertNothingWasWritten();
  }

  // Each with a line before it that is fine.
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "$|expected a data file and a position but found 1 field",
        "$,1,2|expected a data file and a position but found 3 fields; a location with a comma has"
            + " to be in quotes",
        "$,x|expected the position of a row but was 'x'",
        "$,|expected the position of a row but was ''",
        "$,-1|expected the position of a row but was '-1'",
        "$,1.0|expected the position of a row but was '1.0'",
        "$,9999999999999999999|expected the position of a row but was '9999999999999999999'",
        "$,100|no row at position 100 of $, which has 100 rows",
        "/gone.parquet,1|no live data file of the snapshot is /gone.parquet",
        "file://$,1|no live data file of the snapshot is file://$; one is spelled $",
      })
  void wrongLineIsNamedAndNothingWritten(String line, String message) {
    Path file = lines("$,1", "", line);

    CommandRun run = delete(file);

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.out()).isEmpty();
    assertThat(run.err())
        .isEqualTo("icedv: " + file + ", line 3: " + message.replace("$", rows.location()) + "\n");
    assertNothingWasWritten();
  }

  @Test
  void positionBeyondAllIsAnErrorOfItsLine() {
    CommandRun run = delete(lines("$,1", "$,9223372036854775807"));

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).contains("rows.csv, line 2: ").contains("9223372036854775807");
    assertNothingWasWritten();
  }

  @Test
  void quoteThatIsNotClosedIsAnErrorOfItsLine() {
    CommandRun run = delete(lines("$,1", "", "\"$,1"));

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).contains("rows.csv: is no CSV: (startline 3) ");
    assertNothingWasWritten();
  }

  // What icedv diff --positions prints.
  @Test
  void tabsSeparateWhereTheyComeFirst() {
    assertThat(delete(lines("# rows", "data file\tposition", "$\t3", "\"$\"\t0")).exitCode())
        .isZero();

    table.refresh();
    assertThat(ids(IcebergGenerics.read(table))).isEqualTo(idsWithout(0, 3));
  }

  @Test
  void fileThatIsNoTextIsAnError() {
    Path file = TestFiles.write(folder.resolve("x.csv"), new byte[] {'a', (byte) 0xff, ',', '1'});

    CommandRun run = delete(file);

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).isEqualTo("icedv: " + file + ": is not UTF-8\n");
    assertThat(delete(folder).err())
        .isEqualTo("icedv: " + folder + ": cannot be read: Is a directory\n");
    assertThat(delete(folder.resolve("no.csv")).err())
        .isEqualTo("icedv: " + folder.resolve("no.csv") + ": no such file\n");
  }

  @Test
  void tableOfVersionTwoIsAnError() {
    Table old = hadoopTable("2");

    CommandRun run =
        CommandRun.of("delete", "--where-positions", lines("$,1"), old.location(), "--dry-run");

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err())
        .isEqualTo(
            "icedv: " + old.location() + ": is of format version 2, and deletion vectors need 3\n");
  }

  private Table hadoopTable(String formatVersion) {
    Table hadoop =
        new HadoopTables(new Configuration())
            .create(
                table.schema(),
                PartitionSpec.unpartitioned(),
                Map.of("format-version", formatVersion),
                folder.resolve("hadoop").toString());
    hadoop.newAppend().appendFile(rows).commit();
    return hadoop;
  }

  @Test
  void countIsABoundWherePositionDeleteFilesApply() {
    Table hadoop = hadoopTable("2");
    hadoop
        .newRowDelta()
        .addDeletes(
            FileMetadata.deleteFileBuilder(PartitionSpec.unpartitioned())
                .ofPositionDeletes()
                .withFormat(FileFormat.PARQUET)
                .withPath(hadoop.location() + "/data/deletes.parquet")
                .withFileSizeInBytes(100)
                .withRecordCount(1)
                .build())
        .commit();
    hadoop.updateProperties().set("format-version", "3").commit();

    CommandRun run =
        CommandRun.of("delete", "--where-positions", lines("$,1"), hadoop.location(), "--dry-run");

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out()).contains("  to delete   at most 1 row in 1 data file\n");
  }

  @Test
  void firstLineThatIsNoHeaderIsARow() {
    assertThat(delete(lines("$,x")).err())
        .contains("line 1: expected the position of a row but was 'x'");
    assertThat(delete(lines("rows,1")).err())
        .contains("line 1: no live data file of the snapshot is rows");
    assertNothingWasWritten();
  }

  @Test
  void hadoopTableIsCommittedToByItsFolder() {
    Table hadoop = hadoopTable("3");

    CommandRun run = CommandRun.of("delete", "--where-positions", lines("$,1"), hadoop.location());

    assertThat(run.exitCode()).as(run.err()).isZero();
    hadoop.refresh();
    assertThat(ids(IcebergGenerics.read(hadoop))).isEqualTo(idsWithout(1));
  }

  @Test
  void hadoopTableInAnotherFolderThanItSaysIsNotCommittedTo() throws IOException {
    Table hadoop = hadoopTable("3");
    Path moved = folder.resolve("moved");
    Files.move(Path.of(hadoop.location()), moved);

    CommandRun run = CommandRun.of("delete", "--where-positions", lines("$,1"), moved);

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err())
        .isEqualTo(
            "icedv: "
                + moved
                + ": cannot be committed to: the table says that it is at "
                + hadoop.location()
                + "\n");
    assertThat(puffins()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "/metadata/version-hint.text", "/nothing"})
  void tableOfACatalogNeedsItsCatalog(String path) {
    CommandRun run =
        CommandRun.of("delete", "--where-positions", lines("$,1"), table.location() + path);

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err())
        .isEqualTo(
            "icedv: "
                + table.location()
                + path
                + ": cannot be committed to: it is not the folder of a Hadoop table; the table of a"
                + " catalog needs --catalog-property\n");
    assertNothingWasWritten();
  }

  @Test
  void metadataFileAndRelocationAreOnlyForReading() {
    Table hadoop = hadoopTable("3");
    String metadata = hadoop.location() + "/metadata/v2.metadata.json";

    assertThat(CommandRun.of("delete", "--where-positions", lines("$,1"), metadata).err())
        .contains(metadata + ": cannot be committed to: ");
    assertThat(delete(lines("$,1"), "--relocate", "a=b").err())
        .isEqualTo("icedv: db.events: cannot be committed to: it is relocated\n");
    assertNothingWasWritten();
  }

  @Test
  void fileOfPositionsIsRequired() {
    CommandRun run = CommandRun.of("delete", "t");

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).contains("--where-positions").contains("(see icedv delete --help)");
  }
}
