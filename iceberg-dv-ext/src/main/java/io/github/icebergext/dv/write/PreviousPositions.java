package io.github.icebergext.dv.write;

import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.dv.DeletionVectorIdentity;
import io.github.icebergext.dv.internal.PositionDeleteLoader;
import java.util.List;
import java.util.Optional;
import java.util.function.ToLongFunction;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.util.ContentFileUtil;

/**
 * The deletes that a new vector contains besides the new ones, read.
 *
 * @param entries the entries they are in
 * @param positions the positions they delete
 * @param replaced the entries that go once there is the new vector
 */
record PreviousPositions(
    PreviousEntries entries, DeletedPositions positions, List<DeleteFile> replaced) {

  /** Reads position deletes of version 2, unless there is a vector, which has been read. */
  static PreviousPositions of(
      PreviousEntries entries,
      String dataFile,
      Optional<DeletedPositions> vector,
      PositionDeleteLoader files) {
    DeletedPositions positions =
        vector.orElseGet(() -> files.read(entries.positionDeletes(), dataFile));
    return of(
        entries,
        dataFile,
        positions,
        deletes -> files.read(List.of(deletes), dataFile).cardinality());
  }

  /** Takes positions that a caller has read. What each file says of them is not known. */
  static PreviousPositions loaded(
      PreviousEntries entries, String dataFile, DeletedPositions positions) {
    return of(entries, dataFile, positions, deletes -> -1);
  }

  private static PreviousPositions of(
      PreviousEntries entries,
      String dataFile,
      DeletedPositions positions,
      ToLongFunction<DeleteFile> cardinality) {
    ToLongFunction<DeleteFile> known =
        entries.positionDeletes().size() == 1 ? deletes -> positions.cardinality() : cardinality;
    List<DeleteFile> replaced =
        entries.vector().map(List::of).orElseGet(entries::positionDeletes).stream()
            .filter(
                deletes ->
                    DeletionVectorIdentity.isVector(deletes) || isOnlyOf(dataFile, deletes, known))
            .toList();
    return new PreviousPositions(entries, positions, replaced);
  }

  /**
   * Tells whether no other data file has rows in {@code deletes}. Where its entry does not name the
   * data file, equal bounds are no proof, as writers truncate them: it takes as many positions of
   * this data file as there are records.
   */
  private static boolean isOnlyOf(
      String dataFile, DeleteFile deletes, ToLongFunction<DeleteFile> cardinality) {
    return dataFile.equals(ContentFileUtil.referencedDataFileLocation(deletes))
        && (deletes.referencedDataFile() != null
            || cardinality.applyAsLong(deletes) == deletes.recordCount());
  }
}
