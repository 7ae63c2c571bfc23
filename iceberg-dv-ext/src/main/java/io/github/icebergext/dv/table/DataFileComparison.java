package io.github.icebergext.dv.table;

import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.dv.DeletionVectorEntry;
import io.github.icebergext.dv.DeletionVectorIdentity;
import io.github.icebergext.dv.InvalidDeletionVectorException;
import io.github.icebergext.dv.internal.DataFileCheck;
import io.github.icebergext.puffin.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;

/**
 * What became of the deletes of one data file from one snapshot to another.
 *
 * @param inHistory whether the first snapshot is an ancestor of the second
 */
record DataFileComparison(LiveDeletes before, LiveDeletes after, boolean inHistory) {

  /** Tells whether there are the same vectors, as far as their entries say. */
  boolean hasSameVectors(String dataFileLocation) {
    return identities(before, dataFileLocation).equals(identities(after, dataFileLocation));
  }

  private static List<DeletionVectorIdentity> identities(LiveDeletes live, String location) {
    return live.vectors(location).stream().map(DeletionVectorIdentity::of).distinct().toList();
  }

  /** Compares a data file that both snapshots have; empty if nothing can have changed. */
  Optional<UnreadChange> compare(DataFile first, DataFile second) {
    String location = second.location();
    boolean sameVectors = hasSameVectors(location);
    List<DeleteFile> vectorsBefore = before.vectors(location);
    List<DeleteFile> vectorsAfter = after.vectors(location);
    if (!sameVectors && Math.max(vectorsBefore.size(), vectorsAfter.size()) > 1) {
      return Optional.of(UnreadChange.known(duplicates(second, vectorsBefore, vectorsAfter)));
    }
    if (sameVectors && !vectorsBefore.isEmpty()) {
      return Optional.empty();
    }
    return compare(second, before.deletes(first), after.deletes(second));
  }

  private static DeletesChange duplicates(
      DataFile dataFile, List<DeleteFile> vectorsBefore, List<DeleteFile> vectorsAfter) {
    List<DeleteFile> several = vectorsAfter.size() > 1 ? vectorsAfter : vectorsBefore;
    return new DeletesChange.DuplicateVectors(
        dataFile, vectorsBefore, vectorsAfter, DataFileCheck.several(dataFile.location(), several));
  }

  private Optional<UnreadChange> compare(
      DataFile dataFile, DataFileDeletes first, DataFileDeletes second) {
    boolean haveVectors = first.vector().isPresent() || second.vector().isPresent();
    if (haveVectors && first.positionDeletes().isEmpty()) {
      return Optional.of(compareVectors(dataFile, first, second));
    }
    return haveVectors
            || !locations(first.positionDeletes()).equals(locations(second.positionDeletes()))
        ? Optional.of(
            UnreadChange.known(new DeletesChange.PositionDeletesChanged(dataFile, first, second)))
        : Optional.empty();
  }

  private static List<String> locations(List<DeleteFile> files) {
    return files.stream().map(DeleteFile::location).distinct().sorted().toList();
  }

  private UnreadChange compareVectors(
      DataFile dataFile, DataFileDeletes first, DataFileDeletes second) {
    List<DeleteFile> vectors = new ArrayList<>();
    first.vector().ifPresent(vectors::add);
    second.vector().ifPresent(vectors::add);
    return new UnreadChange(
        vectors,
        read -> {
          DeletedPositions last = read.get(read.size() - 1);
          DeletedPositions old = first.vector().isPresent() ? read.get(0) : none();
          DeletedPositions now = second.vector().isPresent() ? last : none();
          second.vector().ifPresent(vector -> checkPositions(vector, now, dataFile));
          return difference(dataFile, first, second, old, now);
        });
  }

  private Optional<DeletesChange> difference(
      DataFile dataFile,
      DataFileDeletes first,
      DataFileDeletes second,
      DeletedPositions old,
      DeletedPositions now) {
    DeletedPositions deleted = now.difference(old);
    if (!now.containsAll(old)) {
      DeletedPositions restored = old.difference(now);
      Optional<InvalidDeletionVectorException> problem =
          inHistory
              ? Optional.of(shrunk(dataFile, first, second, restored.cardinality()))
              : Optional.empty();
      return Optional.of(
          new DeletesChange.RowsRestored(dataFile, first, second, deleted, restored, problem));
    }
    if (!second.positionDeletes().isEmpty()) {
      return Optional.of(new DeletesChange.PositionDeletesChanged(dataFile, first, second));
    }
    return deleted.isEmpty()
        ? Optional.empty()
        : Optional.of(new DeletesChange.RowsDeleted(dataFile, first, second, deleted));
  }

  /** Returns the change that a data file is which only the second snapshot has, with deletes. */
  UnreadChange added(DataFile dataFile) {
    List<DeleteFile> vectors = after.vectors(dataFile.location());
    if (vectors.size() > 1) {
      return UnreadChange.known(duplicates(dataFile, List.of(), vectors));
    }
    DataFileDeletes deletes = after.deletes(dataFile);
    return new UnreadChange(
        vectors,
        read -> {
          deletes.vector().ifPresent(vector -> checkPositions(vector, read.get(0), dataFile));
          return Optional.of(
              new DeletesChange.DataFileAdded(dataFile, deletes, read.stream().findFirst()));
        });
  }

  private static DeletedPositions none() {
    return DeletedPositions.of();
  }

  private static void checkPositions(
      DeleteFile vector, DeletedPositions positions, DataFile dataFile) {
    DataFileCheck.checkPositions(vector, positions, OptionalLong.of(dataFile.recordCount()));
  }

  private InvalidDeletionVectorException shrunk(
      DataFile dataFile, DataFileDeletes first, DataFileDeletes second, long restored) {
    return new InvalidDeletionVectorException(
        Reason.SHRUNK_VECTOR,
        "Deleted rows of data file "
            + dataFile.location()
            + " are back: "
            + restored
            + " positions of the "
            + describe(first)
            + ", in snapshot "
            + before.snapshotId().orElseThrow()
            + ", are missing in "
            + (second.vector().isPresent() ? "the " + describe(second) : "no vector at all")
            + ", in snapshot "
            + after.snapshotId().orElseThrow());
  }

  private static String describe(DataFileDeletes deletes) {
    return deletes.vector().map(DeletionVectorEntry::describe).orElse("");
  }
}
