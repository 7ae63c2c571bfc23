package io.github.icebergext.cli;

import java.util.List;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.TableMetadata;
import org.jspecify.annotations.Nullable;

/**
 * The rows that were deleted, or would be.
 *
 * @param branch the branch that has, or would have, the new snapshot
 * @param snapshot the new snapshot; null if none was made
 */
record DeleteReport(
    String name,
    TableMetadata metadata,
    String branch,
    boolean dryRun,
    @Nullable Snapshot snapshot,
    List<Deleted> deleted) {

  /**
   * What was done to one data file.
   *
   * @param vector the new vector; null if none was written
   */
  record Deleted(PlannedDelete plan, @Nullable DeleteFile vector) {
    private long deletedRows() {
      return vector == null ? plan.deletedRows() : vector.recordCount();
    }

    private boolean allRowsDeleted() {
      return deletedRows() == plan.dataFile().recordCount();
    }
  }

  private long added() {
    return deleted.stream().mapToLong(one -> one.plan().added().cardinality()).sum();
  }

  private long given() {
    return deleted.stream().mapToLong(one -> one.plan().given()).sum();
  }

  private boolean addedIsABound() {
    return deleted.stream().anyMatch(one -> one.plan().otherPositionDeletes());
  }

  Json.Members toJson() {
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
    DeleteFile vector = one.vector();
    return Json.object()
        .put("dataFile", one.plan().dataFile().location())
        .put("dataFileRecordCount", one.plan().dataFile().recordCount())
        .put("givenRows", one.plan().given())
        .put("newlyDeletedRows", one.plan().added().cardinality())
        .put("newlyDeletedRowsIsUpperBound", one.plan().otherPositionDeletes())
        .put("deletedRows", one.deletedRows())
        .put("allRowsDeleted", one.allRowsDeleted())
        .put("vector", vector == null ? null : vectorJson(vector));
  }

  private static Json.Members vectorJson(DeleteFile vector) {
    return Json.object()
        .put("location", vector.location())
        .put("contentOffset", vector.contentOffset())
        .put("contentSizeInBytes", vector.contentSizeInBytes())
        .put("recordCount", vector.recordCount());
  }

  void print(Terminal terminal) {
    Facts facts = new Facts(terminal);
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
    DeleteFile vector = one.vector();
    return List.of(
        Relocations.relative(one.plan().dataFile().location(), metadata.location()),
        Numbers.count(rows),
        Numbers.count(one.plan().added().cardinality()),
        Numbers.count(one.deletedRows()),
        Numbers.percent(one.deletedRows(), rows),
        vector == null ? "-" : Relocations.relative(vector.location(), metadata.location()));
  }
}
