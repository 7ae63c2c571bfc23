package io.github.icebergext.dv.commit.internal;

import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.dv.internal.FilePartition;
import io.github.icebergext.dv.internal.SnapshotFiles;
import io.github.icebergext.dv.internal.TargetFile;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.exceptions.ValidationException;

/** Some data files as they are in a snapshot, if they are. */
public final class LiveDataFiles {
  private final Snapshot snapshot;
  private final Map<String, TargetFile> found = new HashMap<>();
  private final Map<String, Long> addedAt = new HashMap<>();

  private LiveDataFiles(Snapshot snapshot) {
    this.snapshot = snapshot;
  }

  /** Reads the data manifests of {@code snapshot}. */
  public static LiveDataFiles of(Table table, Snapshot snapshot, Collection<TargetFile> wanted) {
    LiveDataFiles live = new LiveDataFiles(snapshot);
    Set<String> locations = new HashSet<>();
    Set<Integer> specs = new HashSet<>();
    for (TargetFile file : wanted) {
      locations.add(file.location());
      specs.add(file.partition().spec().specId());
    }
    SnapshotFiles files = new SnapshotFiles(table, snapshot);
    live.find(locations, files, manifest -> specs.contains(manifest.partitionSpecId()));
    if (live.found.size() < locations.size()) {
      // Gone, or of another spec than was thought: messages tell the two apart.
      live.find(locations, files, manifest -> !specs.contains(manifest.partitionSpecId()));
    }
    return live;
  }

  private void find(Set<String> locations, SnapshotFiles files, Predicate<ManifestFile> manifests) {
    SnapshotFiles.forEach(
        files.dataFiles(files.dataManifests().stream().filter(manifests).toList()),
        dataFile -> {
          if (locations.contains(dataFile.location())) {
            add(dataFile, files);
          }
        });
  }

  private void add(DataFile dataFile, SnapshotFiles files) {
    FilePartition partition =
        new FilePartition(files.spec(dataFile.specId()), dataFile.partition()).copy();
    found.put(dataFile.location(), TargetFile.of(dataFile, partition));
    Long sequenceNumber = dataFile.fileSequenceNumber();
    if (sequenceNumber != null) {
      addedAt.put(dataFile.location(), sequenceNumber);
    }
  }

  /** Returns a data file if it is live. */
  public Optional<TargetFile> find(String location) {
    return Optional.ofNullable(found.get(location));
  }

  /** Tells whether a data file came into the table with a sequence number or a later one. */
  boolean isAddedAt(String location, long sequenceNumber) {
    return addedAt.getOrDefault(location, -1L) >= sequenceNumber;
  }

  /** Tells why a data file cannot get its vector; empty if it can. */
  Optional<String> complaint(PendingVector vector) {
    TargetFile live = found.get(vector.location());
    if (live == null) {
      return Optional.of("it is not live in snapshot " + snapshot.snapshotId());
    }
    DeletedPositions added = vector.newPositions();
    if (!added.isEmpty() && added.lastPosition() > live.maxPosition()) {
      return Optional.of(
          "position "
              + added.lastPosition()
              + " is to be deleted, but it has "
              + live.recordCount()
              + " rows");
    }
    return live.contradicts(vector.file())
        ? Optional.of(
            "it has " + live.describe() + ", and was given with " + vector.file().describe())
        : Optional.empty();
  }

  /**
   * Refuses vectors of data files that are not live, or other ones than was thought.
   *
   * @throws ValidationException if so
   */
  public void check(Collection<PendingVector> vectors) {
    for (PendingVector vector : vectors) {
      Optional<String> complaint = complaint(vector);
      if (complaint.isPresent()) {
        throw new ValidationException(
            "%s",
            "Cannot commit deletes of data file " + vector.location() + ": " + complaint.get());
      }
    }
  }
}
