package io.github.icebergext.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.github.icebergext.cli.source.MetadataFolder;
import io.github.icebergext.cli.source.Relocations;
import io.github.icebergext.cli.source.Storage;
import io.github.icebergext.dv.maintain.GuardBranch;
import io.github.icebergext.dv.table.LiveDeletes;
import io.github.icebergext.dv.write.DeletionVectorWriter;
import io.github.icebergext.dv.write.FlushedVector;
import io.github.icebergext.testing.TestData;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileMetadata;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Table;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TableCommandTest {
  private static final String SPARK = "spark-3.5.9-iceberg-1.12.0";

  @TempDir Path folder;

  private static CommandRun sparkTable(String table, Object... options) {
    Path warehouse = TestData.tables().resolve(SPARK);
    List<Object> args = new ArrayList<>(List.of("table", warehouse.resolve("db/" + table)));
    args.addAll(List.of("--relocate", "file:/warehouse=" + warehouse));
    args.addAll(List.of(options));
    return CommandRun.of(args.toArray());
  }

  // Live rows are those of the table less what vectors delete, as Spark's own count says, unless
  // other deletes are live as well.
  @ParameterizedTest
  @CsvSource({"unpart,5", "part,24", "upgraded,1", "shapes,4", "orc,1", "v2pos,0"})
  void vectorsOfSparkTablesAreListed(String table, int vectors) {
    CommandRun run = sparkTable(table, "--json");

    assertThat(run.exitCode()).isZero();
    JsonNode json = run.json();
    assertThat(json.path("deletionVectors")).hasSize(vectors);
    for (JsonNode vector : json.path("deletionVectors")) {
      assertThat(vector.path("referencedDataFile").asText()).startsWith("file:");
      assertThat(vector.path("dataFileRecordCount").asLong())
          .isGreaterThanOrEqualTo(vector.path("recordCount").asLong());
      assertShownVectorAgrees(vector);
    }
  }

  /** What the entry says is what the vector itself has. */
  private static void assertShownVectorAgrees(JsonNode vector) {
    String location =
        Relocations.of(Map.of("file:/warehouse", TestData.tables().resolve(SPARK).toString()))
            .apply(vector.path("location").asText());
    JsonNode shown =
        CommandRun.of(
                "show",
                "--json",
                "--offset",
                vector.path("contentOffset"),
                "--length",
                vector.path("contentSizeInBytes"),
                location)
            .json();
    assertThat(shown.path("cardinality")).isEqualTo(vector.path("recordCount"));
    assertThat(shown.path("lastPosition").asLong())
        .isLessThan(vector.path("dataFileRecordCount").asLong());
  }

  @ParameterizedTest
  @CsvSource({"unpart", "part", "upgraded", "shapes", "orc", "v2pos"})
  void vectorsOfSparkTablesPassTheFullCheck(String table) {
    CommandRun run = sparkTable(table, "--json", "--check", "full");

    assertThat(run.exitCode()).as(run.out()).isZero();
    assertThat(run.json().path("vectorsRead").asBoolean()).isTrue();
  }

  @Test
  void rowsLeftInAFullyCoveredTableAreThoseSparkCounted() throws IOException {
    JsonNode json = sparkTable("shapes", "--json").json();

    long live =
        json.path("rowsOfDataFilesWithVectors").asLong() - json.path("deletedRows").asLong();
    Path expected = TestData.tables().resolve(SPARK + "/_expected/shapes.ids");
    assertThat(live).isEqualTo(Files.readAllLines(expected).size());
  }

  @Test
  void otherLiveDeletesAreCounted() {
    assertThat(sparkTable("upgraded", "--json").json().path("positionDeleteFileCount").asInt())
        .isEqualTo(2);
    assertThat(sparkTable("upgraded").out()).contains("also live   2 position-delete files\n");
  }

  @Test
  void olderSnapshotHasItsOwnVectors() {
    JsonNode current = sparkTable("unpart", "--json").json();

    JsonNode older = sparkTable("unpart", "--json", "--snapshot", "3002295435358617945").json();

    assertThat(older.path("snapshotId").asLong()).isEqualTo(3002295435358617945L);
    assertThat(older.path("deletionVectors")).isNotEqualTo(current.path("deletionVectors"));
  }

  @Test
  void unknownSnapshotIsAnError() {
    CommandRun run = sparkTable("unpart", "--snapshot", 5);

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).contains("has no snapshot 5, current is 6912735014242861445");
  }

  @Test
  void copiedTableWithoutRelocationSaysWhatToAdd() {
    Path table = TestData.tables().resolve(SPARK).resolve("db/unpart");

    CommandRun run = CommandRun.of("table", table);

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err().lines()).hasSize(1);
    assertThat(run.err()).contains("add --relocate file:///warehouse/db/unpart=" + table);
  }

  @Test
  void adviceForACopiedTableWorks() {
    Path table = TestData.tables().resolve(SPARK).resolve("db/unpart");

    CommandRun run =
        CommandRun.of("table", "--relocate", "file:///warehouse/db/unpart=" + table, table);

    assertThat(run.exitCode()).isZero();
    assertThat(run.out())
        .contains("  data/00000-")
        .doesNotContain("file:/warehouse/db/unpart/data");
  }

  @ParameterizedTest
  @CsvSource({
    "impala/iceberg_v3_deletion_vectors,hdfs://localhost:20500/test-warehouse,impala,2",
    "duckdb-iceberg/legacy_bare_deletion_vector/warehouse/default/legacy_bare_deletion_vector,"
        + "data/persistent,duckdb-iceberg,1",
    "impala/iceberg_with_puffin_stats,/test-warehouse,impala,0",
  })
  void vectorsOfOtherWritersTablesAreListed(String table, String from, String to, int vectors) {
    Path tables = TestData.corpus().resolve("tables");

    CommandRun run =
        CommandRun.of(
            "table",
            "--json",
            tables.resolve(table),
            "--relocate",
            from + "=" + tables.resolve(to));

    assertThat(run.exitCode()).isZero();
    assertThat(run.json().path("deletionVectors")).hasSize(vectors);
  }

  // Some tables lack manifests: those name what is missing.
  @Test
  void everyTableOfTheCorpusIsReadOrNamesWhatIsMissing() throws IOException {
    Map<String, Integer> vectors = new TreeMap<>();
    for (Path folder : corpusTables()) {
      JsonNode metadata = CommandRun.parse(Files.readString(newestMetadata(folder)));
      CommandRun run =
          CommandRun.of(
              "table",
              "--json",
              folder,
              "--relocate",
              metadata.path("location").asText() + "=" + folder);
      if (run.exitCode() == 0) {
        vectors.put(folder.getFileName().toString(), run.json().path("deletionVectors").size());
      } else {
        assertThat(run.exitCode()).as(run.err()).isEqualTo(2);
        assertThat(run.err().lines()).hasSize(1);
        assertThat(run.err()).startsWith("icedv: ");
      }
    }
    assertThat(vectors)
        .containsEntry("iceberg_v3_deletion_vectors", 2)
        .containsEntry("legacy_bare_deletion_vector", 1)
        .hasSizeGreaterThan(20);
  }

  private static List<Path> corpusTables() throws IOException {
    try (Stream<Path> paths = Files.walk(TestData.corpus().resolve("tables"))) {
      return paths
          .filter(path -> path.endsWith("metadata") && Files.isDirectory(path))
          .map(Path::getParent)
          .toList();
    }
  }

  private static Path newestMetadata(Path table) {
    return Path.of(new MetadataFolder(Storage.of(Relocations.NONE)).newest(table.toString()));
  }

  @Test
  void metadataFileIsReadCompressedOrNot() throws IOException {
    try (DemoWarehouse warehouse = new DemoWarehouse(folder)) {
      Table table = warehouse.createTable();
      warehouse.append(table, 10);
      Path metadata = newestMetadata(Path.of(table.location()));
      Path compressed = folder.resolve("copy.metadata.json.gz");
      try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(compressed))) {
        Files.copy(metadata, out);
      }

      assertThat(CommandRun.of("table", metadata).exitCode()).isZero();
      assertThat(CommandRun.of("table", metadata).out()).contains("  vectors     none\n");
      assertThat(CommandRun.of("table", compressed).exitCode()).isZero();
    }
  }

  @Test
  void tableIsFoundInACatalog() {
    try (DemoWarehouse warehouse = new DemoWarehouse(folder)) {
      warehouse.createTable();
      List<Object> args = new ArrayList<>(List.of("table", "--json", "--catalog-property"));
      warehouse.catalogProperties().forEach((key, value) -> args.add(key + "=" + value));
      args.addAll(List.of("--catalog-name", DemoWarehouse.CATALOG_NAME));

      args.add("db.events");
      CommandRun found = CommandRun.of(args.toArray());
      args.set(args.size() - 1, "db.other");
      CommandRun missing = CommandRun.of(args.toArray());

      assertThat(found.exitCode()).isZero();
      assertThat(found.json().path("formatVersion").asInt()).isEqualTo(3);
      assertThat(missing.exitCode()).isEqualTo(2);
      assertThat(missing.err()).isEqualTo("icedv: db.other: no such table in the catalog\n");
    }
  }

  @Test
  void vectorOfADataFileThatIsNotLiveIsAFinding() {
    try (DemoWarehouse warehouse = new DemoWarehouse(folder)) {
      Table table = warehouse.createTable();
      table.newRowDelta().addDeletes(entry("gone.parquet", 4, 1)).commit();

      CommandRun run = CommandRun.of("table", "--json", table.location());

      assertThat(run.exitCode()).isEqualTo(1);
      JsonNode vector = run.json().path("deletionVectors").get(0);
      assertThat(vector.has("dataFileRecordCount")).isFalse();
      assertThat(vector.path("problem").path("message").asText())
          .isEqualTo("the data file is not live in the snapshot");
    }
  }

  @Test
  void vectorWithMoreRowsThanItsDataFileIsAFinding() {
    try (DemoWarehouse warehouse = new DemoWarehouse(folder)) {
      Table table = warehouse.createTable();
      table
          .newRowDelta()
          .addRows(dataFile("a.parquet", 3))
          .addDeletes(entry("a.parquet", 4, 7))
          .commit();

      CommandRun run = CommandRun.of("table", table.location());

      assertThat(run.exitCode()).isEqualTo(1);
      assertThat(run.out()).contains("✗ more rows are deleted than the data file has");
    }
  }

  @Test
  void twoVectorsOfADataFileAreAFinding() {
    try (DemoWarehouse warehouse = new DemoWarehouse(folder)) {
      Table table = warehouse.createTable();
      table
          .newRowDelta()
          .addRows(dataFile("a.parquet", 3))
          .addDeletes(entry("a.parquet", 4, 1))
          .commit();
      // The current snapshot as the start of validation hides the vector that is there already.
      table
          .newRowDelta()
          .addDeletes(entry("a.parquet", 60, 1))
          .validateFromSnapshot(table.currentSnapshot().snapshotId())
          .commit();

      CommandRun run = CommandRun.of("table", "--json", table.location());

      assertThat(run.exitCode()).isEqualTo(1);
      assertThat(run.json().findValuesAsText("reason"))
          .containsExactly("DUPLICATE_VECTOR", "DUPLICATE_VECTOR");
    }
  }

  // Both vectors have one position, so that only the footer tells one from the other.
  @Test
  void vectorsOfSiblingsThatWereSwappedAreFoundByTheFullCheck() {
    try (DemoWarehouse warehouse = new DemoWarehouse(folder)) {
      Table table = warehouse.createTable();
      List<DataFile> dataFiles = List.of(dataFile("a.parquet", 9), dataFile("b.parquet", 9));
      table.newAppend().appendFile(dataFiles.get(0)).appendFile(dataFiles.get(1)).commit();
      List<DeleteFile> written = vectorsAtFive(table, dataFiles);
      table
          .newRowDelta()
          .addDeletes(at(written.get(1), written.get(0)))
          .addDeletes(at(written.get(0), written.get(1)))
          .commit();

      CommandRun entry = CommandRun.of("table", "--check", "entry", table.location());
      CommandRun full = CommandRun.of("table", "--json", "--check", "full", table.location());

      assertThat(entry.exitCode()).isZero();
      assertThat(entry.out()).contains("  checked     2 vectors read, nothing wrong\n");
      assertThat(full.exitCode()).isEqualTo(1);
      assertThat(full.json().findValuesAsText("reason"))
          .containsExactly("REFERENCED_DATA_FILE", "REFERENCED_DATA_FILE");
    }
  }

  private static List<DeleteFile> vectorsAtFive(Table table, List<DataFile> dataFiles) {
    try (DeletionVectorWriter writer = DeletionVectorWriter.of(table, LiveDeletes.of(table))) {
      dataFiles.forEach(dataFile -> writer.delete(dataFile, 5));
      return writer.flush().vectors().stream().map(FlushedVector::entry).toList();
    }
  }

  /** Returns the entry of {@code vector} with the offset of {@code other}. */
  private static DeleteFile at(DeleteFile other, DeleteFile vector) {
    return FileMetadata.deleteFileBuilder(PartitionSpec.unpartitioned())
        .ofPositionDeletes()
        .withFormat(FileFormat.PUFFIN)
        .withPath(vector.location())
        .withFileSizeInBytes(vector.fileSizeInBytes())
        .withReferencedDataFile(vector.referencedDataFile())
        .withContentOffset(other.contentOffset())
        .withContentSizeInBytes(other.contentSizeInBytes())
        .withRecordCount(vector.recordCount())
        .build();
  }

  @Test
  void vectorWhoseFileIsMissingIsAFindingOfAnyCheck() {
    try (DemoWarehouse warehouse = new DemoWarehouse(folder)) {
      Table table = warehouse.createTable();
      table
          .newRowDelta()
          .addRows(dataFile("a.parquet", 3))
          .addDeletes(entry("a.parquet", 4, 1))
          .commit();

      assertThat(CommandRun.of("table", table.location()).exitCode()).isZero();
      CommandRun run = CommandRun.of("table", "--check", "entry", table.location());

      assertThat(run.exitCode()).isEqualTo(1);
      assertThat(run.out()).contains("deletes.puffin").contains("1 vector read, 1 wrong");
    }
  }

  // duckdb/duckdb-iceberg#1314: iceberg-go refuses such a manifest
  @Test
  void deleteManifestWhoseHeaderSaysThatItIsOfDataIsAFindingOfAnyCheck() throws IOException {
    try (DemoWarehouse warehouse = new DemoWarehouse(folder)) {
      Table table = warehouse.createTable();
      DataFile dataFile = dataFile("a.parquet", 9);
      table.newAppend().appendFile(dataFile).commit();
      try (DeletionVectorWriter writer = DeletionVectorWriter.of(table, LiveDeletes.of(table))) {
        writer.delete(dataFile, 5);
        writer.flush().applyTo(table.newRowDelta()).commit();
      }
      assertThat(checkedFully(table).exitCode()).isZero();
      Path manifest = Path.of(table.currentSnapshot().deleteManifests(table.io()).get(0).path());
      // Each string of the header stands behind twice its length.
      String file = Files.readString(manifest, StandardCharsets.ISO_8859_1);
      String changed = file.replace("\u000econtent\u000edeletes", "\u000econtent\bdata");
      Files.writeString(manifest, changed, StandardCharsets.ISO_8859_1);

      CommandRun run = checkedFully(table);

      assertThat(CommandRun.of("table", table.location()).exitCode()).isZero();
      assertThat(run.exitCode()).isEqualTo(1);
      assertThat(run.out())
          .contains("  checked     1 vector read, nothing wrong\n")
          .contains(
              "✗ Delete manifest "
                  + manifest
                  + " has the content data in its header, expected deletes: ");
      assertThat(checkedFully(table, "--json").json().path("manifestProblems")).hasSize(1);
    }
  }

  // duckdb/duckdb-iceberg#1248, #1322: an upgrade must not lock out what older writers left
  @Test
  void vectorInAFileThatIsNoPuffinIsAFindingUnlessItIsAskedFor() {
    try (DemoWarehouse warehouse = new DemoWarehouse(folder)) {
      Table table = warehouse.createTable();
      DeleteFile bare = TestFiles.bareVector(folder, "a.parquet", 5, 6);
      table.newRowDelta().addRows(dataFile("a.parquet", 9)).addDeletes(bare).commit();

      CommandRun rejected = checkedFully(table);
      CommandRun warned = checkedFully(table, "--foreign", "warn");
      CommandRun allowed = checkedFully(table, "--foreign", "allow");

      assertThat(rejected.exitCode()).isEqualTo(1);
      assertThat(rejected.out()).contains("a bare deletion-vector-v1 blob and no Puffin file");
      assertThat(warned.exitCode()).isZero();
      assertThat(warned.out()).contains("  checked     1 vector read, nothing wrong\n");
      assertThat(warned.err())
          .isEqualTo(
              "icedv: warning: "
                  + bare.location()
                  + ": the vector at offset 0 of a.parquet was applied although its file is a bare"
                  + " deletion-vector-v1 blob and no Puffin file\n");
      assertThat(allowed.exitCode()).isZero();
      assertThat(allowed.err()).isEmpty();
    }
  }

  private static CommandRun checkedFully(Table table, Object... options) {
    List<Object> args = new ArrayList<>(List.of("table", table.location(), "--check", "full"));
    args.addAll(List.of(options));
    return CommandRun.of(args.toArray());
  }

  @Test
  void jsonHasTheWarningsWithTheEntriesToRewrite() {
    try (DemoWarehouse warehouse = new DemoWarehouse(folder)) {
      Table table = warehouse.createTable();
      DeleteFile bare = TestFiles.bareVector(folder, "a.parquet", 5, 6);
      table.newRowDelta().addRows(dataFile("a.parquet", 9)).addDeletes(bare).commit();

      JsonNode warnings =
          checkedFully(table, "--foreign", "warn", "--json").json().path("warnings");

      assertThat(warnings).hasSize(1);
      assertThat(warnings.get(0).path("reason").asText()).isEqualTo("NOT_PUFFIN");
      assertThat(warnings.get(0).path("location").asText()).isEqualTo(bare.location());
      assertThat(warnings.get(0).path("contentOffset").asLong()).isZero();
      assertThat(warnings.get(0).path("contentSizeInBytes").asLong())
          .isEqualTo(bare.contentSizeInBytes());
      assertThat(warnings.get(0).path("referencedDataFile").asText()).isEqualTo("a.parquet");
      assertThat(CommandRun.of("table", "--json", table.location()).json().path("warnings"))
          .isEmpty();
    }
  }

  @Test
  void bareVectorsOfDuckDbPassTheFullCheckWhenTheyAreAllowed() {
    Path tables = TestData.corpus().resolve("tables");
    String name = "legacy_bare_deletion_vector";
    List<Object> args = new ArrayList<>();
    args.addAll(List.of("table", "--check", "full", "--relocate"));
    args.add("data/persistent=" + tables.resolve("duckdb-iceberg"));
    args.add(tables.resolve("duckdb-iceberg/" + name + "/warehouse/default/" + name));

    assertThat(CommandRun.of(args.toArray()).exitCode()).isEqualTo(1);
    args.addAll(List.of("--foreign", "allow"));
    assertThat(CommandRun.of(args.toArray()).exitCode()).isZero();
  }

  @Test
  void foreignContainersWithoutTheFullCheckAreAnError() {
    CommandRun run = CommandRun.of("table", "--foreign", "warn", "--check", "entry", "t");

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).contains("--foreign needs --check full");
  }

  @Test
  void unknownPolicyForForeignContainersIsAnError() {
    CommandRun run = CommandRun.of("table", "--check", "full", "--foreign", "maybe", "t");

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).contains("expected reject, warn or allow but was 'maybe'");
  }

  @Test
  void unknownCheckIsAnError() {
    CommandRun run = CommandRun.of("table", "--check", "all", "t");

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).contains("expected entry or full but was 'all'");
  }

  @Test
  void puffinFilesAtRiskAreNamed() {
    try (DemoWarehouse warehouse = new DemoWarehouse(folder)) {
      SharedPuffin shared = SharedPuffin.in(warehouse);
      String line =
          "  at risk     1 Puffin file with 1 live vector: a plain expireSnapshots() deletes it; see"
              + " icedv expire, icedv protect\n";

      for (CommandRun run :
          List.of(
              CommandRun.of("table", shared.metadataFile()),
              CommandRun.of("table", shared.table().location(), "--check", "full"),
              CommandRun.of("table", shared.metadataFile(), "--snapshot", shared.replaced()))) {
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out()).contains(line);
      }
      JsonNode json = CommandRun.of("table", "--json", shared.metadataFile()).json();
      assertThat(json.path("puffinFilesAtRisk").toString())
          .isEqualTo("[\"" + shared.puffin() + "\"]");
      assertThat(json.has("protectingRef")).isFalse();
      assertThat(json.has("riskUnknown")).isFalse();
    }
  }

  @Test
  void branchThatProtectsIsNamed() {
    try (DemoWarehouse warehouse = new DemoWarehouse(folder)) {
      SharedPuffin shared = SharedPuffin.in(warehouse);
      GuardBranch.of(shared.table()).create();

      CommandRun run = CommandRun.of("table", shared.metadataFile());

      assertThat(run.exitCode()).isZero();
      assertThat(run.out())
          .contains(
              "  protected   by branch puffin-guard; without it at risk: 1 Puffin file with 1 live"
                  + " vector\n")
          .doesNotContain("  at risk  ");
      JsonNode json = CommandRun.of("table", "--json", shared.metadataFile()).json();
      assertThat(json.path("puffinFilesAtRisk")).hasSize(1);
      assertThat(json.path("protectingRef").asText()).isEqualTo("puffin-guard");
    }
  }

  @Test
  void fileThatOnlyABranchNeedsIsAtRiskToo() {
    try (DemoWarehouse warehouse = new DemoWarehouse(folder)) {
      SharedPuffin shared = SharedPuffin.in(warehouse);
      Table table = shared.table();
      table.manageSnapshots().createBranch("b").commit();
      SharedPuffin.delete(table, Map.of(shared.second(), 5L));

      assertThat(CommandRun.of("table", shared.metadataFile()).out())
          .contains(
              "  at risk     1 Puffin file that other branches or tags need: a plain"
                  + " expireSnapshots() deletes it; ");
    }
  }

  @Test
  void olderSnapshotThatCannotBeReadMakesTheRiskUnknown() throws IOException {
    try (DemoWarehouse warehouse = new DemoWarehouse(folder)) {
      SharedPuffin shared = SharedPuffin.in(warehouse);
      Path missing = Path.of(shared.table().snapshot(shared.replaced()).manifestListLocation());
      Files.delete(missing);

      CommandRun run = CommandRun.of("table", "--check", "full", shared.metadataFile());

      assertThat(run.exitCode()).as(run.err()).isZero();
      assertThat(run.out())
          .contains("  checked     2 vectors read, nothing wrong\n  at risk     not known: ")
          .contains(missing.toString());
      JsonNode json = CommandRun.of("table", "--json", shared.metadataFile()).json();
      assertThat(json.has("puffinFilesAtRisk")).isFalse();
      assertThat(json.path("riskUnknown").asText()).contains(missing.toString());
    }
  }

  // Spark's tables are copies, and in no catalog.
  @ParameterizedTest
  @CsvSource({"unpart,2", "part,1", "upgraded,0", "v2pos,0"})
  void puffinFilesOfSparkTablesAreAtRisk(String table, int files) {
    assertThat(sparkTable(table, "--json").json().path("puffinFilesAtRisk")).hasSize(files);
  }

  private static DataFile dataFile(String location, long rows) {
    return DataFiles.builder(PartitionSpec.unpartitioned())
        .withPath(location)
        .withFormat(FileFormat.PARQUET)
        .withFileSizeInBytes(100)
        .withRecordCount(rows)
        .build();
  }

  private static DeleteFile entry(String dataFile, long offset, long rows) {
    return FileMetadata.deleteFileBuilder(PartitionSpec.unpartitioned())
        .ofPositionDeletes()
        .withFormat(FileFormat.PUFFIN)
        .withPath("deletes.puffin")
        .withFileSizeInBytes(500)
        .withReferencedDataFile(dataFile)
        .withContentOffset(offset)
        .withContentSizeInBytes(50)
        .withRecordCount(rows)
        .build();
  }

  @Test
  void newestFormatVersionIsRefusedByName() throws IOException {
    try (DemoWarehouse warehouse = new DemoWarehouse(folder)) {
      Table table = warehouse.createTable();
      String metadata = Files.readString(newestMetadata(Path.of(table.location())));
      Path newer = folder.resolve("v4.metadata.json");
      TestFiles.write(
          newer,
          metadata
              .replaceFirst("\"format-version\" ?: ?3", "\"format-version\":4")
              .getBytes(StandardCharsets.UTF_8));

      CommandRun run = CommandRun.of("table", newer);

      assertThat(run.exitCode()).isEqualTo(2);
      assertThat(run.err())
          .isEqualTo(
              "icedv: "
                  + newer
                  + ": table format version 4 is not supported (newest supported: 3)\n");
    }
  }

  @Test
  void fileThatIsNoMetadataIsAnError() {
    Path file =
        TestFiles.write(
            folder.resolve("x.metadata.json"), "{\"a\": [1".getBytes(StandardCharsets.UTF_8));

    CommandRun run = CommandRun.of("table", file);

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err().lines()).hasSize(1);
    assertThat(run.err()).startsWith("icedv: " + file + ": no table metadata: ");
  }

  @Test
  void folderWithoutATableIsAnError() {
    CommandRun run = CommandRun.of("table", folder);

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).startsWith("icedv: " + folder + ": no table here");
  }

  @Test
  void relocationNeedsAnEqualsSign() {
    CommandRun run = CommandRun.of("table", "--relocate", "x", "t");

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).contains("FROM=TO").contains("'x'");
  }
}
