package io.github.icebergext.cli;

import io.github.icebergext.dv.LiveDeletes;
import io.github.icebergext.puffin.Reason;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.io.CloseableIterable;
import org.jspecify.annotations.Nullable;

/** The live deletion vectors of a snapshot. */
record TableReport(
    String name,
    TableMetadata metadata,
    @Nullable Snapshot snapshot,
    List<LiveVector> vectors,
    LiveDeletes deletes) {

  /**
   * A live vector.
   *
   * @param rows rows of its data file; null if that is not live
   */
  record LiveVector(DeleteFile entry, @Nullable Long rows, @Nullable Problem problem) {}

  static TableReport of(
      String name, Table table, TableMetadata metadata, @Nullable Snapshot snapshot) {
    LiveDeletes deletes =
        snapshot == null ? LiveDeletes.of(table) : LiveDeletes.of(table, snapshot);
    Map<String, Long> rows = rowsOfDataFiles(deletes);
    Set<String> duplicates = deletes.duplicateVectors().keySet();
    List<LiveVector> vectors = new ArrayList<>();
    for (DeleteFile entry : deletes.vectors()) {
      Long rowCount = rows.get(entry.referencedDataFile());
      vectors.add(new LiveVector(entry, rowCount, problem(entry, rowCount, duplicates)));
    }
    return new TableReport(name, metadata, snapshot, vectors, deletes);
  }

  private static Map<String, Long> rowsOfDataFiles(LiveDeletes deletes) {
    Map<String, Long> rows = new HashMap<>();
    Set<String> wanted = new HashSet<>();
    deletes.vectors().forEach(vector -> wanted.add(vector.referencedDataFile()));
    if (wanted.isEmpty()) {
      return rows;
    }
    try (CloseableIterable<DataFile> dataFiles = deletes.dataFiles()) {
      for (DataFile dataFile : dataFiles) {
        if (wanted.contains(dataFile.location())) {
          rows.put(dataFile.location(), dataFile.recordCount());
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return rows;
  }

  private static @Nullable Problem problem(
      DeleteFile entry, @Nullable Long rows, Set<String> duplicates) {
    if (duplicates.contains(entry.referencedDataFile())) {
      return new Problem(Reason.DUPLICATE_VECTOR, "the data file has more than one live vector");
    }
    if (rows == null) {
      return new Problem(Reason.REFERENCED_DATA_FILE, "the data file is not live in the snapshot");
    }
    return entry.recordCount() > rows
        ? new Problem(Reason.POSITION_RANGE, "more rows are deleted than the data file has")
        : null;
  }

  Outcome outcome() {
    return vectors.stream().anyMatch(vector -> vector.problem() != null)
        ? Outcome.FINDINGS
        : Outcome.FINE;
  }

  private long deletedRows() {
    return vectors.stream().mapToLong(vector -> vector.entry().recordCount()).sum();
  }

  private long rows() {
    return vectors.stream().mapToLong(vector -> vector.rows() == null ? 0 : vector.rows()).sum();
  }

  private long vectorBytes() {
    return vectors.stream().mapToLong(vector -> size(vector.entry())).sum();
  }

  private long files() {
    return vectors.stream().map(vector -> vector.entry().location()).distinct().count();
  }

  // The entries of LiveDeletes and of a writer have passed the checks, and so have coordinates.
  @SuppressWarnings("NullAway")
  static long size(DeleteFile entry) {
    return entry.contentSizeInBytes();
  }

  @SuppressWarnings("NullAway")
  private static long offset(DeleteFile entry) {
    return entry.contentOffset();
  }

  Json.Members toJson() {
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
    return json.put("deletionVectors", vectors.stream().map(TableReport::vectorJson).toList())
        .put("deletionVectorCount", vectors.size())
        .put("deletionVectorBytes", vectorBytes())
        .put("puffinFileCount", files())
        .put("deletedRows", deletedRows())
        .put("rowsOfDataFilesWithVectors", rows())
        .put("positionDeleteFileCount", deletes.positionDeletes().size())
        .put("equalityDeleteFileCount", deletes.equalityDeletes().size());
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
        .put("location", entry.location())
        .put("contentOffset", entry.contentOffset())
        .put("contentSizeInBytes", entry.contentSizeInBytes())
        .put("fileSizeInBytes", entry.fileSizeInBytes())
        .put("dataSequenceNumber", entry.dataSequenceNumber())
        .put("specId", entry.specId())
        .put("problem", vector.problem() == null ? null : vector.problem().toJson());
  }

  void print(Terminal terminal) {
    Facts facts = new Facts(terminal);
    facts.title(name, "format version " + metadata.formatVersion());
    facts.add("location", metadata.location());
    facts.add("metadata", metadata.metadataFileLocation());
    facts.add("snapshot", snapshotText());
    facts.add("vectors", vectorsText());
    if (!vectors.isEmpty()) {
      facts.add("deleted", deletedText());
    }
    if (deletes.positionDeletes().size() + deletes.equalityDeletes().size() > 0) {
      facts.add("also live", otherDeletesText());
    }
    facts.print();
    if (!vectors.isEmpty()) {
      terminal.out().println();
      printVectors(terminal);
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
        Relocations.relative(String.valueOf(entry.referencedDataFile()), metadata.location()),
        rows == null ? "?" : Numbers.count(rows),
        Numbers.count(entry.recordCount()),
        rows == null ? "" : Numbers.percent(entry.recordCount(), rows),
        Relocations.relative(entry.location(), metadata.location()),
        Numbers.count(offset(entry)),
        Numbers.size(size(entry)));
  }
}
