package io.github.icebergext.cli;

import io.github.icebergext.cli.file.PuffinReport;
import io.github.icebergext.cli.file.VectorScan;
import io.github.icebergext.cli.table.VectorEntry;
import io.github.icebergext.cli.text.Ink;
import io.github.icebergext.cli.text.Json;
import io.github.icebergext.cli.text.Numbers;
import io.github.icebergext.cli.text.Outcome;
import io.github.icebergext.cli.text.Report;
import io.github.icebergext.cli.text.Terminal;
import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.dv.DeletionVectorIdentity;
import io.github.icebergext.dv.read.DeletionVectorReader;
import io.github.icebergext.dv.table.LiveDeletes;
import io.github.icebergext.dv.write.DeletionVectorWriter;
import io.github.icebergext.dv.write.FlushedVector;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.MetadataColumns;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.io.CloseableIterable;

/**
 * What the demo did.
 *
 * @param folder where the warehouse is
 * @param first vector of the first round of deletes
 * @param second vector of the second round, which replaces the first
 * @param scan positions of the second vector
 * @param byIceberg live rows as Iceberg's reader counts them
 * @param byVectors live rows as the vectors leave them
 * @param puffin file of the second vector
 */
record DemoReport(
    Path folder,
    Table table,
    DataFile dataFile,
    FlushedVector first,
    FlushedVector second,
    VectorScan scan,
    Rows byIceberg,
    Rows byVectors,
    PuffinReport puffin)
    implements Report {

  private static final long ROWS = 100_000;
  private static final int STEP = 10;
  private static final long RANGE_START = 40_000;
  private static final long RANGE_END = 60_000;
  private static final long DELETED = ROWS / STEP + (RANGE_END - RANGE_START) * (STEP - 1) / STEP;
  private static final int STRIP = 50;

  /** Live rows. */
  record Rows(long count, long sumOfIds) {}

  /** Makes a table, deletes rows twice, and counts. */
  static DemoReport of(DemoWarehouse warehouse) {
    Table table = warehouse.createTable();
    DataFile dataFile = warehouse.append(table, ROWS);
    long appended = table.currentSnapshot().snapshotId();

    DeletedPositions.Builder everyTenth = DeletedPositions.builder();
    for (long position = 0; position < ROWS; position += STEP) {
      everyTenth.add(position);
    }
    FlushedVector first = delete(table, dataFile, everyTenth.build());
    DeletedPositions range = DeletedPositions.builder().addRange(RANGE_START, RANGE_END).build();
    FlushedVector second = delete(table, dataFile, range);

    DeletedPositions deleted = DeletionVectorReader.of(table).read(liveVector(table, dataFile));
    String puffin = second.entry().location();
    return new DemoReport(
        warehouse.folder(),
        table,
        dataFile,
        first,
        second,
        new VectorScan(deleted, 0, STRIP),
        rows(IcebergGenerics.read(table).select("id").build(), DeletedPositions.builder().build()),
        rows(allRows(table, appended), deleted),
        PuffinReport.of(puffin, table.io().newInputFile(puffin)));
  }

  private static FlushedVector delete(Table table, DataFile dataFile, DeletedPositions positions) {
    try (DeletionVectorWriter writer = DeletionVectorWriter.of(table, LiveDeletes.of(table))) {
      writer.delete(dataFile, positions);
      return writer.flush().commit().vectors().get(0);
    }
  }

  private static DeleteFile liveVector(Table table, DataFile dataFile) {
    return LiveDeletes.of(table).vector(dataFile.location()).orElseThrow();
  }

  /** Returns the rows as they were appended, each with its position. */
  private static CloseableIterable<Record> allRows(Table table, long snapshotId) {
    Schema withPosition = new Schema(table.schema().findField("id"), MetadataColumns.ROW_POSITION);
    return IcebergGenerics.read(table).useSnapshot(snapshotId).project(withPosition).build();
  }

  private static Rows rows(CloseableIterable<Record> records, DeletedPositions deleted) {
    long count = 0;
    long sum = 0;
    try (CloseableIterable<Record> open = records) {
      for (Record row : open) {
        if (deleted.isEmpty() || !deleted.isDeleted((Long) row.get(1))) {
          count++;
          sum += (Long) row.get(0);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new Rows(count, sum);
  }

  private boolean agrees() {
    return byIceberg.equals(byVectors) && byVectors.count() == ROWS - DELETED;
  }

  @Override
  public Outcome outcome() {
    return agrees() ? puffin.outcome() : Outcome.FINDINGS;
  }

  @Override
  public Json.Members toJson() {
    return Json.object()
        .put("folder", folder.toString())
        .put("table", table.name())
        .put("location", table.location())
        .put("dataFile", dataFile.location())
        .put("rows", dataFile.recordCount())
        .put("firstVector", vectorJson(first))
        .put("secondVector", vectorJson(second))
        .put("liveRowsByIceberg", byIceberg.count())
        .put("liveRowsByVectors", byVectors.count())
        .put("agree", agrees())
        .put("puffin", puffin.toJson());
  }

  private static Json.Members vectorJson(FlushedVector flushed) {
    return VectorEntry.toJson(flushed.entry())
        .put("newPositionCount", flushed.newPositions().cardinality())
        .put("replaced", flushed.replaced().size());
  }

  @Override
  public void print(Terminal terminal) {
    PrintWriter out = terminal.out();
    Ink ink = terminal.ink();
    out.println(ink.bold("Deleting rows of an Iceberg table, twice") + "  in " + folder);
    out.println();
    step(terminal, "table", table.name() + ", format version 3, in a JDBC catalog on SQLite");
    step(
        terminal,
        "append",
        Numbers.count(dataFile.recordCount(), "row", "rows")
            + " in one Parquet file, "
            + Numbers.size(dataFile.fileSizeInBytes()));
    step(terminal, "delete", "every " + STEP + "th row");
    step(terminal, "", "a vector of " + vectorText(first));
    step(terminal, "delete", secondRoundText());
    step(terminal, "", "a vector of " + vectorText(second) + ", all deletes so far");
    step(terminal, "", "that takes the place of " + replacedText());
    step(terminal, "", ink.cyan(scan.strip()));
    step(terminal, "count", countText(ink));
    out.println();
    puffin.print(terminal);
    out.println();
    out.println(ink.dim("The warehouse stays. Look around:"));
    out.println("  icedv table " + table.location());
    out.println("  icedv show " + puffin.file());
  }

  private static String vectorText(FlushedVector flushed) {
    DeleteFile vector = flushed.entry();
    return Numbers.count(vector.recordCount(), "row", "rows")
        + ", "
        + Numbers.size(VectorEntry.size(vector));
  }

  private String secondRoundText() {
    return "rows "
        + Numbers.count(RANGE_START)
        + " to "
        + Numbers.count(RANGE_END - 1)
        + ", of which "
        + Numbers.count(second.newPositions().cardinality())
        + " were still there";
  }

  private String replacedText() {
    boolean first = second.replaced().stream().anyMatch(this::isFirst);
    return first && second.replaced().size() == 1
        ? "the first one"
        : Numbers.count(second.replaced().size(), "delete file", "delete files");
  }

  private boolean isFirst(DeleteFile replaced) {
    return DeletionVectorIdentity.of(replaced).equals(DeletionVectorIdentity.of(first.entry()));
  }

  private String countText(Ink ink) {
    String counts =
        Numbers.count(byIceberg.count())
            + " live rows by Iceberg's own reader, "
            + Numbers.count(byVectors.count())
            + " by the vector";
    return counts
        + (agrees()
            ? ink.green("  ✓ the same rows")
            : ink.red("  ✗ not the " + Numbers.count(ROWS - DELETED) + " rows expected"));
  }

  private static void step(Terminal terminal, String name, String what) {
    String label = name + " ".repeat(8 - name.length());
    terminal.out().println("  " + terminal.ink().bold(label) + what);
  }
}
