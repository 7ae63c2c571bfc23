package io.github.icebergext.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.github.icebergext.cli.source.Locations;
import io.github.icebergext.cli.source.MetadataFolder;
import io.github.icebergext.cli.source.Relocations;
import io.github.icebergext.cli.source.Storage;
import io.github.icebergext.dv.table.LiveDeletes;
import io.github.icebergext.dv.write.DeletionVectorWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.CatalogUtil;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.GenericStatisticsFile;
import org.apache.iceberg.ImmutableGenericPartitionStatisticsFile;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.hadoop.HadoopTables;
import org.apache.iceberg.io.FileInfo;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OrphansCommandTest {
  private static final Duration OLD = Duration.ofDays(10);

  @TempDir Path folder;
  private DemoWarehouse warehouse;
  private Table table;
  private DataFile rows;

  @BeforeEach
  void createTable() {
    warehouse = new DemoWarehouse(folder);
    table = warehouse.createTable();
    rows = warehouse.append(table, 100);
  }

  @AfterEach
  void close() {
    ListingFileIO.listing = UnaryOperator.identity();
    warehouse.close();
  }

  /** Runs on the catalog. */
  private CommandRun orphans(Object... options) {
    return orphansThrough(Map.of(), options);
  }

  private CommandRun orphansThrough(Map<String, String> properties, Object... options) {
    Map<String, String> all = new HashMap<>(warehouse.catalogProperties());
    all.putAll(properties);
    List<Object> args =
        new ArrayList<>(List.of("orphans", "--catalog-name", DemoWarehouse.CATALOG_NAME));
    args.add("--catalog-property");
    all.forEach((key, value) -> args.add(key + "=" + value));
    args.addAll(List.of(options));
    args.add("db.events");
    return CommandRun.of(args.toArray());
  }

  /** Returns the orphans of any age, as seen from the table. */
  private List<String> found(Object... options) {
    List<Object> all = new ArrayList<>(List.of("--json", "--older-than", "0s"));
    all.addAll(List.of(options));
    return found(orphans(all.toArray()));
  }

  private List<String> found(CommandRun run) {
    List<String> found = new ArrayList<>();
    for (JsonNode orphan : run.json().path("orphans")) {
      found.add(Locations.relative(orphan.path("location").asText(), table.location()));
    }
    assertThat(run.exitCode()).as(run.err()).isEqualTo(found.isEmpty() ? 0 : 1);
    return found;
  }

  private void delete(long position) {
    try (DeletionVectorWriter writer = DeletionVectorWriter.of(table, LiveDeletes.of(table))) {
      writer.delete(rows, position);
      writer.flush().applyTo(table.newRowDelta()).commit();
    }
  }

  private Path path(String pathInTable) {
    return Path.of(Locations.plain(table.location())).resolve(pathInTable);
  }

  /** Writes some bytes into the table's folder and returns its path. */
  private Path write(String pathInTable) {
    return TestFiles.write(
        parents(path(pathInTable)), pathInTable.getBytes(StandardCharsets.UTF_8));
  }

  private static Path parents(Path file) {
    try {
      Files.createDirectories(file.getParent());
      return file;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private DataFile dataFile(String pathInTable) {
    Path file = write(pathInTable);
    return DataFiles.builder(PartitionSpec.unpartitioned())
        .withPath(file.toString())
        .withFormat(FileFormat.PARQUET)
        .withFileSizeInBytes(100)
        .withRecordCount(10)
        .build();
  }

  /** Makes all files of the warehouse as old. */
  private void age(Duration age) {
    try (Stream<Path> files = Files.walk(folder)) {
      files.filter(Files::isRegularFile).forEach(file -> age(file, age));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void age(Path file, Duration age) {
    try {
      Files.setLastModifiedTime(file, FileTime.from(Instant.now().minus(age)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  // amoro#1959, iceberg-go#835: cleanups that took statistics, or vectors, for orphans.
  @Test
  void filesThatTheTableRefersToAreNotListed() {
    delete(3);
    delete(4);
    long snapshotId = table.currentSnapshot().snapshotId();
    Path statistics = TestFiles.puffin(path("metadata"), TestFiles.otherBlob("statistics"));
    table
        .updateStatistics()
        .setStatistics(
            new GenericStatisticsFile(snapshotId, statistics.toString(), 100, 50, List.of()))
        .commit();
    table
        .updatePartitionStatistics()
        .setPartitionStatistics(
            ImmutableGenericPartitionStatisticsFile.builder()
                .snapshotId(snapshotId)
                .path(write("metadata/partition-stats.parquet").toString())
                .fileSizeInBytes(10)
                .build())
        .commit();
    age(OLD);

    CommandRun run = orphans("--older-than", "0s");

    assertThat(run.exitCode()).isZero();
    assertThat(run.out()).contains("  orphans     none\n");
    assertThat(found()).isEmpty();
  }

  @Test
  void puffinOfAKilledWriterIsListed() throws IOException {
    delete(3);
    Path left = TestFiles.puffin(path("data"), TestFiles.vectorBlob(rows.location(), 1, 7));
    age(OLD);

    CommandRun run = orphans();

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.out())
        .contains("  looked at   " + table.location() + "\n")
        .contains("  orphans     1 file, " + Files.size(left) + " B\n")
        .contains("  data/test.puffin  " + Files.size(left) + " B  ");
    assertThat(found()).containsExactly("data/test.puffin");
    assertThat(left).exists();
  }

  @Test
  void filesNewerThanTheCutOffAreNotListed() {
    Path old = write("data/old.puffin");
    Path young = write("data/young.puffin");
    age(OLD);
    age(old, Duration.ofHours(73));
    age(young, Duration.ofHours(71));

    CommandRun run = orphans("--json");

    assertThat(found(run)).containsExactly("data/old.puffin");
    assertThat(run.json().path("tooNewFileCount").asInt()).isOne();
    assertThat(orphans().out()).contains(", 1 too new to tell\n");
    assertThat(found(orphans("--json", "--older-than", "PT70H")))
        .containsExactly("data/old.puffin", "data/young.puffin");
    assertThat(found(orphans("--json", "--older-than", "4d"))).isEmpty();
  }

  @Test
  void fileOfTheFutureAndFileWithoutATimeAreTooNew() throws IOException {
    age(write("data/future.puffin"), Duration.ofDays(-1));
    Files.setLastModifiedTime(write("data/undated.puffin"), FileTime.fromMillis(0));

    CommandRun run = orphans("--json", "--older-than", "0s");

    assertThat(found(run)).isEmpty();
    assertThat(run.json().path("tooNewFileCount").asInt()).isEqualTo(2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"3", "-3d", "tomorrow"})
  void ageThatIsNoneIsAnError(String age) {
    CommandRun run = orphans("--older-than=" + age);

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.out()).isEmpty();
    assertThat(run.err())
        .contains("--older-than")
        .contains("expected an age such as 3d, 12h, 90m, 0s or P1DT12H but was '" + age + "'")
        .hasLineCount(1);
  }

  @Test
  void filesOfExpiredSnapshotsAreListed() {
    DataFile gone = dataFile("data/gone.parquet");
    table.newAppend().appendFile(gone).commit();
    String goneList = list();
    table.newDelete().deleteFile(gone).commit();
    String deleteList = list();
    String entries = table.currentSnapshot().dataManifests(table.io()).get(0).path();
    table.newAppend().appendFile(dataFile("data/other.parquet")).commit();
    age(OLD);
    assertThat(found()).isEmpty();

    table
        .expireSnapshots()
        .expireOlderThan(Instant.now().toEpochMilli())
        .retainLast(1)
        .deleteWith(location -> {})
        .commit();
    age(OLD);

    assertThat(found()).contains("data/gone.parquet", goneList, deleteList);
    assertThat(entries).isNotEmpty();
    assertThat(found()).noneMatch(file -> file.endsWith("rows.parquet"));
  }

  private String list() {
    return Locations.relative(table.currentSnapshot().manifestListLocation(), table.location());
  }

  @Test
  void fileThatADeletedEntryNamesIsNotListed() {
    DataFile deleted = dataFile("data/deleted.parquet");
    table.newAppend().appendFile(deleted).commit();
    long added = table.currentSnapshot().snapshotId();
    table.newDelete().deleteFile(deleted).commit();
    table.expireSnapshots().expireSnapshotId(added).deleteWith(location -> {}).commit();
    age(OLD);

    assertThat(found()).isNotEmpty().doesNotContain("data/deleted.parquet");
  }

  @Test
  void filesOfBranchesAndStagedSnapshotsAreNotListed() {
    table.manageSnapshots().createBranch("b").commit();
    table.newAppend().appendFile(dataFile("data/branch.parquet")).toBranch("b").commit();
    table.newAppend().appendFile(dataFile("data/staged.parquet")).stageOnly().commit();
    age(OLD);

    assertThat(found()).isEmpty();
  }

  @Test
  void metadataFilesThatTheLogLostAreListed() {
    table.updateProperties().set("write.metadata.previous-versions-max", "1").commit();
    table.updateProperties().set("a", "b").commit();
    age(OLD);

    List<String> found = found();

    assertThat(found).hasSize(2).allMatch(file -> file.matches("metadata/0000[01]-.*"));
  }

  // The writer's file is old, and is committed while the storage is listed. With SQLite a commit
  // could not be made while the catalog is open.
  @Test
  void fileCommittedDuringTheSearchIsNotListed() {
    Map<String, String> properties =
        Map.of("type", "hadoop", "warehouse", folder.resolve("hadoop").toString());
    table =
        CatalogUtil.buildIcebergCatalog("hadoop", properties, new Configuration())
            .createTable(TableIdentifier.of("db", "events"), table.schema());
    table.newAppend().appendFile(dataFile("data/early.parquet")).commit();
    DataFile late = dataFile("data/late.parquet");
    write("data/left.parquet");
    age(OLD);
    ListingFileIO.listing =
        files -> {
          List<FileInfo> listed = new ArrayList<>();
          files.forEach(listed::add);
          table.newAppend().appendFile(late).commit();
          return listed;
        };
    Map<String, String> through = new HashMap<>(properties);
    through.put("io-impl", ListingFileIO.class.getName());

    assertThat(found(orphansThrough(through, "--json"))).containsExactly("data/left.parquet");
  }

  private CommandRun listing(Object... options) {
    return orphansThrough(Map.of("io-impl", ListingFileIO.class.getName()), options);
  }

  // iceberg#4346, iceberg#2890: a listing spelled unlike the metadata made every file an orphan.
  @ParameterizedTest
  @ValueSource(strings = {"file:", "file://", "s3a://bucket", "hdfs://nn:8020", "s3://bucket/"})
  void listingThatSpellsLocationsOtherwiseMakesNoOrphans(String prefix) {
    delete(3);
    write("data/left.puffin");
    age(OLD);
    ListingFileIO.listing =
        files -> {
          List<FileInfo> listed = new ArrayList<>();
          for (FileInfo file : files) {
            String location = prefix + Locations.plain(file.location());
            listed.add(new FileInfo(location, file.size(), file.createdAtMillis()));
          }
          return listed;
        };

    JsonNode json = listing("--json").json();

    assertThat(json.path("orphans").findValuesAsText("location"))
        .containsExactly(prefix + path("data/left.puffin"));
  }

  @Test
  void storageThatDoesNotListIsAnError() {
    CommandRun run = orphansThrough(Map.of("io-impl", PlainFileIO.class.getName()));

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err())
        .isEqualTo(
            "icedv: "
                + table.location()
                + ": cannot be listed: "
                + PlainFileIO.class.getName()
                + " lists no files\n");
  }

  @Test
  void hiddenFilesAndTablesInTheFolderAreLeftOut() {
    write("_delta_log/0.json");
    write("data/.part.tmp");
    write("data/_temporary/0/part.parquet");
    write("nested/metadata/00001-a.metadata.json");
    write("nested/data/a.parquet");
    write("data/left.parquet");
    age(OLD);

    CommandRun run = orphans();

    assertThat(found()).containsExactly("data/left.parquet");
    assertThat(run.out())
        .contains("in use, 3 hidden\n")
        .contains("  left out    2 files of a table in " + path("nested") + "\n");
  }

  @Test
  void partitionFolderIsNotHiddenByItsName() {
    table.updateSchema().addColumn("_day", Types.IntegerType.get()).commit();
    table.updateSpec().addField("_day").commit();
    write("data/_day=1/left.parquet");
    write("data/_days=1/left.parquet");
    age(OLD);

    assertThat(found()).containsExactly("data/_day=1/left.parquet");
  }

  @Test
  void foldersOfTheTableThatAreElsewhereAreNamed() {
    Path elsewhere = folder.resolve("elsewhere");
    TestFiles.write(parents(elsewhere.resolve("a/left.parquet")), new byte[3]);
    table
        .updateProperties()
        .set("write.data.path", elsewhere.toString())
        .set("write.metadata.path", table.location() + "/metadata")
        .set("gc.enabled", "false")
        .commit();
    age(OLD);

    CommandRun run = orphans();

    assertThat(run.exitCode()).isZero();
    assertThat(run.out())
        .contains("  not at      " + elsewhere + ", which is write.data.path\n")
        .doesNotContain("write.metadata.path")
        .contains("  note        gc.enabled is false: other tables may use these files\n");
    CommandRun under = orphans("--under", elsewhere);
    assertThat(under.exitCode()).isEqualTo(1);
    assertThat(under.out()).contains("  a/left.parquet   3 B  ").doesNotContain("write.data.path");
  }

  @Test
  void onlyTheFolderAskedForIsLookedAt() {
    write("data/left.puffin");
    write("metadata/left.avro");
    age(OLD);

    assertThat(found("--under", path("data"))).containsExactly("data/left.puffin");
    assertThat(found("--under", path("data"), "--under", path("metadata") + "/"))
        .containsExactly("data/left.puffin", "metadata/left.avro");
  }

  @Test
  void locationsAreLinesOfTheirOwn() {
    write("data/a.puffin");
    write("data/b\n.puffin");
    age(OLD);

    CommandRun run = orphans("--locations");

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.out())
        .isEqualTo("file:" + path("data/a.puffin") + "\nfile:" + path("data/b\\u000a.puffin\n"));
  }

  @Test
  void jsonHasTheCounts() throws IOException {
    Path left = write("data/left.puffin");
    age(OLD);
    long modified = Files.getLastModifiedTime(left).toMillis();

    JsonNode json = orphans("--json").json();

    assertThat(json.path("table").asText()).isEqualTo("db.events");
    assertThat(json.path("location").asText()).isEqualTo(table.location());
    assertThat(json.path("formatVersion").asInt()).isEqualTo(3);
    assertThat(json.path("foldersLookedAt").get(0).asText()).isEqualTo(table.location());
    assertThat(json.path("foldersNotLookedAt")).isEmpty();
    assertThat(json.path("cutOffMs").asLong())
        .isBetween(modified, Instant.now().minus(Duration.ofDays(3)).toEpochMilli());
    assertThat(json.path("gcEnabled").asBoolean()).isTrue();
    assertThat(json.path("orphanCount").asInt()).isOne();
    assertThat(json.path("orphanBytes").asLong()).isEqualTo(Files.size(left));
    // rows.parquet, its manifest and manifest list, and two metadata files are in use.
    assertThat(json.path("listedFileCount").asInt()).isEqualTo(6);
    assertThat(json.path("inUseFileCount").asInt()).isEqualTo(5);
    JsonNode orphan = json.path("orphans").get(0);
    assertThat(orphan.path("location").asText()).isEqualTo("file:" + left);
    assertThat(orphan.path("sizeInBytes").asLong()).isEqualTo(Files.size(left));
    assertThat(orphan.path("modifiedMs").asLong()).isEqualTo(modified);
  }

  @Test
  void missingManifestIsAnError() throws IOException {
    String manifest = table.currentSnapshot().allManifests(table.io()).get(0).path();
    Files.delete(Path.of(Locations.plain(manifest)));

    CommandRun run = orphans();

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.out()).isEmpty();
    assertThat(run.err()).contains(manifest);
  }

  /** Runs on the folder or metadata file, without a catalog. */
  private List<String> foundWithoutCatalog(Object location) {
    return found(CommandRun.of("orphans", "--json", "--older-than", "0s", location));
  }

  private Path metadataFile() {
    return Path.of(new MetadataFolder(Storage.of(Relocations.NONE)).newest(table.location()));
  }

  @Test
  void tableOfFilesIsFoundByAnyWay() throws IOException {
    write("data/left.puffin");
    age(OLD);
    Path link = Files.createSymbolicLink(folder.resolve("link"), path(""));
    Path relative = Path.of("").toAbsolutePath().relativize(path(""));

    assertThat(foundWithoutCatalog(table.location())).containsExactly("data/left.puffin");
    assertThat(foundWithoutCatalog(metadataFile())).containsExactly("data/left.puffin");
    assertThat(foundWithoutCatalog(link)).containsExactly("data/left.puffin");
    assertThat(foundWithoutCatalog(relative)).containsExactly("data/left.puffin");
  }

  // A commit that lost left a metadata file of the same version as the one that won.
  @Test
  void withoutACatalogFilesOfEveryMetadataThatMayBeCurrentAreInUse() throws IOException {
    Path before = metadataFile();
    table.newAppend().appendFile(dataFile("data/won.parquet")).commit();
    Path lost = before.resolveSibling("00002-lost.metadata.json");
    Files.copy(before, lost);
    age(OLD);
    age(lost, Duration.ofDays(1));
    assertThat(metadataFile()).isEqualTo(lost);

    assertThat(foundWithoutCatalog(table.location())).isEmpty();
    assertThat(foundWithoutCatalog(lost)).isEmpty();
    assertThat(foundWithoutCatalog(before)).isEmpty();
    assertThat(found()).containsExactly("metadata/00002-lost.metadata.json");
  }

  @Test
  void metadataFileWithoutAnEndIsNotTheCurrentOne() {
    TestFiles.write(
        path("metadata/00001-cut.metadata.json"), "{\"a\": [1".getBytes(StandardCharsets.UTF_8));
    age(OLD);
    age(path("metadata/00001-cut.metadata.json"), Duration.ofDays(20));

    assertThat(foundWithoutCatalog(table.location()))
        .containsExactly("metadata/00001-cut.metadata.json");
  }

  @Test
  void locationOfATableMayEndWithASlash() {
    Path elsewhere = folder.resolve("slash");
    table
        .updateProperties()
        .set("write.metadata.path", elsewhere + "/metadata")
        .set("write.data.path", elsewhere + "/data")
        .commit();
    table.updateLocation().setLocation(elsewhere + "/").commit();
    TestFiles.write(parents(elsewhere.resolve("metadata/1-lost.metadata.json")), new byte[3]);
    age(OLD);

    CommandRun run = orphans();

    assertThat(run.exitCode()).as(run.err()).isEqualTo(1);
    assertThat(run.out()).contains("  metadata/1-lost.metadata.json  ").doesNotContain("not at");
  }

  @Test
  void hadoopTableKeepsItsVersionHint() {
    String location = folder.resolve("hadoop").toString();
    Table hadoop =
        new HadoopTables(new Configuration())
            .create(table.schema(), PartitionSpec.unpartitioned(), Map.of(), location);
    hadoop.newAppend().appendFile(rows).commit();
    hadoop.updateProperties().set("a", "b").commit();
    TestFiles.write(folder.resolve("hadoop/metadata/snap-1-1-a.avro"), new byte[3]);
    age(OLD);

    CommandRun run = CommandRun.of("orphans", "--json", location);

    assertThat(run.json().path("orphans").findValuesAsText("location"))
        .containsExactly("file:" + location + "/metadata/snap-1-1-a.avro");
  }

  @Test
  void copiedTableWithoutRelocationIsAnErrorThatSaysWhatToAdd() throws IOException {
    Path copy = folder.resolve("copy");
    copy(path(""), copy);
    Files.move(path(""), folder.resolve("moved"));

    CommandRun run = CommandRun.of("orphans", copy);

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.out()).isEmpty();
    assertThat(run.err()).contains("add --relocate " + table.location() + "=" + copy);
    assertThat(
            CommandRun.of("orphans", "--relocate", table.location() + "=" + copy, copy).exitCode())
        .isZero();
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        Files.copy(file, to.resolve(from.relativize(file)));
      }
    }
  }

  @Test
  void folderWithNoFileOfTheTableIsAnError() {
    write("data/left.puffin");
    age(OLD);
    ListingFileIO.listing =
        files -> {
          List<FileInfo> listed = new ArrayList<>();
          for (FileInfo file : files) {
            listed.add(new FileInfo(file.location() + "?x", file.size(), file.createdAtMillis()));
          }
          return listed;
        };

    CommandRun run = listing();

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err())
        .contains("cannot tell orphans: the table refers to none of the 6 files under ");
  }
}
