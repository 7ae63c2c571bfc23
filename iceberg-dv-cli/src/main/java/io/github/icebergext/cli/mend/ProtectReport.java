package io.github.icebergext.cli.mend;

import io.github.icebergext.cli.table.ManifestCounts;
import io.github.icebergext.cli.table.PuffinRisk;
import io.github.icebergext.cli.text.FactSheet;
import io.github.icebergext.cli.text.Json;
import io.github.icebergext.cli.text.Numbers;
import io.github.icebergext.cli.text.Outcome;
import io.github.icebergext.cli.text.Report;
import io.github.icebergext.cli.text.Terminal;
import io.github.icebergext.dv.maintain.GuardBranch;
import org.apache.iceberg.SnapshotRef;
import org.apache.iceberg.TableMetadata;
import org.jspecify.annotations.Nullable;

/**
 * Whether a table is protected against plain expiries, and what was done about it or would be.
 *
 * @param metadata the table's metadata now
 * @param before what the table had of the branch before the command
 * @param files what main's head has; null unless the branch is made, or would be
 * @param risk the files at risk and what protects the table, now
 */
public record ProtectReport(
    String name,
    TableMetadata metadata,
    Asked asked,
    GuardBranch.State before,
    @Nullable ManifestCounts files,
    PuffinRisk risk)
    implements Report {

  private static final int VERSION_OF_VECTORS = 3;
  private static final String BRANCH = "branch " + GuardBranch.NAME;

  /** What the table shall be. */
  public enum Goal {
    WITH_BRANCH,
    WITHOUT_BRANCH
  }

  /** What the command line says. */
  public record Asked(Mode mode, Goal goal) {}

  /** What becomes of the branch. */
  enum Step {
    MAKE,
    REMOVE,
    NOTHING,
    /** The branch cannot be made, as main has no snapshot. */
    NO_SNAPSHOT,
    /** The table has another branch or tag of that name. */
    FOREIGN
  }

  private Step step() {
    boolean wanted = asked.goal() == Goal.WITH_BRANCH;
    return switch (before) {
      case FOREIGN -> Step.FOREIGN;
      case PROTECTING -> wanted ? Step.NOTHING : Step.REMOVE;
      case INEFFECTIVE -> wanted ? Step.MAKE : Step.REMOVE;
      case ABSENT -> wanted ? stepToMake() : Step.NOTHING;
    };
  }

  private Step stepToMake() {
    return metadata.currentSnapshot() == null ? Step.NO_SNAPSHOT : Step.MAKE;
  }

  private boolean applied() {
    return asked.mode() == Mode.APPLY;
  }

  @Override
  public Outcome outcome() {
    return step() == Step.FOREIGN ? Outcome.FINDINGS : Outcome.FINE;
  }

  @Override
  public Json.Members toJson() {
    SnapshotRef ref = metadata.ref(GuardBranch.NAME);
    Json.Members json =
        Json.object()
            .put("table", name)
            .put("location", metadata.location())
            .put("metadataFile", metadata.metadataFileLocation())
            .put("formatVersion", metadata.formatVersion())
            .put("applied", applied())
            .put("step", step().name())
            .put("guardBranch", GuardBranch.NAME)
            .put("guardBranchBefore", before.name())
            .put("guardBranchSnapshotId", ref == null ? null : ref.snapshotId());
    if (files != null) {
      json.put("dataFileCount", files.dataFiles()).put("deleteFileCount", files.deleteFiles());
    }
    risk.addTo(json);
    return json;
  }

  @Override
  public void print(Terminal terminal) {
    FactSheet facts = new FactSheet(terminal);
    facts.title(name, "format version " + metadata.formatVersion());
    facts.add("location", metadata.location());
    facts.add("metadata", metadata.metadataFileLocation());
    facts.add("protected", risk.protector() == null ? "no" : "by " + risk.protector());
    facts.add("at risk", riskText());
    addState(facts);
    switch (step()) {
      case MAKE -> addMaking(facts);
      case REMOVE ->
          facts.add(
              applied() ? "removed" : "to remove",
              BRANCH + "; its snapshot goes with the next expiry");
      default -> {}
    }
    facts.print();
    terminal.out().println();
    terminal.out().println(lastLine());
  }

  private String riskText() {
    if (risk.unknown() != null) {
      return "not known: " + risk.unknown();
    }
    if (risk.locations().isEmpty()) {
      return "no Puffin file now";
    }
    return risk.filesText()
        + (risk.protector() == null
            ? ": a plain expireSnapshots() deletes " + risk.pronoun()
            : ", if " + risk.protector() + " is removed");
  }

  private void addState(FactSheet facts) {
    if (before == GuardBranch.State.FOREIGN) {
      facts.add(
          "note",
          PuffinRisk.describe(GuardBranch.NAME, metadata.ref(GuardBranch.NAME))
              + " is not one that icedv made");
    } else if (before == GuardBranch.State.INEFFECTIVE) {
      facts.add(
          "note",
          BRANCH
              + (applied() ? " did not protect" : " does not protect")
              + ": it may expire, or its snapshot is in the history of main");
    }
  }

  private void addMaking(FactSheet facts) {
    if (metadata.formatVersion() < VERSION_OF_VECTORS) {
      facts.add(
          "note",
          "tables of format version "
              + metadata.formatVersion()
              + " have no deletion vectors: there is nothing to protect yet");
    }
    facts.add(applied() ? "made" : "to make", BRANCH + ", by one commit; main does not change");
    if (files != null) {
      facts.add(
          "cost",
          "new manifests for "
              + Numbers.count(files.dataFiles(), "data file", "data files")
              + " and "
              + Numbers.count(files.deleteFiles(), "delete file", "delete files")
              + " of main, marked as removed on the branch only");
    }
    facts.add(
        files == null ? "cost" : "",
        "each later expiry reads all manifests of the retained snapshots");
    facts.add(
        "warning",
        "the branch has no data: never fast-forward main to it or replace main by it, that empties"
            + " the table");
  }

  private String lastLine() {
    return switch (step()) {
      case MAKE ->
          applied()
              ? "The table is protected. icedv protect --remove --apply takes the branch away."
              : planText();
      case REMOVE ->
          applied() ? "The branch is removed." : "Nothing was changed; --apply removes the branch.";
      case NOTHING ->
          asked.goal() == Goal.WITH_BRANCH
              ? "The table is protected; there is nothing to do."
              : "The table has no " + BRANCH + "; there is nothing to remove.";
      case NO_SNAPSHOT -> "Main has no snapshot yet; there is nothing to protect.";
      case FOREIGN ->
          "Nothing was changed, and --apply will not touch it: remove it first, or rename it.";
    };
  }

  private String planText() {
    String plan = "Nothing was changed; --apply makes the branch";
    return risk.protector() == null
        ? plan + "."
        : plan + " as well, which stays when " + risk.protector() + " goes.";
  }
}
