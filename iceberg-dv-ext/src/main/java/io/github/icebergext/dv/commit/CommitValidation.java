package io.github.icebergext.dv.commit;

import io.github.icebergext.dv.DeletionVectorEntry;
import io.github.icebergext.dv.DeletionVectorIdentity;
import io.github.icebergext.dv.InvalidDeletionVectorException;
import io.github.icebergext.dv.commit.internal.LiveDataFiles;
import io.github.icebergext.dv.internal.FilePartition;
import io.github.icebergext.dv.internal.FormatVersions;
import io.github.icebergext.dv.internal.TargetFile;
import io.github.icebergext.dv.table.LiveDeletes;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileContent;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.exceptions.ValidationException;

/**
 * Tells before a commit whether it would leave a table with deletes that readers can apply, whoever
 * wrote them.
 */
public final class CommitValidation {
  private final LiveDeletes live;
  private final Map<String, DeleteFile> added = new LinkedHashMap<>();
  private final List<TargetFile> targets = new ArrayList<>();
  private final Set<DeletionVectorIdentity> removed = new HashSet<>();

  private CommitValidation(LiveDeletes live) {
    this.live = live;
  }

  /**
   * Checks delete files that are to be added and removed in one commit upon {@code snapshot}. Reads
   * its manifests, and no delete file.
   *
   * @param adds entries to be added; equality deletes are not looked at
   * @param removes entries to be removed; those that are no vectors are not looked at
   * @param snapshot the snapshot to commit upon
   * @throws ValidationException if the table's format version is not 3; if position deletes are
   *     added that are no vectors; if a vector lacks a coordinate or has an impossible one; if
   *     after the commit a data file would have two vectors, or one that deletes fewer rows than
   *     the one it replaces; if a removed vector is not live; if the data file of an added vector
   *     is not live, is of another spec or partition, or has fewer rows than the vector has records
   * @throws java.io.UncheckedIOException if the storage fails
   */
  public static void validate(
      Table table, Iterable<DeleteFile> adds, Iterable<DeleteFile> removes, Snapshot snapshot) {
    try {
      FormatVersions.checkWritable(table);
      CommitValidation validation = new CommitValidation(LiveDeletes.of(table, snapshot));
      adds.forEach(deleteFile -> validation.add(deleteFile, table.specs()));
      removes.forEach(validation::remove);
      validation.checkLiveVectors();
      validation.checkDataFiles(LiveDataFiles.of(table, snapshot, validation.targets));
    } catch (InvalidDeletionVectorException e) {
      throw new ValidationException(e, "%s", e.getMessage());
    }
  }

  private void add(DeleteFile deleteFile, Map<Integer, PartitionSpec> specs) {
    if (deleteFile.content() == FileContent.EQUALITY_DELETES) {
      return;
    }
    if (!DeletionVectorIdentity.isVector(deleteFile)) {
      throw invalid(
          "Cannot add position delete file "
              + deleteFile.location()
              + ": a table of format version 3 takes deletion vectors only");
    }
    DeletionVectorEntry entry = DeletionVectorEntry.of(deleteFile);
    DeleteFile other = added.put(entry.referencedDataFile(), deleteFile);
    if (other != null) {
      throw invalid(
          "Cannot add both "
              + DeletionVectorEntry.describe(other)
              + " and "
              + DeletionVectorEntry.describe(deleteFile)
              + ": they are of the same data file");
    }
    PartitionSpec spec = specs.get(deleteFile.specId());
    if (spec == null) {
      throw cannotAdd(deleteFile, "the table has no partition spec " + deleteFile.specId());
    }
    targets.add(
        new TargetFile(
            entry.referencedDataFile(),
            new FilePartition(spec, deleteFile.partition()),
            TargetFile.UNKNOWN_COUNT,
            null));
  }

  private void remove(DeleteFile deleteFile) {
    if (!DeletionVectorIdentity.isVector(deleteFile)) {
      return;
    }
    DeletionVectorIdentity identity = DeletionVectorIdentity.of(deleteFile);
    String dataFile = DeletionVectorEntry.of(deleteFile).referencedDataFile();
    if (live.vectors(dataFile).stream()
        .map(DeletionVectorIdentity::of)
        .noneMatch(identity::equals)) {
      throw invalid(
          "Cannot remove " + DeletionVectorEntry.describe(deleteFile) + ": it is not live");
    }
    removed.add(identity);
  }

  private void checkLiveVectors() {
    added.forEach(
        (dataFile, vector) -> {
          for (DeleteFile old : live.vectors(dataFile)) {
            if (!removed.contains(DeletionVectorIdentity.of(old))) {
              throw cannotAdd(
                  vector, DeletionVectorEntry.describe(old) + " is live, and not removed with it");
            }
            if (vector.recordCount() < old.recordCount()) {
              throw cannotAdd(
                  vector,
                  "its record count is "
                      + vector.recordCount()
                      + ", less than the "
                      + old.recordCount()
                      + " of the vector that it replaces");
            }
          }
        });
  }

  private void checkDataFiles(LiveDataFiles dataFiles) {
    added.forEach((location, vector) -> checkDataFile(vector, dataFiles.find(location)));
  }

  private static void checkDataFile(DeleteFile vector, Optional<TargetFile> live) {
    TargetFile dataFile = live.orElseThrow(() -> cannotAdd(vector, "its data file is not live"));
    if (!dataFile.partition().contains(vector.specId(), vector.partition())) {
      throw cannotAdd(
          vector,
          "it is of "
              + FilePartition.describe(vector.specId(), vector.partition())
              + ", its data file of "
              + dataFile.partition());
    }
    if (vector.recordCount() > dataFile.recordCount()) {
      throw cannotAdd(
          vector,
          "its record count is "
              + vector.recordCount()
              + ", its data file has "
              + dataFile.recordCount()
              + " rows");
    }
  }

  private static ValidationException cannotAdd(DeleteFile vector, String reason) {
    return invalid("Cannot add " + DeletionVectorEntry.describe(vector) + ": " + reason);
  }

  private static ValidationException invalid(String message) {
    return new ValidationException("%s", message);
  }
}
