package io.github.icebergext.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.github.icebergext.dv.maintain.GuardBranch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.Table;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProtectCommandTest {
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

  /** Runs on the catalog. */
  private CommandRun protect(Object... options) {
    return protectTable("db.events", options);
  }

  private CommandRun protectTable(String name, Object... options) {
    List<Object> args = new ArrayList<>(List.of("protect", "--catalog-name"));
    args.addAll(List.of(DemoWarehouse.CATALOG_NAME, "--catalog-property"));
    warehouse.catalogProperties().forEach((key, value) -> args.add(key + "=" + value));
    args.addAll(List.of(options));
    args.addAll(List.of("--", name));
    CommandRun run = CommandRun.of(args.toArray());
    table.refresh();
    return run;
  }

  /** Returns what is printed, of a run that is fine. */
  private String fine(Object... options) {
    CommandRun run = protect(options);
    assertThat(run.exitCode()).as(run.err()).isZero();
    return run.out();
  }

  private String head() {
    return "db.events  format version 3\n  location    "
        + table.location()
        + "\n  metadata    "
        + shared.metadataFile()
        + "\n";
  }

  private static final String COST =
      """
        cost        new manifests for 3 data files and 2 delete files of main, marked as removed on the branch only
                    each later expiry reads all manifests of the retained snapshots
        warning     the branch has no data: never fast-forward main to it or replace main by it, that empties the table
      """;

  @Test
  void planSaysWhatIsAtRiskAndWhatTheBranchCosts() {
    Map<String, String> before = SharedPuffin.listing(folder);

    assertThat(fine())
        .isEqualTo(
            head()
                + """
                    protected   no
                    at risk     1 Puffin file with 1 live vector: a plain expireSnapshots() deletes it
                    to make     branch puffin-guard, by one commit; main does not change
                  """
                + COST
                + "\nNothing was changed; --apply makes the branch.\n");
    assertThat(CommandRun.of("protect", table.location()).exitCode()).isZero();
    assertThat(SharedPuffin.listing(folder)).isEqualTo(before);
  }

  @Test
  void plainExpiryIsHarmlessWithTheBranch() {
    long main = table.currentSnapshot().snapshotId();

    String made = fine("--apply");

    assertThat(made)
        .isEqualTo(
            head()
                + """
                    protected   by branch puffin-guard
                    at risk     1 Puffin file with 1 live vector, if branch puffin-guard is removed
                    made        branch puffin-guard, by one commit; main does not change
                  """
                + COST
                + "\nThe table is protected. icedv protect --remove --apply takes the branch away.\n");
    assertThat(table.currentSnapshot().snapshotId()).isEqualTo(main);
    shared.expirePlainly();
    assertThat(table.snapshots()).hasSize(2);
    assertThat(shared.puffinExists()).isTrue();
    CommandRun whole = CommandRun.of("table", "--check", "full", shared.metadataFile());
    assertThat(whole.exitCode()).as(whole.out()).isZero();
    assertThat(whole.out())
        .contains(
            "  checked     2 vectors read, nothing wrong\n  protected   by branch puffin-guard\n");
  }

  @Test
  void branchIsMadeOnce() {
    fine("--apply");
    String metadata = shared.metadataFile();

    for (String again : List.of(fine("--apply"), fine())) {
      assertThat(again).endsWith("\nThe table is protected; there is nothing to do.\n");
    }
    assertThat(shared.metadataFile()).isEqualTo(metadata);
  }

  @Test
  void branchIsRemoved() {
    fine("--apply");

    String plan = fine("--remove");
    assertThat(table.refs()).containsKey(GuardBranch.NAME);
    String done = fine("--remove", "--apply");

    assertThat(plan)
        .contains(
            """
              protected   by branch puffin-guard
              at risk     1 Puffin file with 1 live vector, if branch puffin-guard is removed
              to remove   branch puffin-guard; its snapshot goes with the next expiry

            Nothing was changed; --apply removes the branch.
            """);
    assertThat(done)
        .isEqualTo(
            head()
                + """
                    protected   no
                    at risk     1 Puffin file with 1 live vector: a plain expireSnapshots() deletes it
                    removed     branch puffin-guard; its snapshot goes with the next expiry

                  The branch is removed.
                  """);
    assertThat(table.refs()).containsOnlyKeys("main");
  }

  @Test
  void nothingToRemoveIsFine() {
    for (String out : List.of(fine("--remove"), fine("--remove", "--apply"))) {
      assertThat(out)
          .endsWith("\nThe table has no branch puffin-guard; there is nothing to remove.\n");
    }
  }

  @Test
  void jsonHasStateAndStep() {
    JsonNode plan = protect("--json").json();

    assertThat(plan.fieldNames())
        .toIterable()
        .containsExactly(
            "table",
            "location",
            "metadataFile",
            "formatVersion",
            "applied",
            "step",
            "guardBranch",
            "guardBranchBefore",
            "dataFileCount",
            "deleteFileCount",
            "puffinFilesAtRisk");
    assertThat(plan.path("applied").asBoolean()).isFalse();
    assertThat(plan.path("step").asText()).isEqualTo("MAKE");
    assertThat(plan.path("guardBranchBefore").asText()).isEqualTo("ABSENT");
    assertThat(plan.path("dataFileCount").asInt()).isEqualTo(3);
    assertThat(plan.path("deleteFileCount").asInt()).isEqualTo(2);
    assertThat(plan.path("puffinFilesAtRisk").get(0).asText()).isEqualTo(shared.puffin());
    JsonNode done = protect("--json", "--apply").json();
    assertThat(done.path("applied").asBoolean()).isTrue();
    assertThat(done.path("protectingRef").asText()).isEqualTo("puffin-guard");
    assertThat(done.path("guardBranchSnapshotId").asLong())
        .isEqualTo(table.snapshot(GuardBranch.NAME).snapshotId());
    assertThat(protect("--json").json().path("step").asText()).isEqualTo("NOTHING");
    assertThat(protect("--json", "--remove").json().path("step").asText()).isEqualTo("REMOVE");
  }

  @Test
  void anotherBranchThatProtectsIsNamed() {
    table.manageSnapshots().createBranch("audit").commit();
    table.newDelete().deleteFile(shared.first()).toBranch("audit").commit();

    assertThat(fine())
        .contains(
            """
              protected   by branch audit
              at risk     1 Puffin file with 1 live vector, if branch audit is removed
            """)
        .endsWith(
            "\nNothing was changed; --apply makes the branch as well, which stays when branch audit"
                + " goes.\n");
    assertThat(fine("--apply")).contains("  protected   by branch puffin-guard\n");
  }

  @Test
  void tagThatProtectsIsNamed() {
    table.manageSnapshots().createBranch("audit").commit();
    table.newDelete().deleteFile(shared.first()).toBranch("audit").commit();
    table
        .manageSnapshots()
        .createTag("report", table.snapshot("audit").snapshotId())
        .removeBranch("audit")
        .commit();

    assertThat(fine()).contains("  protected   by tag report\n");
  }

  @Test
  void branchThatDoesNotProtectAnyMoreIsMended() {
    fine("--apply");
    table.manageSnapshots().setMaxRefAgeMs(GuardBranch.NAME, 1000).commit();

    assertThat(fine())
        .contains(
            "  protected   no\n",
            "  note        branch puffin-guard does not protect: it may expire, or its snapshot is in"
                + " the history of main\n");
    assertThat(fine("--apply")).contains("  protected   by branch puffin-guard\n");
  }

  @Test
  void tagOfThatNameIsNotTouched() {
    table
        .manageSnapshots()
        .createTag(GuardBranch.NAME, table.currentSnapshot().snapshotId())
        .commit();

    for (CommandRun plan : List.of(protect(), protect("--remove"))) {
      assertThat(plan.exitCode()).isEqualTo(1);
      assertThat(plan.out())
          .contains("  note        tag puffin-guard is not one that icedv made\n")
          .endsWith(
              "\nNothing was changed, and --apply will not touch it: remove it first, or rename"
                  + " it.\n");
    }
    String suffix =
        " demo.db.events: its tag puffin-guard is another one, at snapshot "
            + table.currentSnapshot().snapshotId()
            + "\n";
    assertThat(protect("--apply").err()).isEqualTo("icedv: Cannot protect" + suffix);
    CommandRun removal = protect("--remove", "--apply");
    assertThat(removal.exitCode()).isEqualTo(2);
    assertThat(removal.err()).isEqualTo("icedv: Cannot remove the protection of" + suffix);
    assertThat(table.refs()).containsKey(GuardBranch.NAME);
  }

  @Test
  void tableWithoutSnapshotsHasNothingToProtect() {
    warehouse.createTable();

    CommandRun plan = protectTable("db.events_2");
    CommandRun done = protectTable("db.events_2", "--apply");

    assertThat(plan.exitCode()).isZero();
    assertThat(plan.out())
        .contains("  protected   no\n  at risk     no Puffin file now\n")
        .endsWith("\nMain has no snapshot yet; there is nothing to protect.\n");
    assertThat(done.exitCode()).isEqualTo(2);
    assertThat(done.err())
        .isEqualTo("icedv: Cannot protect demo.db.events_2: its main branch has no snapshot yet\n");
  }

  @Test
  void folderOfAHadoopTableSuffices() {
    SharedPuffin hadoop = SharedPuffin.inFolder(folder.resolve("hadoop"), shared);

    CommandRun run = CommandRun.of("protect", "--apply", hadoop.table().location());

    assertThat(run.exitCode()).as(run.err()).isZero();
    hadoop.expirePlainly();
    assertThat(hadoop.puffinExists()).isTrue();
  }

  @Test
  void filesOfACatalogsTableAreOnlyForThePlan() {
    CommandRun run = CommandRun.of("protect", "--apply", shared.metadataFile());

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).contains(shared.metadataFile() + ": cannot be committed to: ");
    assertThat(CommandRun.of("protect", shared.metadataFile()).exitCode()).isZero();
  }

  @Test
  void snapshotThatCannotBeReadMakesTheRiskUnknown() throws IOException {
    Path missing = Path.of(table.snapshot(shared.replaced()).manifestListLocation());
    Files.delete(missing);

    assertThat(fine()).contains("  at risk     not known: ").contains(missing.toString());
    assertThat(fine("--apply")).contains("  protected   by branch puffin-guard\n");
  }
}
