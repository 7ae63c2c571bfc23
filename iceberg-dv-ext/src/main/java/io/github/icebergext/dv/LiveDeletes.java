package io.github.icebergext.dv;

import io.github.icebergext.puffin.Reason;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileContent;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.ManifestFiles;
import org.apache.iceberg.ManifestReader;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.encryption.EncryptingFileIO;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.FileIO;
import org.jspecify.annotations.Nullable;

/**
 * The live delete entries of a snapshot, read from its delete manifests directly.
 *
 * <p>Scan planning is not used: it throws on a data file with two vectors and drops the position
 * deletes that a vector hides. Here both are kept and can be asked for.
 *
 * <p>Holds every live delete entry of the snapshot, without statistics. Immutable and thread-safe.
 */
public final class LiveDeletes implements PreviousDeletes {
  /** What of a data file is read: everything but the statistics of its columns. */
  private static final List<String> DATA_FILE_COLUMNS =
      List.of(
          DataFile.CONTENT.name(),
          DataFile.FILE_PATH.name(),
          DataFile.FILE_FORMAT.name(),
          DataFile.PARTITION_NAME,
          DataFile.RECORD_COUNT.name(),
          DataFile.FILE_SIZE.name(),
          DataFile.KEY_METADATA.name(),
          DataFile.SPLIT_OFFSETS.name(),
          DataFile.SORT_ORDER_ID.name());

  private final FileIO io;
  private final Map<Integer, PartitionSpec> specs;
  private final OptionalLong snapshotId;
  private final List<ManifestFile> dataManifests;
  private final Map<String, List<DeleteFile>> vectors = new LinkedHashMap<>();
  private final PositionDeletes positionDeletes;
  private final List<DeleteFile> equalityDeletes = new ArrayList<>();

  private LiveDeletes(Table table, @Nullable Snapshot snapshot) {
    FormatVersions.checkReadable(table);
    this.io = EncryptingFileIO.combine(table.io(), table.encryption());
    this.specs = table.specs();
    this.positionDeletes = new PositionDeletes(specs);
    if (snapshot == null) {
      this.snapshotId = OptionalLong.empty();
      this.dataManifests = List.of();
    } else {
      this.snapshotId = OptionalLong.of(snapshot.snapshotId());
      this.dataManifests = snapshot.dataManifests(io);
      snapshot.deleteManifests(io).forEach(this::readDeletes);
    }
  }

  /**
   * Reads the deletes of the table's current snapshot; there are none if the table has no snapshot.
   *
   * @throws InvalidDeletionVectorException with {@link Reason#FORMAT_VERSION} if the table's format
   *     version is more than 3
   * @throws InvalidDeletionVectorException with {@link Reason#ENTRY_COORDINATES} if a live vector's
   *     entry lacks a coordinate or has an impossible one
   * @throws UncheckedIOException if the storage fails
   */
  public static LiveDeletes of(Table table) {
    return new LiveDeletes(table, table.currentSnapshot());
  }

  /**
   * Reads the deletes of {@code snapshot}, which is one of {@code table}'s.
   *
   * @throws InvalidDeletionVectorException with {@link Reason#FORMAT_VERSION} if the table's format
   *     version is more than 3
   * @throws InvalidDeletionVectorException with {@link Reason#ENTRY_COORDINATES} if a live vector's
   *     entry lacks a coordinate or has an impossible one
   * @throws UncheckedIOException if the storage fails
   */
  public static LiveDeletes of(Table table, Snapshot snapshot) {
    return new LiveDeletes(table, snapshot);
  }

  @Override
  public OptionalLong snapshotId() {
    return snapshotId;
  }

  /**
   * {@inheritDoc}
   *
   * @throws InvalidDeletionVectorException with {@link Reason#DUPLICATE_VECTOR} if there are
   *     several
   */
  @Override
  public Optional<DeleteFile> vector(String dataFileLocation) {
    List<DeleteFile> found = vectors.getOrDefault(dataFileLocation, List.of());
    if (found.size() > 1) {
      throw new InvalidDeletionVectorException(
          Reason.DUPLICATE_VECTOR,
          "Cannot choose among "
              + found.size()
              + " live deletion vectors of data file "
              + dataFileLocation
              + ": "
              + found.stream()
                  .map(vector -> DeletionVectorIdentity.of(vector).toString())
                  .collect(Collectors.joining(", ")));
    }
    return found.stream().findFirst();
  }

  /** Returns all live vectors, in the order of the manifests. */
  public List<DeleteFile> vectors() {
    return vectors.values().stream().flatMap(List::stream).toList();
  }

  /** Returns the vectors of the data files that have more than one, by the data file's location. */
  public Map<String, List<DeleteFile>> duplicateVectors() {
    Map<String, List<DeleteFile>> duplicates = new LinkedHashMap<>(vectors);
    duplicates.values().removeIf(found -> found.size() == 1);
    return Collections.unmodifiableMap(duplicates);
  }

  /**
   * Returns the vectors whose data file is not live in the snapshot. Reads its data manifests.
   *
   * @throws UncheckedIOException if the storage fails
   */
  public List<DeleteFile> danglingVectors() {
    Set<String> dangling = new HashSet<>(vectors.keySet());
    try (CloseableIterable<DataFile> dataFiles = dataFiles()) {
      dataFiles.forEach(dataFile -> dangling.remove(dataFile.location()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return vectors().stream()
        .filter(vector -> dangling.contains(vector.referencedDataFile()))
        .toList();
  }

  /** Returns the live position deletes that are no vectors. */
  public List<DeleteFile> positionDeletes() {
    return Collections.unmodifiableList(positionDeletes.all());
  }

  /**
   * Returns the live position deletes, other than vectors, that name {@code dataFile} or share its
   * partition and are not older than it. A data file that has a vector ignores them.
   */
  @Override
  public List<DeleteFile> positionDeletes(DataFile dataFile) {
    return positionDeletes.of(dataFile);
  }

  /** Returns the live equality deletes. */
  public List<DeleteFile> equalityDeletes() {
    return Collections.unmodifiableList(equalityDeletes);
  }

  /**
   * Returns the snapshot's live data files, without statistics, as its data manifests are read:
   * anew by every iterator. The caller closes it.
   */
  public CloseableIterable<DataFile> dataFiles() {
    return CloseableIterable.concat(() -> dataManifests.stream().map(this::readData).iterator());
  }

  private CloseableIterable<DataFile> readData(ManifestFile manifest) {
    return ManifestFiles.read(manifest, io, specs).select(DATA_FILE_COLUMNS);
  }

  private void readDeletes(ManifestFile manifest) {
    try (ManifestReader<DeleteFile> entries =
        ManifestFiles.readDeleteManifest(manifest, io, specs)) {
      entries.forEach(this::add);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void add(DeleteFile deleteFile) {
    if (DeletionVectorIdentity.isVector(deleteFile)) {
      DeletionVectorEntry entry = DeletionVectorEntry.of(deleteFile);
      vectors.merge(
          entry.referencedDataFile(), List.of(deleteFile.copyWithoutStats()), LiveDeletes::concat);
    } else if (deleteFile.content() == FileContent.POSITION_DELETES) {
      positionDeletes.add(deleteFile);
    } else {
      equalityDeletes.add(deleteFile.copyWithoutStats());
    }
  }

  private static <T> List<T> concat(List<T> left, List<T> right) {
    List<T> both = new ArrayList<>(left);
    both.addAll(right);
    return List.copyOf(both);
  }
}
