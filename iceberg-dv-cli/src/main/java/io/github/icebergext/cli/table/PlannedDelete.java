package io.github.icebergext.cli.table;

import io.github.icebergext.cli.text.Numbers;
import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.dv.internal.Location;
import io.github.icebergext.dv.read.DeletionVectorReader;
import io.github.icebergext.dv.read.ReadVector;
import io.github.icebergext.dv.table.DataFileDeletes;
import io.github.icebergext.dv.table.LiveDeletes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.io.CloseableIterable;
import org.jspecify.annotations.Nullable;

/**
 * Rows of one data file that are to be deleted, compared with what is deleted already.
 *
 * @param given how many rows were asked for
 * @param added those of them that the data file's vector does not delete
 * @param deletedRows how many rows its vector will delete
 * @param otherPositionDeletes whether position-delete files apply as well, so that some of the
 *     added rows may be deleted already
 */
public record PlannedDelete(
    DataFile dataFile,
    long given,
    DeletedPositions added,
    long deletedRows,
    boolean otherPositionDeletes) {

  /**
   * Finds the data files, and what is deleted of them.
   *
   * @throws io.github.icebergext.cli.text.CommandException if a line of the file names a data file
   *     that is not live, or a position that it does not have
   */
  public static List<PlannedDelete> of(
      PositionsFile file, LiveDeletes live, DeletionVectorReader reader) {
    Map<String, DataFile> dataFiles = dataFiles(file, live);
    Map<String, PlannedDelete> planned = new LinkedHashMap<>();
    List<DeleteFile> vectors = new ArrayList<>();
    for (RowsToDelete rows : file.rows()) {
      DataFile dataFile = dataFile(file, rows, dataFiles);
      DataFileDeletes deletes = live.deletes(dataFile);
      deletes.vector().ifPresent(vectors::add);
      boolean others = !deletes.positionDeletes().isEmpty();
      planned.put(rows.dataFile(), withoutVector(dataFile, rows.positions(), others));
    }
    try (CloseableIterable<ReadVector> read = reader.readAll(vectors)) {
      for (ReadVector vector : read) {
        planned.computeIfPresent(
            vector.deleteFile().referencedDataFile(),
            (location, delete) -> delete.after(vector.positions()));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return List.copyOf(planned.values());
  }

  private static PlannedDelete withoutVector(
      DataFile dataFile, DeletedPositions positions, boolean otherPositionDeletes) {
    long count = positions.cardinality();
    return new PlannedDelete(dataFile, count, positions, count, otherPositionDeletes);
  }

  private PlannedDelete after(DeletedPositions before) {
    DeletedPositions rest = added.difference(before);
    long all = before.cardinality() + rest.cardinality();
    return new PlannedDelete(dataFile, given, rest, all, otherPositionDeletes);
  }

  private static DataFile dataFile(
      PositionsFile file, RowsToDelete rows, Map<String, DataFile> dataFiles) {
    String location = rows.dataFile();
    DataFile found = dataFiles.get(location);
    if (found == null || !found.location().equals(location)) {
      throw file.error(rows.firstLine(), notLive(location, dataFiles.get(Location.path(location))));
    }
    if (rows.lastPosition() >= found.recordCount()) {
      throw file.error(
          rows.lineOfLastPosition(),
          "no row at position "
              + rows.lastPosition()
              + " of "
              + location
              + ", which has "
              + Numbers.count(found.recordCount(), "row", "rows"));
    }
    return found;
  }

  private static String notLive(String location, @Nullable DataFile similar) {
    String message = "no live data file of the snapshot is " + location;
    return similar == null ? message : message + "; one is spelled " + similar.location();
  }

  /** Returns the live data files that the file names, and by path those it may have meant. */
  private static Map<String, DataFile> dataFiles(PositionsFile file, LiveDeletes live) {
    Set<String> wanted = new HashSet<>();
    Set<String> paths = new HashSet<>();
    for (RowsToDelete rows : file.rows()) {
      wanted.add(rows.dataFile());
      paths.add(Location.path(rows.dataFile()));
    }
    Map<String, DataFile> found = new HashMap<>();
    try (CloseableIterable<DataFile> dataFiles = live.dataFiles()) {
      for (DataFile dataFile : dataFiles) {
        String path = Location.path(dataFile.location());
        if (wanted.contains(dataFile.location())) {
          found.put(dataFile.location(), dataFile);
        } else if (paths.contains(path)) {
          found.putIfAbsent(path, dataFile);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return found;
  }
}
