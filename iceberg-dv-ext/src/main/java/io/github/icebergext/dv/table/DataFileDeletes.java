package io.github.icebergext.dv.table;

import java.util.List;
import java.util.Optional;
import org.apache.iceberg.DeleteFile;

/**
 * The deletes by position that one data file has in a snapshot.
 *
 * <p>A vector stands for all deletes by position of its data file, so that position-delete files
 * either apply or are shadowed by a vector, never both. Immutable and thread-safe, as long as
 * nobody changes the delete files.
 *
 * @param vector the live deletion vector
 * @param positionDeletes live position-delete files that apply, or may apply; empty if there is a
 *     vector
 * @param shadowedPositionDeletes live position-delete files that would apply if there were no
 *     vector
 */
public record DataFileDeletes(
    Optional<DeleteFile> vector,
    List<DeleteFile> positionDeletes,
    List<DeleteFile> shadowedPositionDeletes) {

  /** Copies the lists. */
  public DataFileDeletes {
    positionDeletes = List.copyOf(positionDeletes);
    shadowedPositionDeletes = List.copyOf(shadowedPositionDeletes);
  }

  static DataFileDeletes of(Optional<DeleteFile> vector, List<DeleteFile> found) {
    return vector.isPresent()
        ? new DataFileDeletes(vector, List.of(), found)
        : new DataFileDeletes(vector, found, List.of());
  }

  /** Tells whether no rows are deleted by position. */
  public boolean isEmpty() {
    return vector.isEmpty() && positionDeletes.isEmpty();
  }
}
