package io.github.icebergext.cli.table;

import io.github.icebergext.cli.source.Locations;
import io.github.icebergext.cli.text.FactSheet;
import io.github.icebergext.cli.text.Ink;
import io.github.icebergext.cli.text.Json;
import io.github.icebergext.cli.text.Numbers;
import io.github.icebergext.cli.text.Outcome;
import io.github.icebergext.cli.text.Report;
import io.github.icebergext.cli.text.Terminal;
import io.github.icebergext.cli.text.TextTable;
import java.util.ArrayList;
import java.util.List;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.TableMetadata;

/** What changed in the deletes by position between two snapshots. */
public record DiffReport(
    String name,
    TableMetadata metadata,
    Snapshot from,
    Snapshot to,
    boolean fromIsAncestor,
    List<DiffChange> changes)
    implements Report {

  @Override
  public Outcome outcome() {
    return changes.stream().anyMatch(change -> change.problem() != null)
        ? Outcome.FINDINGS
        : Outcome.FINE;
  }

  private long count(DiffChange.Kind kind) {
    return changes.stream().filter(change -> change.kind() == kind).count();
  }

  /** Returns the rows that were deleted since, of data files that both snapshots have. */
  private long deletedRows() {
    return changes.stream()
        .filter(change -> change.kind() != DiffChange.Kind.DATA_FILE_ADDED)
        .mapToLong(DiffReport::deleted)
        .sum();
  }

  private long deletedRowsOfAddedDataFiles() {
    return changes.stream()
        .filter(change -> change.kind() == DiffChange.Kind.DATA_FILE_ADDED)
        .mapToLong(DiffReport::deleted)
        .sum();
  }

  private static long deleted(DiffChange change) {
    Long deleted = change.deleted();
    return deleted == null ? 0 : deleted;
  }

  private long restoredRows() {
    return changes.stream().mapToLong(DiffChange::restored).sum();
  }

  @Override
  public Json.Members toJson() {
    return Json.object()
        .put("table", name)
        .put("location", metadata.location())
        .put("metadataFile", metadata.metadataFileLocation())
        .put("formatVersion", metadata.formatVersion())
        .put("fromSnapshotId", from.snapshotId())
        .put("toSnapshotId", to.snapshotId())
        .put("fromIsAncestor", fromIsAncestor)
        .put("changes", changes.stream().map(DiffChange::toJson).toList())
        .put("changeCount", changes.size())
        .put("deletedRows", deletedRows())
        .put("restoredRows", restoredRows())
        .put("deletedRowsOfAddedDataFiles", deletedRowsOfAddedDataFiles())
        .put("removedDataFileCount", count(DiffChange.Kind.DATA_FILE_REMOVED))
        .put("rewrittenDataFileCount", count(DiffChange.Kind.DATA_FILE_REWRITTEN))
        .put(
            "positionDeletesChangedDataFileCount", count(DiffChange.Kind.POSITION_DELETES_CHANGED));
  }

  @Override
  public void print(Terminal terminal) {
    FactSheet facts = new FactSheet(terminal);
    facts.title(name, "format version " + metadata.formatVersion());
    facts.add("location", metadata.location());
    facts.add("from", TableReport.describe(from));
    facts.add("to", TableReport.describe(to));
    if (!fromIsAncestor) {
      facts.add("history", "the first snapshot is no ancestor of the second, as far as is known");
    }
    facts.add("deleted", deletedText());
    addOthers(facts);
    facts.print();
    if (!changes.isEmpty()) {
      terminal.out().println();
      printChanges(terminal);
    }
  }

  private String deletedText() {
    long files =
        changes.stream()
            .filter(change -> change.kind() != DiffChange.Kind.DATA_FILE_ADDED)
            .filter(change -> deleted(change) > 0)
            .count();
    String rows =
        files == 0
            ? "no rows"
            : Numbers.count(deletedRows(), "row", "rows")
                + " in "
                + Numbers.count(files, "data file", "data files");
    return count(DiffChange.Kind.POSITION_DELETES_CHANGED) == 0
        ? rows
        : rows + ", those of position-delete files not counted";
  }

  private void addOthers(FactSheet facts) {
    if (restoredRows() > 0) {
      facts.add("restored", Numbers.count(restoredRows(), "row", "rows"));
    }
    List<String> others = new ArrayList<>();
    add(others, DiffChange.Kind.DATA_FILE_ADDED, "added with deletes");
    add(others, DiffChange.Kind.DATA_FILE_REMOVED, "removed");
    add(others, DiffChange.Kind.DATA_FILE_REWRITTEN, "rewritten");
    add(others, DiffChange.Kind.POSITION_DELETES_CHANGED, "with other position deletes");
    add(others, DiffChange.Kind.DUPLICATE_VECTORS, "with several vectors");
    if (!others.isEmpty()) {
      facts.add("also", String.join(", ", others));
    }
  }

  private void add(List<String> texts, DiffChange.Kind kind, String what) {
    if (count(kind) > 0) {
      texts.add(Numbers.count(count(kind), "data file ", "data files ") + what);
    }
  }

  private void printChanges(Terminal terminal) {
    TextTable table =
        new TextTable(terminal).elastic("data file").left("change").right("rows").right("deleted");
    boolean restored = restoredRows() > 0;
    if (restored) {
      table.right("restored");
    }
    for (DiffChange change : changes) {
      table.row(cells(change, restored), details(change, terminal.ink()));
    }
    table.print();
  }

  private List<String> cells(DiffChange change, boolean withRestored) {
    Long deleted = change.deleted();
    List<String> cells =
        new ArrayList<>(
            List.of(
                Locations.relative(change.dataFile().location(), metadata.location()),
                change.kind().text(),
                Numbers.count(change.dataFile().recordCount()),
                deleted == null ? "" : Numbers.count(deleted)));
    if (withRestored) {
      cells.add(change.restored() == 0 ? "" : Numbers.count(change.restored()));
    }
    return cells;
  }

  private static List<String> details(DiffChange change, Ink ink) {
    List<String> details = new ArrayList<>();
    if (!change.rangesText().isEmpty()) {
      details.add(ink.dim(String.join("  ", change.rangesText())));
    }
    if (change.problem() != null) {
      details.add(ink.red("✗ " + change.problem().message()));
    }
    return details;
  }
}
