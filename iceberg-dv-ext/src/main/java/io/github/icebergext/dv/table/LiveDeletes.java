package io.github.icebergext.dv.table;

import io.github.icebergext.dv.DeletionVectorEntry;
import io.github.icebergext.dv.DeletionVectorIdentity;
import io.github.icebergext.dv.InvalidDeletionVectorException;
import io.github.icebergext.dv.internal.DataFileCheck;
import io.github.icebergext.dv.internal.FilePartition;
import io.github.icebergext.dv.internal.PositionDeleteFiles;
import io.github.icebergext.dv.internal.SnapshotFiles;
import io.github.icebergext.puffin.Reason;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileContent;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.StatisticsFile;
import org.apache.iceberg.StructLike;
import org.apache.iceberg.Table;
import org.apache.iceberg.io.CloseableIterable;
import org.jspecify.annotations.Nullable;

/**
 * The live delete entries of a snapshot, read from its delete manifests directly.
 *
 * <p>Scan planning is not used: it throws on a data file with two vectors and drops the position
 * deletes that a vector hides. Here both are kept and can be asked for.
 *
 * <p>Holds every live delete entry of the snapshot, without statistics; {@link #entries} streams
 * them instead. Immutable and thread-safe.
 *
 * @see <a href="https://iceberg.apache.org/spec/#scan-planning">Iceberg table spec, scan
 *     planning</a>
 */
public final class LiveDeletes {
  /** Where malformed vectors are kept that name no data file. */
  private static final String NAMELESS = "";

  private final SnapshotFiles files;
  private final OptionalLong snapshotId;
  private final Map<String, List<DeleteFile>> vectors = new LinkedHashMap<>();
  private final PositionDeleteFiles positionDeletes;
  private final List<DeleteFile> equalityDeletes = new ArrayList<>();
  private final List<MalformedVector> malformed = new ArrayList<>();
  private final Map<String, MalformedVector> malformedByDataFile = new HashMap<>();
  private final Set<String> statistics = new LinkedHashSet<>();

  /**
   * An entry that is a deletion vector by content and format, but none that can be read.
   *
   * @param entry the entry as its manifest has it
   * @param problem what is wrong with it; its reason is {@link Reason#ENTRY_COORDINATES}
   */
  public record MalformedVector(DeleteFile entry, InvalidDeletionVectorException problem) {}

  private LiveDeletes(Table table, @Nullable Snapshot snapshot) {
    this.files = new SnapshotFiles(table, snapshot);
    this.positionDeletes = new PositionDeleteFiles(files.specs());
    this.snapshotId =
        snapshot == null ? OptionalLong.empty() : OptionalLong.of(snapshot.snapshotId());
    SnapshotFiles.forEach(files.deleteFiles(), this::add);
    for (StatisticsFile file : table.statisticsFiles()) {
      if (snapshot != null && file.snapshotId() == snapshot.snapshotId()) {
        statistics.add(file.path());
      }
    }
  }

  /**
   * Reads the deletes of the table's current snapshot; there are none if the table has no snapshot.
   *
   * @throws InvalidDeletionVectorException with {@link Reason#FORMAT_VERSION} if the table's format
   *     version is more than 3
   * @throws InvalidDeletionVectorException with {@link Reason#PARTITION} if a manifest is of a
   *     partition spec that the table does not have
   * @throws InvalidDeletionVectorException with {@link Reason#ENTRY_COORDINATES} if a live vector's
   *     entry lacks a coordinate or has an impossible one
   * @throws UncheckedIOException if the storage fails
   */
  public static LiveDeletes of(Table table) {
    return of(table, table.currentSnapshot());
  }

  /**
   * Reads the deletes of {@code snapshot}, which is one of {@code table}'s: that of a branch or tag
   * ({@link Table#snapshot(String)}), of a time, or any other.
   *
   * @param snapshot may be null if the table has no current snapshot; there are no deletes then
   * @throws InvalidDeletionVectorException with {@link Reason#FORMAT_VERSION} if the table's format
   *     version is more than 3
   * @throws IllegalArgumentException if the snapshot is null but the table has a current one
   * @throws InvalidDeletionVectorException with {@link Reason#PARTITION} if a manifest is of a
   *     partition spec that the table does not have
   * @throws InvalidDeletionVectorException with {@link Reason#ENTRY_COORDINATES} if a live vector's
   *     entry lacks a coordinate or has an impossible one
   * @throws UncheckedIOException if the storage fails
   */
  public static LiveDeletes of(Table table, @Nullable Snapshot snapshot) {
    LiveDeletes live = new LiveDeletes(table, snapshot);
    for (MalformedVector first : live.malformed) {
      throw first.problem();
    }
    return live;
  }

  /**
   * Reads the deletes of {@code snapshot} as {@link #of(Table, Snapshot)} does, but collects the
   * malformed vectors in {@link #malformed()} instead of throwing on the first one.
   *
   * <p>The result still fails closed: {@link #vector} and {@link #deletes} throw for each data file
   * that a malformed vector names, and for every data file if one names none.
   *
   * @param snapshot may be null if the table has no current snapshot; there are no deletes then
   * @throws InvalidDeletionVectorException with {@link Reason#FORMAT_VERSION} if the table's format
   *     version is more than 3
   * @throws IllegalArgumentException if the snapshot is null but the table has a current one
   * @throws InvalidDeletionVectorException with {@link Reason#PARTITION} if a manifest is of a
   *     partition spec that the table does not have
   * @throws UncheckedIOException if the storage fails
   */
  public static LiveDeletes forAudit(Table table, @Nullable Snapshot snapshot) {
    return new LiveDeletes(table, snapshot);
  }

  /**
   * Returns the live delete entries of {@code snapshot} as its manifests are read, one after the
   * other and anew by every iterator, so that no more than one is held at a time. They are not
   * checked: {@link DeletionVectorEntry#of} does that for vectors. The caller closes what is
   * returned.
   *
   * @param snapshot may be null if the table has no current snapshot; there are no deletes then
   * @throws InvalidDeletionVectorException with {@link Reason#FORMAT_VERSION} if the table's format
   *     version is more than 3; iterators throw it with {@link Reason#PARTITION} if a manifest is
   *     of a partition spec that the table does not have
   * @throws IllegalArgumentException if the snapshot is null but the table has a current one
   * @throws UncheckedIOException if the storage fails, also while iterating
   */
  public static CloseableIterable<DeleteFile> entries(Table table, @Nullable Snapshot snapshot) {
    return new SnapshotFiles(table, snapshot).deleteFiles();
  }

  /** Returns the snapshot the deletes were read from; empty if the table had none. */
  public OptionalLong snapshotId() {
    return snapshotId;
  }

  /**
   * Returns the live deletion vector of the data file at {@code dataFileLocation}.
   *
   * @throws InvalidDeletionVectorException with {@link Reason#ENTRY_COORDINATES} if a {@linkplain
   *     #malformed() malformed} vector names the data file or none
   * @throws InvalidDeletionVectorException with {@link Reason#DUPLICATE_VECTOR} if there are
   *     several
   */
  public Optional<DeleteFile> vector(String dataFileLocation) {
    refuseToGuess(dataFileLocation);
    return DataFileCheck.single(dataFileLocation, vectors(dataFileLocation));
  }

  private void refuseToGuess(String dataFileLocation) {
    MalformedVector nameless = malformedByDataFile.get(NAMELESS);
    MalformedVector found = malformedByDataFile.getOrDefault(dataFileLocation, nameless);
    if (found != null) {
      throw new InvalidDeletionVectorException(
          found.problem().reason(),
          "Cannot tell the deletion vector of data file "
              + dataFileLocation
              + ": "
              + found.problem().getMessage(),
          found.problem());
    }
  }

  /**
   * Returns all live vectors of the data file at {@code dataFileLocation} that are well-formed, of
   * which there is at most one in a sound table.
   */
  public List<DeleteFile> vectors(String dataFileLocation) {
    return vectors.getOrDefault(dataFileLocation, List.of());
  }

  /** Returns the locations of the data files that have well-formed vectors. */
  Set<String> dataFilesWithVectors() {
    return Collections.unmodifiableSet(vectors.keySet());
  }

  SnapshotFiles files() {
    return files;
  }

  /** Returns all live vectors that are well-formed, in the order of the manifests. */
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
   * Returns the malformed live vectors, in the order of the manifests; empty unless read
   * {@linkplain #forAudit for an audit}.
   */
  public List<MalformedVector> malformed() {
    return Collections.unmodifiableList(malformed);
  }

  /**
   * Returns the vectors whose data file is not live in the snapshot. Reads its data manifests.
   *
   * @throws UncheckedIOException if the storage fails
   */
  public List<DeleteFile> danglingVectors() {
    Set<String> dangling = new HashSet<>(vectors.keySet());
    SnapshotFiles.forEach(dataFiles(), dataFile -> dangling.remove(dataFile.location()));
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
  public List<DeleteFile> positionDeletes(DataFile dataFile) {
    return positionDeletes(
        dataFile.location(),
        files.spec(dataFile.specId()),
        dataFile.partition(),
        dataFile.dataSequenceNumber());
  }

  /**
   * Returns the live position deletes, other than vectors, that name the data file at {@code
   * dataFileLocation} or share its partition and are not older than it. A data file that has a
   * vector ignores them.
   *
   * @param spec partition spec of the data file
   * @param partition partition of the data file in that spec
   * @param dataSequenceNumber data sequence number of the data file; null if it is not known, then
   *     no deletes count as older
   */
  public List<DeleteFile> positionDeletes(
      String dataFileLocation,
      PartitionSpec spec,
      StructLike partition,
      @Nullable Long dataSequenceNumber) {
    return positionDeletes.of(
        dataFileLocation, new FilePartition(spec, partition), dataSequenceNumber);
  }

  /**
   * Returns the live position deletes, other than vectors, that apply to no live data file, whether
   * or not it has a vector. Reads the snapshot's data manifests.
   *
   * @throws UncheckedIOException if the storage fails
   */
  public List<DeleteFile> danglingPositionDeletes() {
    PositionDeleteFiles.Unclaimed unclaimed = positionDeletes.unclaimed();
    SnapshotFiles.forEach(dataFiles(), unclaimed::claim);
    return unclaimed.files();
  }

  /**
   * Returns what deletes rows of {@code dataFile} by position: its vector, or else the position
   * deletes that apply; and those that its vector shadows.
   *
   * @param dataFile a live data file of the snapshot, such as {@link #dataFiles()} has
   * @throws InvalidDeletionVectorException with {@link Reason#ENTRY_COORDINATES} if a {@linkplain
   *     #malformed() malformed} vector names the data file or none
   * @throws InvalidDeletionVectorException with {@link Reason#DUPLICATE_VECTOR} if there are
   *     several vectors
   * @throws InvalidDeletionVectorException with {@link Reason#PARTITION} if the vector is of
   *     another partition spec or partition than the data file
   * @throws InvalidDeletionVectorException with {@link Reason#SEQUENCE_NUMBER} if the vector is
   *     older than the data file
   * @throws InvalidDeletionVectorException with {@link Reason#POSITION_RANGE} if the vector deletes
   *     more rows than the data file has
   */
  public DataFileDeletes deletes(DataFile dataFile) {
    Optional<DeleteFile> vector = vector(dataFile.location());
    vector.ifPresent(
        found -> DataFileCheck.checkEntry(found, dataFile, files.spec(dataFile.specId())));
    return DataFileDeletes.of(vector, positionDeletes(dataFile));
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
    return files.dataFiles();
  }

  /**
   * Returns the locations of all Puffin files that the snapshot needs, each once: those of its live
   * vectors, malformed ones included, and those of the statistics files that the table had for this
   * very snapshot when the deletes were read. Statistics of partitions are no Puffin files.
   *
   * <p>A table needs the files of all its snapshots.
   */
  public Set<String> puffinLocations() {
    Set<String> locations = new LinkedHashSet<>();
    vectors().forEach(vector -> locations.add(vector.location()));
    malformed.forEach(vector -> locations.add(vector.entry().location()));
    locations.addAll(statistics);
    return Collections.unmodifiableSet(locations);
  }

  private void add(DeleteFile deleteFile) {
    if (DeletionVectorIdentity.isVector(deleteFile)) {
      addVector(deleteFile);
    } else if (deleteFile.content() == FileContent.POSITION_DELETES) {
      positionDeletes.add(deleteFile);
    } else {
      equalityDeletes.add(deleteFile);
    }
  }

  private void addVector(DeleteFile vector) {
    try {
      String dataFile = DeletionVectorEntry.of(vector).referencedDataFile();
      vectors.merge(dataFile, List.of(vector), LiveDeletes::concat);
    } catch (InvalidDeletionVectorException e) {
      MalformedVector entry = new MalformedVector(vector, e);
      malformed.add(entry);
      String named = vector.referencedDataFile();
      malformedByDataFile.putIfAbsent(named == null ? NAMELESS : named, entry);
    }
  }

  private static <T> List<T> concat(List<T> left, List<T> right) {
    List<T> both = new ArrayList<>(left);
    both.addAll(right);
    return List.copyOf(both);
  }
}
