package io.github.icebergext.cli.table;

import io.github.icebergext.cli.source.Locations;
import io.github.icebergext.cli.source.TableSource;
import io.github.icebergext.cli.table.VectorAudit.LiveVector;
import io.github.icebergext.cli.text.FactSheet;
import io.github.icebergext.cli.text.Json;
import io.github.icebergext.cli.text.Numbers;
import io.github.icebergext.cli.text.Outcome;
import io.github.icebergext.cli.text.Printable;
import io.github.icebergext.cli.text.Problem;
import io.github.icebergext.cli.text.Report;
import io.github.icebergext.cli.text.Terminal;
import io.github.icebergext.cli.text.TextTable;
import io.github.icebergext.dv.read.DeletionVectorReader;
import io.github.icebergext.dv.table.LiveDeletes;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.jspecify.annotations.Nullable;

/**
 * The live deletion vectors of a snapshot.
 *
 * @param read whether the vectors themselves were read, to check them
 * @param manifestProblems what is wrong with manifests, where vectors were read
 * @param risk what a plain expiry of snapshots would delete, whichever snapshot this one is
 */
public record TableReport(
    String name,
    TableMetadata metadata,
    @Nullable Snapshot snapshot,
    List<LiveVector> vectors,
    LiveDeletes deletes,
    boolean read,
    List<Problem> manifestProblems,
    PuffinRisk risk)
    implements Report {

  /**
   * Reads the entries of a snapshot.
   *
   * @param reader reads the vectors too, to check them and their manifests; null to read none
   */
  public static TableReport of(
      String name,
      TableSource.OpenTable opened,
      @Nullable Snapshot snapshot,
      @Nullable DeletionVectorReader reader) {
    Table table = opened.table();
    LiveDeletes deletes = LiveDeletes.forAudit(table, snapshot);
    List<LiveVector> vectors = VectorAudit.of(deletes, reader);
    List<Problem> manifestProblems =
        reader == null ? List.of() : ManifestHeaders.problems(table, snapshot);
    return new TableReport(
        name,
        opened.metadata(),
        snapshot,
        vectors,
        deletes,
        reader != null,
        manifestProblems,
        PuffinRisk.of(opened));
  }

  @Override
  public Outcome outcome() {
    boolean fine =
        manifestProblems.isEmpty() && vectors.stream().allMatch(vector -> vector.problem() == null);
    return fine ? Outcome.FINE : Outcome.FINDINGS;
  }

  private long deletedRows() {
    return vectors.stream().mapToLong(vector -> vector.entry().recordCount()).sum();
  }

  private long rows() {
    return vectors.stream().mapToLong(vector -> vector.rows() == null ? 0 : vector.rows()).sum();
  }

  private long vectorBytes() {
    return vectors.stream().mapToLong(vector -> VectorEntry.size(vector.entry())).sum();
  }

  private long files() {
    return vectors.stream().map(vector -> vector.entry().location()).distinct().count();
  }

  @Override
  public Json.Members toJson() {
    Json.Members json =
        Json.object()
            .put("table", name)
            .put("location", metadata.location())
            .put("metadataFile", metadata.metadataFileLocation())
            .put("formatVersion", metadata.formatVersion());
    if (snapshot != null) {
      json.put("snapshotId", snapshot.snapshotId())
          .put("sequenceNumber", snapshot.sequenceNumber())
          .put("timestampMs", snapshot.timestampMillis())
          .put("operation", snapshot.operation());
    }
    json.put("deletionVectors", vectors.stream().map(TableReport::vectorJson).toList())
        .put("deletionVectorCount", vectors.size())
        .put("deletionVectorBytes", vectorBytes())
        .put("puffinFileCount", files())
        .put("vectorsRead", read)
        .put("deletedRows", deletedRows())
        .put("rowsOfDataFilesWithVectors", rows())
        .put("positionDeleteFileCount", deletes.positionDeletes().size())
        .put("equalityDeleteFileCount", deletes.equalityDeletes().size())
        .put("manifestProblems", manifestProblems.stream().map(Problem::toJson).toList());
    risk.addTo(json);
    return json;
  }

  private static Json.Members vectorJson(LiveVector vector) {
    DeleteFile entry = vector.entry();
    return Json.object()
        .put("referencedDataFile", entry.referencedDataFile())
        .put("dataFileRecordCount", vector.rows())
        .put("recordCount", entry.recordCount())
        .put(
            "deletedPercent",
            vector.rows() == null ? null : 100.0 * entry.recordCount() / vector.rows())
        .putAll(VectorEntry.placeJson(entry))
        .put("fileSizeInBytes", entry.fileSizeInBytes())
        .put("dataSequenceNumber", entry.dataSequenceNumber())
        .put("specId", entry.specId())
        .put("problem", vector.problem() == null ? null : vector.problem().toJson());
  }

  @Override
  public void print(Terminal terminal) {
    FactSheet facts = new FactSheet(terminal);
    facts.title(name, "format version " + metadata.formatVersion());
    facts.add("location", metadata.location());
    facts.add("metadata", metadata.metadataFileLocation());
    facts.add("snapshot", snapshotText());
    facts.add("vectors", vectorsText());
    if (!vectors.isEmpty()) {
      facts.add("deleted", deletedText());
    }
    if (read) {
      facts.add("checked", checkedText());
    }
    if (deletes.positionDeletes().size() + deletes.equalityDeletes().size() > 0) {
      facts.add("also live", otherDeletesText());
    }
    addRisk(facts);
    facts.print();
    for (Problem problem : manifestProblems) {
      terminal.out().println("  " + terminal.ink().red("✗ " + Printable.of(problem.message())));
    }
    if (!vectors.isEmpty()) {
      terminal.out().println();
      printVectors(terminal);
    }
  }

  private void addRisk(FactSheet facts) {
    if (risk.protector() != null) {
      facts.add(
          "protected",
          "by "
              + risk.protector()
              + (risk.locations().isEmpty() ? "" : "; without it at risk: " + risk.filesText()));
    } else if (risk.unknown() != null) {
      facts.add("at risk", "not known: " + risk.unknown());
    } else if (!risk.locations().isEmpty()) {
      facts.add(
          "at risk",
          risk.filesText()
              + ": a plain expireSnapshots() deletes "
              + risk.pronoun()
              + "; see icedv expire, icedv protect");
    }
  }

  private String snapshotText() {
    return snapshot == null ? "none yet" : describe(snapshot);
  }

  /** Returns the id, operation and time of a snapshot. */
  static String describe(Snapshot snapshot) {
    return snapshot.snapshotId()
        + ", "
        + snapshot.operation()
        + " at "
        + Instant.ofEpochMilli(snapshot.timestampMillis());
  }

  private String vectorsText() {
    if (vectors.isEmpty()) {
      return "none";
    }
    return Numbers.count(vectors.size())
        + " in "
        + Numbers.count(files(), "file", "files")
        + ", "
        + Numbers.size(vectorBytes());
  }

  private String deletedText() {
    return Numbers.count(deletedRows())
        + " of "
        + Numbers.count(rows(), "row", "rows")
        + " in these data files, "
        + Numbers.percent(deletedRows(), rows());
  }

  private String checkedText() {
    long wrong = vectors.stream().filter(vector -> vector.problem() != null).count();
    String all = Numbers.count(vectors.size(), "vector", "vectors") + " read, ";
    return all + (wrong == 0 ? "nothing wrong" : Numbers.count(wrong) + " wrong");
  }

  private String otherDeletesText() {
    List<String> parts = new ArrayList<>();
    int position = deletes.positionDeletes().size();
    if (position > 0) {
      parts.add(Numbers.count(position, "position-delete file", "position-delete files"));
    }
    int equality = deletes.equalityDeletes().size();
    if (equality > 0) {
      parts.add(Numbers.count(equality, "equality-delete file", "equality-delete files"));
    }
    return String.join(", ", parts);
  }

  private void printVectors(Terminal terminal) {
    TextTable table =
        new TextTable(terminal)
            .elastic("data file")
            .right("rows")
            .right("deleted")
            .right("")
            .elastic("vector in")
            .right("offset")
            .right("size");
    for (LiveVector vector : vectors) {
      Problem problem = vector.problem();
      table.row(
          cells(vector),
          problem == null ? List.of() : List.of(terminal.ink().red("✗ " + problem.message())));
    }
    table.print();
  }

  private List<String> cells(LiveVector vector) {
    DeleteFile entry = vector.entry();
    Long rows = vector.rows();
    return List.of(
        Locations.relative(String.valueOf(entry.referencedDataFile()), metadata.location()),
        rows == null ? "?" : Numbers.count(rows),
        Numbers.count(entry.recordCount()),
        rows == null ? "" : Numbers.percent(entry.recordCount(), rows),
        Locations.relative(entry.location(), metadata.location()),
        entry.contentOffset() == null ? "?" : Numbers.count(entry.contentOffset()),
        Numbers.size(VectorEntry.size(entry)));
  }
}
