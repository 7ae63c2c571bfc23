package io.github.icebergext.cli.table;

import io.github.icebergext.cli.text.Errors;
import io.github.icebergext.cli.text.Problem;
import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.dv.InvalidDeletionVectorException;
import io.github.icebergext.dv.read.DeletionVectorReader;
import io.github.icebergext.dv.read.ReadVector;
import io.github.icebergext.dv.table.LiveDeletes;
import io.github.icebergext.puffin.PuffinFormatException;
import io.github.icebergext.puffin.Reason;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.io.CloseableIterable;
import org.jspecify.annotations.Nullable;

/** Finds what is wrong with the live vectors of a snapshot: at most one thing for each. */
final class VectorAudit {
  private final LiveDeletes deletes;
  private final Map<String, Long> rows = new HashMap<>();
  private final IdentityHashMap<DeleteFile, Problem> problems = new IdentityHashMap<>();

  private VectorAudit(LiveDeletes deletes) {
    this.deletes = deletes;
  }

  /**
   * Looks at entries and data files, and at the vectors themselves if there is a reader.
   *
   * @param reader reads all well-formed vectors; null to read none
   */
  static List<LiveVector> of(LiveDeletes deletes, @Nullable DeletionVectorReader reader) {
    VectorAudit audit = new VectorAudit(deletes);
    audit.malformed();
    audit.duplicates();
    audit.dataFiles();
    audit.recordCounts();
    if (reader != null) {
      audit.read(reader);
    }
    return audit.vectors();
  }

  private void malformed() {
    deletes
        .malformed()
        .forEach(malformed -> problems.put(malformed.entry(), Problem.of(malformed.problem())));
  }

  private void duplicates() {
    Problem problem =
        new Problem(Reason.DUPLICATE_VECTOR, "the data file has more than one live vector");
    deletes
        .duplicateVectors()
        .values()
        .forEach(same -> same.forEach(vector -> problems.put(vector, problem)));
  }

  private void dataFiles() {
    Map<String, List<DeleteFile>> byDataFile = new HashMap<>();
    for (DeleteFile vector : deletes.vectors()) {
      byDataFile.computeIfAbsent(location(vector), absent -> new ArrayList<>(1)).add(vector);
    }
    if (byDataFile.isEmpty()) {
      return;
    }
    try (CloseableIterable<DataFile> dataFiles = deletes.dataFiles()) {
      for (DataFile dataFile : dataFiles) {
        List<DeleteFile> vectors = byDataFile.get(dataFile.location());
        if (vectors != null) {
          rows.put(dataFile.location(), dataFile.recordCount());
          compare(dataFile, vectors);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void compare(DataFile dataFile, List<DeleteFile> vectors) {
    if (vectors.size() > 1) {
      return;
    }
    try {
      deletes.deletes(dataFile);
    } catch (InvalidDeletionVectorException e) {
      // Malformed vectors and record counts have findings of their own.
      if (e.reason() == Reason.PARTITION || e.reason() == Reason.SEQUENCE_NUMBER) {
        problems.put(vectors.get(0), Problem.of(e));
      }
    }
  }

  private void recordCounts() {
    for (DeleteFile vector : deletes.vectors()) {
      Long count = rows.get(vector.referencedDataFile());
      if (count == null) {
        problems.putIfAbsent(
            vector,
            new Problem(Reason.REFERENCED_DATA_FILE, "the data file is not live in the snapshot"));
      } else if (vector.recordCount() > count) {
        problems.putIfAbsent(
            vector,
            new Problem(Reason.POSITION_RANGE, "more rows are deleted than the data file has"));
      }
    }
  }

  private void read(DeletionVectorReader reader) {
    try (CloseableIterable<ReadVector> vectors = reader.readAll(deletes.vectors(), this::fail)) {
      vectors.forEach(vector -> checkRange(vector.deleteFile(), vector.positions()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void fail(DeleteFile vector, RuntimeException e) {
    problems.putIfAbsent(
        vector,
        e instanceof PuffinFormatException format
            ? Problem.of(format)
            : new Problem(null, Errors.message(e)));
  }

  private void checkRange(DeleteFile vector, DeletedPositions positions) {
    Long count = rows.get(vector.referencedDataFile());
    if (count != null && !positions.isEmpty() && positions.lastPosition() >= count) {
      problems.putIfAbsent(
          vector,
          new Problem(
              Reason.POSITION_RANGE,
              "position "
                  + positions.lastPosition()
                  + " is deleted, the data file has "
                  + count
                  + " rows"));
    }
  }

  private List<LiveVector> vectors() {
    List<LiveVector> vectors = new ArrayList<>();
    for (DeleteFile vector : deletes.vectors()) {
      vectors.add(liveVector(vector));
    }
    deletes.malformed().forEach(malformed -> vectors.add(liveVector(malformed.entry())));
    return vectors;
  }

  private LiveVector liveVector(DeleteFile vector) {
    return new LiveVector(vector, rows.get(location(vector)), problems.get(vector));
  }

  // Null in malformed entries only, which no data file matches.
  private static String location(DeleteFile vector) {
    return String.valueOf(vector.referencedDataFile());
  }

  /**
   * A live vector.
   *
   * @param rows rows of its data file; null if that is not live
   */
  record LiveVector(DeleteFile entry, @Nullable Long rows, @Nullable Problem problem) {}
}
