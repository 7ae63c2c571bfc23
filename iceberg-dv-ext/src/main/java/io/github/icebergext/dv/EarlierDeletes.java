package io.github.icebergext.dv;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.iceberg.DeleteFile;

/**
 * The deletes by position that one data file has before it gets new ones.
 *
 * @param vector its deletion vector
 * @param positionDeletes other position deletes that may apply; none if there is a vector
 * @param loading reads all of these, if a caller does that; then nothing else is known before
 */
record EarlierDeletes(
    Optional<DeleteFile> vector,
    List<DeleteFile> positionDeletes,
    Optional<Supplier<OldDeletes>> loading) {
  private static final EarlierDeletes NONE =
      new EarlierDeletes(Optional.empty(), List.of(), Optional.empty());

  static EarlierDeletes none() {
    return NONE;
  }

  /**
   * Sorts delete files of a data file, which are not read yet.
   *
   * @throws InvalidDeletionVectorException if several are vectors, or one is of another data file
   */
  static EarlierDeletes of(String dataFile, List<DeleteFile> deleteFiles) {
    if (deleteFiles.isEmpty()) {
      return NONE;
    }
    PlannedDeletes planned = planned(dataFile, deleteFiles);
    return new EarlierDeletes(planned.vector(), planned.positionDeletes(), Optional.empty());
  }

  /** Leaves it to a caller to read the deletes when they are needed. */
  static EarlierDeletes loading(Supplier<OldDeletes> loading) {
    return new EarlierDeletes(Optional.empty(), List.of(), Optional.of(loading));
  }

  private static PlannedDeletes planned(String dataFile, List<DeleteFile> deleteFiles) {
    PlannedDeletes planned = PlannedDeletes.of(dataFile, deleteFiles);
    if (planned.vector().isPresent()) {
      planned.checkVectorReferences(dataFile);
    }
    return planned;
  }

  /** Tells whether there are no entries. */
  boolean isNone() {
    return vector.isEmpty() && positionDeletes.isEmpty();
  }

  /** Tells whether these are of the same entries as others. */
  boolean isSameAs(EarlierDeletes other) {
    return vector
            .map(DeletionVectorIdentity::of)
            .equals(other.vector.map(DeletionVectorIdentity::of))
        && locations().equals(other.locations());
  }

  private Set<String> locations() {
    return positionDeletes.stream().map(DeleteFile::location).collect(Collectors.toSet());
  }
}
