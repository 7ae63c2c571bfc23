package io.github.icebergext.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.GenericStatisticsFile;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ExpireCommandTest {
  @TempDir Path folder;
  private DemoWarehouse warehouse;
  private SharedPuffin shared;
  private Table table;

  @BeforeEach
  void createTable() {
    warehouse = new DemoWarehouse(folder.resolve("demo"));
    shared = SharedPuffin.in(warehouse);
    table = shared.table();
  }

  @AfterEach
  void close() {
    warehouse.close();
  }

  /** Runs on the catalog, for snapshots of any age. */
  private CommandRun expire(Object... options) {
    return expireThrough(Map.of(), "0s", options);
  }

  private CommandRun expireThrough(
      Map<String, String> properties, String olderThan, Object... options) {
    Map<String, String> all = new HashMap<>(warehouse.catalogProperties());
    all.putAll(properties);
    List<Object> args = new ArrayList<>(List.of("expire", "--older-than", olderThan));
    args.addAll(List.of("--catalog-name", DemoWarehouse.CATALOG_NAME, "--catalog-property"));
    all.forEach((key, value) -> args.add(key + "=" + value));
    args.addAll(List.of(options));
    args.add("db.events");
    CommandRun run = CommandRun.of(args.toArray());
    table.refresh();
    return run;
  }

  private static CommandRun expireFiles(Object table, Object... options) {
    List<Object> args = new ArrayList<>(List.of("expire", "--older-than", "0s", table));
    args.addAll(List.of(options));
    return CommandRun.of(args.toArray());
  }

  private static String made(Snapshot snapshot) {
    return Instant.ofEpochMilli(snapshot.timestampMillis()).toString();
  }

  private List<Snapshot> snapshots() {
    List<Snapshot> snapshots = new ArrayList<>();
    table.snapshots().forEach(snapshots::add);
    return snapshots;
  }

  /** Checks that the table is whole: all vectors of its current snapshot, each proven. */
  private void assertWhole() {
    CommandRun run = CommandRun.of("table", "--check", "full", shared.metadataFile());
    assertThat(run.exitCode()).as(run.out()).isZero();
    assertThat(run.out()).contains("  checked     2 vectors read, nothing wrong\n");
  }

  // apache/iceberg#17456. If this fails, Iceberg has mended its expiry.
  @Test
  void plainExpiryDestroysTheSharedFile() {
    shared.expirePlainly();

    assertThat(shared.puffinExists()).isFalse();
    CommandRun run = CommandRun.of("table", "--check", "full", shared.metadataFile());
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.out()).contains("  checked     2 vectors read, 1 wrong\n");
  }

  @Test
  void planNamesTheFileThatIsKeptAndWhy() {
    List<Snapshot> snapshots = snapshots();
    long current = table.currentSnapshot().snapshotId();

    CommandRun run = expire();

    assertThat(run.exitCode()).as(run.err()).isZero();
    String[] lines = run.out().split("\n", -1);
    assertThat(lines[0]).isEqualTo("db.events  format version 3");
    assertThat(lines[1]).isEqualTo("  location    " + table.location());
    assertThat(lines[2]).isEqualTo("  metadata    " + shared.metadataFile());
    assertThat(lines[3]).matches("  older than  [-0-9]+T[:0-9]+Z");
    String rest = String.join("\n", List.of(lines).subList(4, lines.length));
    List<String> toDelete = new ArrayList<>();
    snapshots.subList(0, 4).forEach(snapshot -> toDelete.add(snapshot.manifestListLocation()));
    toDelete.add(replacedManifest());
    assertThat(rest)
        .isEqualTo(
            "  snapshots   4 of 5 would expire\n"
                + "  to delete   5 files: 4 manifest lists, 1 manifest\n"
                + "  kept        1 file with 1 live vector that plain Iceberg would destroy\n"
                + "\n"
                + "  kept                                                      live vectors now "
                + " needed by\n"
                + ("  "
                    + shared.relative(shared.puffin())
                    + "                 1  current snapshot ")
                + current
                + "\n\n"
                + expired("to expire", snapshots.subList(0, 4))
                + "\n"
                + deleted("to delete", toDelete)
                + "\nNothing was changed; --apply expires.\n");
  }

  private String replacedManifest() {
    return table
        .snapshot(table.snapshot(shared.replaced()).parentId())
        .deleteManifests(table.io())
        .get(0)
        .path();
  }

  private static String expired(String title, List<Snapshot> snapshots) {
    int width = 0;
    for (Snapshot snapshot : snapshots) {
      width = Math.max(width, Long.toString(snapshot.snapshotId()).length());
    }
    String row = "  %-" + width + "s  %-9s  %s\n";
    StringBuilder text = new StringBuilder(row.formatted(title, "operation", "made"));
    for (Snapshot snapshot : snapshots) {
      text.append(row.formatted(snapshot.snapshotId(), snapshot.operation(), made(snapshot)));
    }
    return text.toString();
  }

  private String deleted(String title, List<String> locations) {
    StringBuilder text = new StringBuilder("  " + title + "\n");
    locations.stream()
        .sorted()
        .forEach(location -> text.append("  ").append(shared.relative(location)).append('\n'));
    return text.toString();
  }

  @Test
  void planChangesNothing() {
    Map<String, String> before = SharedPuffin.listing(folder);

    assertThat(expire().exitCode()).isZero();
    assertThat(expireFiles(table.location()).exitCode()).isZero();
    assertThat(expireFiles(shared.metadataFile(), "--json").exitCode()).isZero();

    assertThat(SharedPuffin.listing(folder)).isEqualTo(before);
  }

  @Test
  void jsonOfThePlanHasAllOfIt() {
    CommandRun run = expire("--json", "--retain-last", 2);

    assertThat(run.exitCode()).as(run.err()).isZero();
    JsonNode json = run.json();
    assertThat(json.fieldNames())
        .toIterable()
        .containsExactly(
            "table",
            "location",
            "metadataFile",
            "formatVersion",
            "applied",
            "cutOffMs",
            "retainLast",
            "snapshotCountBefore",
            "expiredSnapshots",
            "expiredSnapshotCount",
            "removedRefs",
            "deletedFiles",
            "deletedFileCount",
            "deletedFileCounts",
            "keptFiles",
            "keptFileCount",
            "failedFiles",
            "failedFileCount");
    assertThat(json.path("applied").asBoolean()).isFalse();
    assertThat(json.path("retainLast").asInt()).isEqualTo(2);
    assertThat(json.path("snapshotCountBefore").asInt()).isEqualTo(5);
    assertThat(json.path("expiredSnapshots").findValues("snapshotId"))
        .extracting(JsonNode::asLong)
        .containsExactlyElementsOf(
            snapshots().subList(0, 3).stream().map(Snapshot::snapshotId).toList());
    assertThat(json.path("deletedFileCounts").toString())
        .isEqualTo("{\"manifestLists\":3,\"manifests\":1,\"puffinFiles\":0,\"otherFiles\":0}");
    assertThat(json.path("deletedFiles")).hasSize(4);
    assertThat(json.path("keptFiles")).isEmpty();
    JsonNode all = expire("--json").json();
    assertThat(all.has("retainLast")).isFalse();
    assertThat(all.path("keptFiles").toString())
        .isEqualTo(
            "[{\"location\":\""
                + shared.puffin()
                + "\",\"cause\":\"LIVE_DELETES\",\"neededBySnapshotId\":"
                + table.currentSnapshot().snapshotId()
                + ",\"currentLiveVectorCount\":1}]");
  }

  @Test
  void applyKeepsTheSharedFileAndDeletesTheRest() {
    List<Snapshot> before = snapshots();
    String manifest = replacedManifest();

    CommandRun run = expire("--apply");

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out())
        .contains("  metadata    " + shared.metadataFile() + "\n")
        .contains(
            "  snapshots   4 of 5 expired\n"
                + "  deleted     5 files: 4 manifest lists, 1 manifest\n"
                + "  kept        1 file with 1 live vector that plain Iceberg would have"
                + " destroyed\n")
        .contains(expired("expired", before.subList(0, 4)))
        .endsWith("\nThe snapshots are expired.\n");
    assertThat(snapshots()).hasSize(1);
    assertThat(shared.puffinExists()).isTrue();
    before
        .subList(0, 4)
        .forEach(old -> assertThat(Path.of(old.manifestListLocation())).doesNotExist());
    assertThat(Path.of(manifest)).doesNotExist();
    assertWhole();
    assertThat(CommandRun.of("table", shared.metadataFile()).out()).doesNotContain("at risk");
  }

  @Test
  void applyDoesWhatThePlanSays() {
    JsonNode plan = expire("--json").json();

    JsonNode done = expire("--json", "--apply").json();

    assertThat(done.path("applied").asBoolean()).isTrue();
    for (String same :
        List.of("snapshotCountBefore", "expiredSnapshots", "deletedFiles", "keptFiles")) {
      assertThat(done.path(same)).as(same).isEqualTo(plan.path(same));
    }
  }

  @Test
  void fileThatWasKeptGoesWhenItIsNotNeededAnyMore() {
    expire("--apply");
    SharedPuffin.delete(table, Map.of(shared.second(), 5L));
    shared.append("later.parquet");

    JsonNode done = expire("--json", "--apply").json();

    assertThat(done.path("deletedFiles")).extracting(JsonNode::asText).contains(shared.puffin());
    assertThat(done.path("deletedFileCounts").path("puffinFiles").asInt()).isPositive();
    assertThat(shared.puffinExists()).isFalse();
    assertWhole();
  }

  @Test
  void folderOfAHadoopTableSufficesToExpire() {
    SharedPuffin hadoop = SharedPuffin.inFolder(folder.resolve("hadoop"), shared);

    CommandRun run = expireFiles(hadoop.table().location(), "--apply");

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out()).contains("  kept        1 file with 1 live vector");
    assertThat(hadoop.puffinExists()).isTrue();
    assertThat(CommandRun.of("table", "--check", "full", hadoop.table().location()).exitCode())
        .isZero();
  }

  @Test
  void applyToFilesOfACatalogIsAnError() {
    Map<String, String> before = SharedPuffin.listing(folder);

    for (String files : List.of(table.location(), shared.metadataFile())) {
      CommandRun run = expireFiles(files, "--apply");
      assertThat(run.exitCode()).isEqualTo(2);
      assertThat(run.err())
          .isEqualTo(
              "icedv: "
                  + files
                  + ": cannot be committed to: it is not the folder of a Hadoop table; the table of"
                  + " a catalog needs --catalog-property\n");
    }
    assertThat(SharedPuffin.listing(folder)).isEqualTo(before);
  }

  @Test
  void copiedTableIsPlannedWhereItIs() throws IOException {
    String from = table.location();
    Path copy = folder.resolve("copy");
    Files.move(Path.of(from), copy);

    CommandRun run = expireFiles(copy, "--relocate", from + "=" + copy);

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out())
        .contains("  kept        1 file with 1 live vector that plain Iceberg would destroy\n");
    CommandRun unknown = expireFiles(copy);
    assertThat(unknown.exitCode()).isEqualTo(2);
    assertThat(unknown.err())
        .endsWith("if it was copied, add --relocate " + from + "=" + copy + "\n");
  }

  @Test
  void youngSnapshotsStay() {
    CommandRun run = expireThrough(Map.of(), "7d");

    assertThat(run.exitCode()).isZero();
    assertThat(run.out())
        .endsWith(
            """
              snapshots   none of 5 would expire
              to delete   no file

            There is nothing to expire.
            """);
    assertThat(expireThrough(Map.of(), "7d", "--apply").out())
        .endsWith("\nThere was nothing to expire.\n");
    assertThat(snapshots()).hasSize(5);
  }

  @Test
  void asManySnapshotsStayAsTheTableSays() {
    table.updateProperties().set("history.expire.min-snapshots-to-keep", "3").commit();

    assertThat(expire().out()).contains("  snapshots   2 of 5 would expire\n");
    assertThat(expire("--retain-last", 4).out())
        .contains(
            """
              retained    at least the last 4 of each branch
              snapshots   1 of 5 would expire
            """);
  }

  @Test
  void branchesAndTagsThatGoAreNamed() {
    long first = snapshots().get(0).snapshotId();
    table
        .manageSnapshots()
        .createTag("t", first)
        .setMaxRefAgeMs("t", 1)
        .createBranch("b", first)
        .setMaxRefAgeMs("b", 1)
        .commit();

    CommandRun run = expire();

    assertThat(run.out()).contains("  to remove   branch b, tag t, because of their age\n");
    assertThat(expire("--json").json().path("removedRefs").toString()).isEqualTo("[\"b\",\"t\"]");
    assertThat(expire("--apply").out()).contains("  removed     branch b, tag t, because of");
    assertThat(table.refs()).containsOnlyKeys("main");
  }

  // Iceberg compares locations as they are spelled.
  @Test
  void statisticsThatTheTableStillHasAreKept() {
    Path file = TestFiles.puffin(folder, TestFiles.otherBlob("statistics"));
    List<Snapshot> snapshots = snapshots();
    for (int i : new int[] {0, 4}) {
      table
          .updateStatistics()
          .setStatistics(
              new GenericStatisticsFile(
                  snapshots.get(i).snapshotId(),
                  (i == 0 ? "file:" : "") + file,
                  100,
                  50,
                  List.of()))
          .commit();
    }

    CommandRun run = expire("--apply");

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out()).contains("  kept        1 file of statistics that the table still has\n");
    assertThat(file).exists();
  }

  @Test
  void snapshotThatCannotBeReadKeepsEverything() throws IOException {
    table.manageSnapshots().createTag("t", shared.replaced()).commit();
    Path missing = Path.of(table.snapshot("t").manifestListLocation());
    Files.delete(missing);

    CommandRun run = expire("--apply"); // Iceberg tries for seconds to read it.

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.out())
        .contains(
            """
              deleted     no file
              kept        every file: what the retained snapshots need cannot be read
            """)
        .contains("  unreadable  ✗ ")
        .contains(missing.toString())
        .endsWith(
            "\nThe snapshots are expired, but files that nothing needs are left; icedv orphans"
                + " lists them once all snapshots can be read.\n");
    assertThat(shared.puffinExists()).isTrue();
  }

  @Test
  void tableWhoseCurrentSnapshotCannotBeReadIsLeftAlone() throws IOException {
    Files.delete(Path.of(table.currentSnapshot().manifestListLocation()));

    CommandRun run = expire("--apply");

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).startsWith("icedv: ").hasLineCount(1);
    assertThat(snapshots()).hasSize(5);
  }

  // Iceberg's own reading fails then, and after the commit.
  @Test
  void expiryWhoseFilesCannotBeFoundSaysThatTheSnapshotsAreGone() throws IOException {
    table.manageSnapshots().createBranch("b", shared.replaced()).commit();
    table.newDelete().deleteFile(shared.first()).toBranch("b").commit();
    Files.delete(Path.of(table.snapshot("b").manifestListLocation()));

    CommandRun done = expire("--apply");

    assertThat(done.exitCode()).isEqualTo(1);
    assertThat(done.out())
        .contains("expired")
        .contains("  unreadable  ✗ ")
        .endsWith(
            "\nThe snapshots are expired, but files that nothing needs are left; icedv orphans"
                + " lists them once all snapshots can be read.\n");
    assertThat(shared.puffinExists()).isTrue();
  }

  @Test
  void filesThatCannotBeDeletedAreNamed() {
    CommandRun run =
        expireThrough(Map.of("io-impl", KeepingFileIO.class.getName()), "0s", "--apply");

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.out())
        .contains("  snapshots   4 of 5 expired\n  deleted     no file\n")
        .contains("  failed      ✗ 5 files could not be deleted; nothing refers to them\n")
        .contains("Access denied: " + table.location())
        .endsWith(
            "\nThe snapshots are expired, but files that nothing needs are left; icedv orphans"
                + " lists them.\n");
  }

  @Test
  void tableWhoseFilesOthersUseIsRefused() {
    table.updateProperties().set("gc.enabled", "false").commit();

    for (CommandRun run : List.of(expire(), expire("--apply"))) {
      assertThat(run.exitCode()).isEqualTo(2);
      assertThat(run.out()).isEmpty();
      assertThat(run.err())
          .isEqualTo(
              "icedv: db.events: Cannot expire snapshots: GC is disabled (deleting files may"
                  + " corrupt other tables); its property gc.enabled is false\n");
    }
    assertThat(snapshots()).hasSize(5);
  }

  @ParameterizedTest
  @ValueSource(strings = {"--json", "--apply"})
  void tableWithoutSnapshotsHasNothingToExpire(String option) {
    Table empty = warehouse.createTable();
    List<Object> args = new ArrayList<>(List.of("expire", "--older-than", "0s", option));
    args.addAll(List.of("--catalog-name", DemoWarehouse.CATALOG_NAME, "--catalog-property"));
    warehouse.catalogProperties().forEach((key, value) -> args.add(key + "=" + value));
    args.addAll(List.of("--", "db.events_2"));

    CommandRun run = CommandRun.of(args.toArray());

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out())
        .contains(
            option.equals("--json")
                ? "\"snapshotCountBefore\":0"
                : """
                    snapshots   none yet
                    deleted     no file

                  There was nothing to expire.
                  """);
    assertThat(expireFiles(empty.location()).out()).endsWith("\nThere is nothing to expire.\n");
  }

  @Test
  void manySnapshotsAndFilesAreCutShort() {
    for (int i = 0; i < 20; i++) {
      table.newFastAppend().commit();
    }

    CommandRun run = expire();

    assertThat(run.out())
        .contains("  snapshots   24 of 25 would expire\n")
        .contains("\n  … and 4 more; see --json\n")
        .contains("\n  … and 20 more; see --json\n");
  }

  @Test
  void ageIsRequired() {
    CommandRun run = CommandRun.of("expire", table.location());

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err())
        .isEqualTo(
            "icedv: Missing required option: '--older-than=AGE' (see icedv expire --help)\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"7", "-7d", "yesterday"})
  void ageThatIsNoneIsAnError(String age) {
    CommandRun run = CommandRun.of("expire", "--older-than=" + age, table.location());

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err())
        .contains("expected an age such as 3d, 12h, 90m, 0s or P1DT12H but was '" + age + "'");
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "-1"})
  void atLeastOneSnapshotStays(String number) {
    CommandRun run = expireFiles(table.location(), "--retain-last=" + number);

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err())
        .isEqualTo(
            "icedv: Invalid value for option '--retain-last': expected at least 1 but was "
                + number
                + " (see icedv expire --help)\n");
  }
}
