package io.github.icebergext.dv.write;

import io.github.icebergext.dv.InvalidDeletionVectorException;
import io.github.icebergext.dv.internal.AppliedDeletes;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.iceberg.DeleteFile;

/**
 * The deletes by position that one data file has before it gets new ones.
 *
 * @param deletes their entries, which are not read yet
 * @param loading reads all of these, if a caller does that; then no entry is known before
 */
record PreviousEntries(AppliedDeletes deletes, Optional<Supplier<PreviousPositions>> loading) {
  private static final PreviousEntries NONE =
      new PreviousEntries(AppliedDeletes.NONE, Optional.empty());

  static PreviousEntries none() {
    return NONE;
  }

  /**
   * Sorts delete files of a data file, which are not read yet.
   *
   * @throws InvalidDeletionVectorException if several are vectors, or one is of another data file
   */
  static PreviousEntries of(String dataFile, List<DeleteFile> deleteFiles) {
    if (deleteFiles.isEmpty()) {
      return NONE;
    }
    AppliedDeletes deletes = AppliedDeletes.of(dataFile, deleteFiles);
    if (deletes.vector().isPresent()) {
      deletes.checkVectorReferences(dataFile);
    }
    return new PreviousEntries(deletes, Optional.empty());
  }

  /** Leaves it to a caller to read the deletes when they are needed. */
  static PreviousEntries loading(Supplier<PreviousPositions> loading) {
    return new PreviousEntries(AppliedDeletes.NONE, Optional.of(loading));
  }

  /** Returns the entry of the data file's vector. */
  Optional<DeleteFile> vector() {
    return deletes.vector();
  }

  /** Returns other position deletes that may apply; none if there is a vector. */
  List<DeleteFile> positionDeletes() {
    return deletes.positionDeletes();
  }

  /** Returns whether there are no entries. */
  boolean isNone() {
    return vector().isEmpty() && positionDeletes().isEmpty();
  }
}
