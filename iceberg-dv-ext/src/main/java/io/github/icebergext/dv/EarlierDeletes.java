package io.github.icebergext.dv;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.deletes.PositionDeleteIndex;
import org.apache.iceberg.util.ContentFileUtil;

/**
 * The deletes by position that one data file has before it gets new ones.
 *
 * @param vector its deletion vector
 * @param positionDeletes other position deletes that may apply; none if there is a vector
 * @param loaded the positions of all of these, if a caller has read them
 */
record EarlierDeletes(
    Optional<DeleteFile> vector,
    List<DeleteFile> positionDeletes,
    Optional<DeletedPositions> loaded) {
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

  /** Sorts delete files of a data file, which are in {@code index}. */
  static EarlierDeletes of(
      String dataFile, List<DeleteFile> deleteFiles, PositionDeleteIndex index) {
    PlannedDeletes planned = planned(dataFile, deleteFiles);
    DeletedPositions positions = DeletedPositions.copyOf(index);
    return new EarlierDeletes(planned.vector(), planned.positionDeletes(), Optional.of(positions));
  }

  private static PlannedDeletes planned(String dataFile, List<DeleteFile> deleteFiles) {
    PlannedDeletes planned = PlannedDeletes.of(dataFile, deleteFiles);
    if (planned.vector().isPresent()) {
      planned.checkVectorReferences(dataFile);
    }
    return planned;
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

  /**
   * Returns what a new vector makes superfluous: the old one, or else position deletes of this data
   * file alone. Those that other data files may share stay.
   */
  List<DeleteFile> superseded() {
    return vector.isPresent()
        ? List.of(vector.get())
        : positionDeletes.stream().filter(ContentFileUtil::isFileScoped).toList();
  }
}
