package io.github.icebergext.cli.mend;

import io.github.icebergext.cli.source.Locations;
import io.github.icebergext.cli.text.Errors;
import io.github.icebergext.cli.text.FactSheet;
import io.github.icebergext.cli.text.Ink;
import io.github.icebergext.cli.text.Numbers;
import io.github.icebergext.cli.text.Outcome;
import io.github.icebergext.cli.text.Printable;
import io.github.icebergext.cli.text.Terminal;
import io.github.icebergext.cli.text.TextTable;
import io.github.icebergext.dv.maintain.KeptFile;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.apache.iceberg.Snapshot;

/** An expiry of snapshots, or the plan of one, as text for a person. */
final class ExpireText {
  /** The text does not list more snapshots, or kept or failed files; JSON has all. */
  private static final int MOST_LISTED = 20;

  /** The text does not list more files to delete. */
  private static final int MOST_DELETED = 5;

  private final ExpireReport report;

  ExpireText(ExpireReport report) {
    this.report = report;
  }

  void print(Terminal terminal) {
    Ink ink = terminal.ink();
    FactSheet facts = new FactSheet(terminal);
    facts.title(report.name(), "format version " + report.metadata().formatVersion());
    facts.add("location", report.metadata().location());
    facts.add("metadata", report.metadata().metadataFileLocation());
    facts.add("older than", report.asked().cutOff().truncatedTo(ChronoUnit.SECONDS).toString());
    if (report.asked().retainLast() != null) {
      facts.add("retained", "at least the last " + report.asked().retainLast() + " of each branch");
    }
    facts.add("snapshots", snapshotsText());
    if (!report.removedRefs().isEmpty()) {
      facts.add(report.applied() ? "removed" : "to remove", removedRefsText());
    }
    facts.add(report.applied() ? "deleted" : "to delete", deletedText());
    addKept(facts, ink);
    if (!report.result().failed().isEmpty()) {
      facts.addPainted("failed", ink.red("✗ " + failedText()));
    }
    facts.print();
    printKept(terminal);
    printSnapshots(terminal);
    printDeleted(terminal);
    printFailed(terminal);
    terminal.out().println();
    terminal.out().println(lastLine());
  }

  private void addKept(FactSheet facts, Ink ink) {
    List<KeptFile> live = report.kept(KeptFile.Cause.LIVE_DELETES);
    if (!live.isEmpty()) {
      facts.addPainted("kept", ink.yellow(liveText(live)));
    }
    int statistics = report.kept(KeptFile.Cause.STATISTICS).size();
    if (statistics > 0) {
      facts.add(
          "kept",
          Numbers.count(statistics, "file", "files") + " of statistics that the table still has");
    }
    if (report.unreadable() != null) {
      facts.add("kept", "every file: what the retained snapshots need cannot be read");
      facts.addPainted("unreadable", ink.red("✗ " + Printable.of(report.unreadable())));
    }
  }

  private String snapshotsText() {
    int before = report.snapshotsBefore();
    int expired = report.result().expiredSnapshots().size();
    if (before == 0) {
      return "none yet";
    }
    return (expired == 0 ? "none" : Numbers.count(expired))
        + " of "
        + Numbers.count(before)
        + (report.applied() ? " expired" : " would expire");
  }

  private String removedRefsText() {
    return String.join(", ", report.removedRefs()) + ", because of their age";
  }

  private String deletedText() {
    List<String> parts = new ArrayList<>();
    report.kinds().forEach((kind, count) -> parts.add(kind.text(count)));
    return parts.isEmpty()
        ? "no file"
        : Numbers.count(report.result().deleted().size(), "file", "files")
            + ": "
            + String.join(", ", parts);
  }

  private String liveText(List<KeptFile> live) {
    long vectors = report.liveVectors() == null ? 0 : report.liveVectors().total();
    return Numbers.count(live.size(), "file", "files")
        + (vectors == 0 ? "" : " with " + Numbers.count(vectors, "live vector", "live vectors"))
        + (report.applied()
            ? " that plain Iceberg would have destroyed"
            : " that plain Iceberg would destroy");
  }

  private String failedText() {
    return Numbers.count(report.result().failed().size(), "file", "files")
        + " could not be deleted; nothing refers to "
        + (report.result().failed().size() == 1 ? "it" : "them");
  }

  private void printKept(Terminal terminal) {
    TextTable table =
        new TextTable(terminal).elastic("kept").right("live vectors now").left("needed by");
    printSome(
        terminal,
        table,
        report.kept(KeptFile.Cause.LIVE_DELETES),
        MOST_LISTED,
        file -> table.row(keptCells(file)));
  }

  private List<String> keptCells(KeptFile file) {
    return List.of(
        relative(file.location()),
        report.liveVectors() == null
            ? "?"
            : Numbers.count(report.liveVectors().in(file.location())),
        file.snapshotId().isPresent() ? neededBy(file.snapshotId().getAsLong()) : "");
  }

  private String neededBy(long snapshotId) {
    Snapshot current = report.metadata().currentSnapshot();
    boolean isCurrent = current != null && current.snapshotId() == snapshotId;
    return (isCurrent ? "current snapshot " : "snapshot ") + snapshotId;
  }

  private void printSnapshots(Terminal terminal) {
    TextTable table =
        new TextTable(terminal)
            .left(report.applied() ? "expired" : "to expire")
            .left("operation")
            .left("made");
    printSome(
        terminal,
        table,
        report.result().expiredSnapshots(),
        MOST_LISTED,
        snapshot ->
            table.row(
                List.of(
                    Long.toString(snapshot.snapshotId()),
                    String.valueOf(snapshot.operation()),
                    Instant.ofEpochMilli(snapshot.timestampMillis()).toString())));
  }

  private void printDeleted(Terminal terminal) {
    TextTable table = new TextTable(terminal).elastic(report.applied() ? "deleted" : "to delete");
    printSome(
        terminal,
        table,
        report.deleted(),
        MOST_DELETED,
        location -> table.row(List.of(relative(location))));
  }

  private void printFailed(Terminal terminal) {
    TextTable table = new TextTable(terminal).elastic("not deleted").left("why");
    printSome(
        terminal,
        table,
        List.copyOf(report.result().failed().entrySet()),
        MOST_LISTED,
        failed -> table.row(List.of(relative(failed.getKey()), Errors.message(failed.getValue()))));
  }

  private static <T> void printSome(
      Terminal terminal, TextTable table, List<T> all, int most, Consumer<T> addRow) {
    if (all.isEmpty()) {
      return;
    }
    all.stream().limit(most).forEach(addRow);
    terminal.out().println();
    table.print();
    if (all.size() > most) {
      terminal.out().println("  … and " + Numbers.count(all.size() - most) + " more; see --json");
    }
  }

  private String relative(String location) {
    return Locations.relative(location, report.metadata().location());
  }

  private String lastLine() {
    if (report.isNothingToDo()) {
      return report.applied() ? "There was nothing to expire." : "There is nothing to expire.";
    }
    if (report.applied()) {
      return report.outcome() == Outcome.FINE
          ? "The snapshots are expired."
          : "The snapshots are expired, but files that nothing needs are left; icedv orphans lists"
              + " them"
              + (report.unreadable() == null ? "." : " once all snapshots can be read.");
    }
    return report.unreadable() == null
        ? "Nothing was changed; --apply expires."
        : "Nothing was changed. --apply expires the snapshots, but deletes no file as long as the"
            + " others cannot be read.";
  }
}
