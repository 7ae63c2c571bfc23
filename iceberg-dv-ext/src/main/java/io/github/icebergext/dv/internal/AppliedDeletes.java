package io.github.icebergext.dv.internal;

import io.github.icebergext.dv.DeletionVectorEntry;
import io.github.icebergext.dv.DeletionVectorIdentity;
import io.github.icebergext.dv.InvalidDeletionVectorException;
import io.github.icebergext.puffin.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileContent;
import org.apache.iceberg.FileScanTask;

/**
 * The delete files of one data file, as planned, by how they are applied. What cannot be applied is
 * refused, never left out.
 *
 * @param vector the deletion vector
 * @param positionDeletes other position deletes; none if there is a vector, which replaces them
 * @param equalityDeletes equality deletes, which a vector does not replace
 */
public record AppliedDeletes(
    Optional<DeleteFile> vector,
    List<DeleteFile> positionDeletes,
    List<DeleteFile> equalityDeletes) {

  public static final AppliedDeletes NONE =
      new AppliedDeletes(Optional.empty(), List.of(), List.of());

  public static AppliedDeletes of(FileScanTask task) {
    return of(task.file(), task.deletes());
  }

  /**
   * Sorts the delete files of a data file.
   *
   * @throws InvalidDeletionVectorException with {@link Reason#FORMAT_VERSION} if the data file's
   *     own entry holds its vector
   * @throws InvalidDeletionVectorException with {@link Reason#NOT_DELETION_VECTOR} if one is
   *     neither position nor equality deletes
   * @throws InvalidDeletionVectorException with {@link Reason#DUPLICATE_VECTOR} if several are
   *     vectors
   */
  public static AppliedDeletes of(DataFile dataFile, Iterable<DeleteFile> deleteFiles) {
    checkNoVectorInEntry(dataFile);
    return of(dataFile.location(), deleteFiles);
  }

  /** Sorts the delete files of the data file at {@code dataFileLocation}. */
  public static AppliedDeletes of(String dataFileLocation, Iterable<DeleteFile> deleteFiles) {
    List<DeleteFile> vectors = new ArrayList<>();
    List<DeleteFile> positionDeletes = new ArrayList<>();
    List<DeleteFile> equalityDeletes = new ArrayList<>();
    for (DeleteFile deleteFile : deleteFiles) {
      if (deleteFile.content() == FileContent.EQUALITY_DELETES) {
        equalityDeletes.add(deleteFile);
      } else if (DeletionVectorIdentity.isVector(deleteFile)) {
        vectors.add(deleteFile);
      } else {
        checkPositionDeletes(deleteFile, dataFileLocation);
        positionDeletes.add(deleteFile);
      }
    }
    return new AppliedDeletes(
        DataFileCheck.single(dataFileLocation, vectors),
        vectors.isEmpty() ? List.copyOf(positionDeletes) : List.of(),
        List.copyOf(equalityDeletes));
  }

  /** Returns whether these are the same deletes by position as others. */
  public boolean isSameByPosition(AppliedDeletes other) {
    return vector
            .map(DeletionVectorIdentity::of)
            .equals(other.vector.map(DeletionVectorIdentity::of))
        && positionDeleteLocations().equals(other.positionDeleteLocations());
  }

  private Set<String> positionDeleteLocations() {
    return positionDeletes.stream().map(DeleteFile::location).collect(Collectors.toSet());
  }

  /** Returns those that are applied. */
  public List<DeleteFile> applied() {
    List<DeleteFile> applied = new ArrayList<>(positionDeletes);
    vector.ifPresent(applied::add);
    applied.addAll(equalityDeletes);
    return applied;
  }

  /**
   * Returns how many rows of {@code dataFile} the vector deletes by its entry; 0 without a vector.
   *
   * @throws InvalidDeletionVectorException with {@link Reason#ENTRY_COORDINATES}, {@link
   *     Reason#REFERENCED_DATA_FILE} or {@link Reason#POSITION_RANGE} if the entry is invalid,
   *     names another data file, or deletes more rows than there are
   */
  public long vectorRecordCount(DataFile dataFile) {
    if (vector.isEmpty()) {
      return 0;
    }
    DeletionVectorEntry entry = checkVectorReferences(dataFile.location());
    DataFileCheck.checkRecordCount(vector.get(), OptionalLong.of(dataFile.recordCount()));
    return entry.recordCount();
  }

  /** Refuses a vector of another data file than the one at {@code dataFileLocation}. */
  public DeletionVectorEntry checkVectorReferences(String dataFileLocation) {
    DeletionVectorEntry entry = DeletionVectorEntry.of(vector.orElseThrow());
    if (!entry.referencedDataFile().equals(dataFileLocation)) {
      throw DataFileCheck.otherDataFile(entry.describe(), dataFileLocation);
    }
    return entry;
  }

  private static void checkNoVectorInEntry(DataFile dataFile) {
    if (IcebergFeatures.hasVectorInEntry(dataFile)) {
      throw new InvalidDeletionVectorException(
          Reason.FORMAT_VERSION,
          "Cannot apply deletes of data file "
              + dataFile.location()
              + ": its own entry holds a deletion vector, as in tables of format version 4,"
              + " expected at most 3");
    }
  }

  private static void checkPositionDeletes(DeleteFile deleteFile, String dataFileLocation) {
    if (deleteFile.content() != FileContent.POSITION_DELETES) {
      throw new InvalidDeletionVectorException(
          Reason.NOT_DELETION_VECTOR,
          "Cannot apply delete file "
              + deleteFile.location()
              + " to data file "
              + dataFileLocation
              + ": its content is "
              + deleteFile.content()
              + ", expected POSITION_DELETES or EQUALITY_DELETES");
    }
  }
}
