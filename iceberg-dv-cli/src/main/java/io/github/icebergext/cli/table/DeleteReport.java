package io.github.icebergext.cli.table;

import io.github.icebergext.cli.source.Locations;
import io.github.icebergext.cli.text.FactSheet;
import io.github.icebergext.cli.text.Json;
import io.github.icebergext.cli.text.Numbers;
import io.github.icebergext.cli.text.Outcome;
import io.github.icebergext.cli.text.Report;
import io.github.icebergext.cli.text.Terminal;
import io.github.icebergext.cli.text.TextTable;
import io.github.icebergext.dv.write.FlushedVector;
import java.util.List;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.TableMetadata;
import org.jspecify.annotations.Nullable;

/**
 * The rows that were deleted, or would be.
 *
 * @param branch the branch that has, or would have, the new snapshot
 * @param snapshot the new snapshot; null if none was made
 */
public record DeleteReport(
    String name,
    TableMetadata metadata,
    String branch,
    boolean dryRun,
    @Nullable Snapshot snapshot,
    List<Deleted> deleted)
    implements Report {

  /**
   * What was done to one data file.
   *
   * @param flushed the new vector; null if none was written
   */
  public record Deleted(PlannedDelete plan, @Nullable FlushedVector flushed) {
    private long deletedRows() {
      return flushed == null ? plan.deletedRows() : flushed.entry().recordCount();
    }

    private long newlyDeletedRows() {
      return (flushed == null ? plan.added() : flushed.newPositions()).cardinality();
    }

    /** Without a flush, position-delete files were not read. */
    private boolean isUpperBound() {
      return flushed == null && plan.otherPositionDeletes();
    }

    private boolean allRowsDeleted() {
      return deletedRows() == plan.dataFile().recordCount();
    }
  }

  private long added() {
    return deleted.stream().mapToLong(Deleted::newlyDeletedRows).sum();
  }

  private long given() {
    return deleted.stream().mapToLong(one -> one.plan().given()).sum();
  }

  private boolean addedIsABound() {
    return deleted.stream().anyMatch(Deleted::isUpperBound);
  }

  @Override
  public Outcome outcome() {
    return Outcome.FINE;
  }

  @Override
  public Json.Members toJson() {
    return Json.object()
        .put("table", name)
        .put("location", metadata.location())
        .put("formatVersion", metadata.formatVersion())
        .put("branch", branch)
        .put("dryRun", dryRun)
        .put("snapshotId", snapshot == null ? null : snapshot.snapshotId())
        .put("sequenceNumber", snapshot == null ? null : snapshot.sequenceNumber())
        .put("dataFiles", deleted.stream().map(DeleteReport::json).toList())
        .put("dataFileCount", deleted.size())
        .put("givenRows", given())
        .put("newlyDeletedRows", added())
        .put("newlyDeletedRowsIsUpperBound", addedIsABound());
  }

  private static Json.Members json(Deleted one) {
    FlushedVector flushed = one.flushed();
    return Json.object()
        .put("dataFile", one.plan().dataFile().location())
        .put("dataFileRecordCount", one.plan().dataFile().recordCount())
        .put("givenRows", one.plan().given())
        .put("newlyDeletedRows", one.newlyDeletedRows())
        .put("newlyDeletedRowsIsUpperBound", one.isUpperBound())
        .put("deletedRows", one.deletedRows())
        .put("allRowsDeleted", one.allRowsDeleted())
        .put("vector", flushed == null ? null : VectorEntry.toJson(flushed.entry()));
  }

  @Override
  public void print(Terminal terminal) {
    FactSheet facts = new FactSheet(terminal);
    facts.title(name, "format version " + metadata.formatVersion());
    facts.add("location", metadata.location());
    facts.add("branch", branch);
    facts.add("snapshot", snapshotText());
    facts.add(dryRun ? "to delete" : "deleted", addedText());
    facts.print();
    if (!deleted.isEmpty()) {
      terminal.out().println();
      printDataFiles(terminal);
    }
  }

  private String snapshotText() {
    if (snapshot != null) {
      return TableReport.describe(snapshot);
    }
    return dryRun ? "none made, as this is a dry run" : "none made, as there is nothing to delete";
  }

  private String addedText() {
    String rows =
        (addedIsABound() ? "at most " : "")
            + Numbers.count(added(), "row", "rows")
            + " in "
            + Numbers.count(deleted.size(), "data file", "data files");
    long before = given() - added();
    return before == 0 ? rows : rows + "; " + Numbers.count(before) + " more were deleted already";
  }

  private void printDataFiles(Terminal terminal) {
    TextTable table =
        new TextTable(terminal)
            .elastic("data file")
            .right("rows")
            .right("new")
            .right("deleted")
            .right("")
            .elastic("vector in");
    deleted.forEach(one -> table.row(cells(one)));
    table.print();
  }

  private List<String> cells(Deleted one) {
    long rows = one.plan().dataFile().recordCount();
    FlushedVector flushed = one.flushed();
    return List.of(
        Locations.relative(one.plan().dataFile().location(), metadata.location()),
        Numbers.count(rows),
        Numbers.count(one.newlyDeletedRows()),
        Numbers.count(one.deletedRows()),
        Numbers.percent(one.deletedRows(), rows),
        flushed == null
            ? "-"
            : Locations.relative(flushed.entry().location(), metadata.location()));
  }
}
