package io.github.icebergext.cli.table;

import io.github.icebergext.cli.file.VectorFacts;
import io.github.icebergext.cli.file.VectorScan;
import io.github.icebergext.cli.text.Json;
import io.github.icebergext.cli.text.Problem;
import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.dv.table.DataFileDeletes;
import io.github.icebergext.dv.table.DeletesChange;
import io.github.icebergext.dv.table.DeletesChange.DataFileAdded;
import io.github.icebergext.dv.table.DeletesChange.DataFileRemoved;
import io.github.icebergext.dv.table.DeletesChange.DuplicateVectors;
import io.github.icebergext.dv.table.DeletesChange.PositionDeletesChanged;
import io.github.icebergext.dv.table.DeletesChange.RowsDeleted;
import io.github.icebergext.dv.table.DeletesChange.RowsRestored;
import java.util.List;
import java.util.Locale;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.Snapshot;
import org.jspecify.annotations.Nullable;

/**
 * What is shown of a change: counts, and of the positions only what was asked for.
 *
 * @param deleted newly deleted rows, or those that a new data file came with; null if unknown
 * @param restored rows that are no longer deleted
 * @param scan ranges of the deleted rows; null if none are wanted
 * @param positions the deleted rows; null if they are not wanted
 */
public record DiffChange(
    Kind kind,
    DataFile dataFile,
    @Nullable Long deleted,
    long restored,
    @Nullable VectorScan scan,
    @Nullable DeletedPositions positions,
    Json.Members details,
    @Nullable Problem problem) {

  /** The kinds of changes, by names that scripts can rely on. */
  public enum Kind {
    ROWS_DELETED,
    ROWS_RESTORED,
    POSITION_DELETES_CHANGED,
    DUPLICATE_VECTORS,
    DATA_FILE_ADDED,
    DATA_FILE_REMOVED,
    DATA_FILE_REWRITTEN;

    /** Returns the kind in words. */
    String text() {
      return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
  }

  public static DiffChange of(DeletesChange change, int maxRanges, boolean withPositions) {
    if (change instanceof RowsDeleted rows) {
      return shown(Kind.ROWS_DELETED, change, rows.positions(), maxRanges, withPositions)
          .with(beforeAndAfter(rows.before(), rows.after()));
    } else if (change instanceof RowsRestored rows) {
      return shown(Kind.ROWS_RESTORED, change, rows.positions(), maxRanges, withPositions)
          .restored(rows.restored().cardinality(), rows.problem().map(Problem::of).orElse(null))
          .with(beforeAndAfter(rows.before(), rows.after()));
    } else if (change instanceof DataFileAdded added) {
      DeletedPositions positions = added.positions().orElse(null);
      return shown(Kind.DATA_FILE_ADDED, change, positions, maxRanges, withPositions)
          .with(deletes("after", added.deletes()));
    } else if (change instanceof PositionDeletesChanged changed) {
      return shown(Kind.POSITION_DELETES_CHANGED, change, null, 0, false)
          .with(beforeAndAfter(changed.before(), changed.after()));
    } else if (change instanceof DuplicateVectors duplicate) {
      return shown(Kind.DUPLICATE_VECTORS, change, null, 0, false)
          .restored(0, Problem.of(duplicate.problem()))
          .with(
              Json.object()
                  .put("vectorsBefore", vectors(duplicate.before()))
                  .put("vectorsAfter", vectors(duplicate.after())));
    }
    return removed((DataFileRemoved) change);
  }

  private static DiffChange removed(DataFileRemoved removed) {
    Kind kind = removed.isRewritten() ? Kind.DATA_FILE_REWRITTEN : Kind.DATA_FILE_REMOVED;
    Json.Members details = Json.object();
    removed
        .removedBy()
        .ifPresent(
            snapshot ->
                details
                    .put("removedBySnapshotId", snapshot.snapshotId())
                    .put("removedByOperation", operation(snapshot)));
    return shown(kind, removed, null, 0, false).with(details);
  }

  private static @Nullable String operation(Snapshot snapshot) {
    return snapshot.operation();
  }

  private static DiffChange shown(
      Kind kind,
      DeletesChange change,
      @Nullable DeletedPositions positions,
      int maxRanges,
      boolean withPositions) {
    return new DiffChange(
        kind,
        change.dataFile(),
        positions == null ? null : positions.cardinality(),
        0,
        positions == null || maxRanges == 0 ? null : new VectorScan(positions, maxRanges, 1),
        withPositions ? positions : null,
        Json.object(),
        null);
  }

  private DiffChange restored(long rows, @Nullable Problem newProblem) {
    return new DiffChange(kind, dataFile, deleted, rows, scan, positions, details, newProblem);
  }

  private DiffChange with(Json.Members newDetails) {
    return new DiffChange(kind, dataFile, deleted, restored, scan, positions, newDetails, problem);
  }

  private static Json.Members beforeAndAfter(DataFileDeletes before, DataFileDeletes after) {
    return deletes("before", before).putAll(deletes("after", after));
  }

  private static Json.Members deletes(String when, DataFileDeletes deletes) {
    return Json.object()
        .put(
            when,
            Json.object()
                .put("vector", deletes.vector().map(VectorEntry::toJson).orElse(null))
                .put("positionDeletes", locations(deletes.positionDeletes()))
                .put("shadowedPositionDeletes", locations(deletes.shadowedPositionDeletes())));
  }

  private static List<String> locations(List<DeleteFile> files) {
    return files.stream().map(DeleteFile::location).toList();
  }

  private static List<Json.Members> vectors(List<DeleteFile> vectors) {
    return vectors.stream().map(VectorEntry::toJson).toList();
  }

  Json.Members toJson() {
    Json.Members json =
        Json.object()
            .put("dataFile", dataFile.location())
            .put("kind", kind)
            .put("dataFileRecordCount", dataFile.recordCount())
            .put("deletedRows", deleted);
    if (kind == Kind.ROWS_RESTORED) {
      json.put("restoredRows", restored);
    }
    if (scan != null) {
      json.put("rangeCount", scan.rangeCount()).put("ranges", scan.rangesJson());
    }
    if (positions != null) {
      json.put("positions", VectorFacts.positionsJson(positions));
    }
    return json.putAll(details).put("problem", problem == null ? null : problem.toJson());
  }

  /** Returns the ranges as words, and how many more there are. */
  List<String> rangesText() {
    return scan == null ? List.of() : scan.rangesText();
  }
}
