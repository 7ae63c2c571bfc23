package io.github.icebergext.dv.internal;

import io.github.icebergext.dv.DeletionVectorIdentity;
import io.github.icebergext.dv.InvalidDeletionVectorException;
import io.github.icebergext.puffin.Reason;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.apache.iceberg.ContentFile;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.ManifestFiles;
import org.apache.iceberg.ManifestReader;
import org.apache.iceberg.MetadataColumns;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.encryption.EncryptingFileIO;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.FileIO;
import org.jspecify.annotations.Nullable;

/**
 * The live files of one snapshot, from its manifests: data sequence numbers are inherited, deleted
 * entries and manifests without live ones left out.
 *
 * <p>Immutable and thread-safe.
 */
public final class SnapshotFiles {
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

  /** What of a delete file is read: of statistics only the bounds, which may name a data file. */
  private static final List<String> DELETE_FILE_COLUMNS =
      List.of(
          DataFile.CONTENT.name(),
          DataFile.FILE_PATH.name(),
          DataFile.FILE_FORMAT.name(),
          DataFile.PARTITION_NAME,
          DataFile.RECORD_COUNT.name(),
          DataFile.FILE_SIZE.name(),
          DataFile.LOWER_BOUNDS.name(),
          DataFile.UPPER_BOUNDS.name(),
          DataFile.KEY_METADATA.name(),
          DataFile.SPLIT_OFFSETS.name(),
          DataFile.EQUALITY_IDS.name(),
          DataFile.SORT_ORDER_ID.name(),
          DataFile.REFERENCED_DATA_FILE.name(),
          DataFile.CONTENT_OFFSET.name(),
          DataFile.CONTENT_SIZE.name());

  private static final Set<Integer> PATH_COLUMN =
      Set.of(MetadataColumns.DELETE_FILE_PATH.fieldId());

  private final FileIO io;
  private final String tableName;
  private final Map<Integer, PartitionSpec> specs;
  private final List<ManifestFile> dataManifests;
  private final List<ManifestFile> deleteManifests;

  /**
   * Reads the manifest list of the snapshot, or none if it is null.
   *
   * @throws InvalidDeletionVectorException with {@link Reason#FORMAT_VERSION} if the table's format
   *     version is more than 3
   * @throws IllegalArgumentException if the snapshot is null but the table has a current one
   */
  public SnapshotFiles(Table table, @Nullable Snapshot snapshot) {
    FormatVersions.checkReadable(table);
    if (snapshot == null && table.currentSnapshot() != null) {
      // What a misspelt name of a branch becomes; no snapshot would be no deletes.
      throw new IllegalArgumentException(
          "Cannot read deletes of table "
              + table.name()
              + ": the snapshot is null, but the table has snapshots");
    }
    this.io = EncryptingFileIO.combine(table.io(), table.encryption());
    this.tableName = table.name();
    this.specs = Map.copyOf(table.specs());
    this.dataManifests = snapshot == null ? List.of() : withLiveFiles(snapshot.dataManifests(io));
    this.deleteManifests =
        snapshot == null ? List.of() : withLiveFiles(snapshot.deleteManifests(io));
  }

  private static List<ManifestFile> withLiveFiles(List<ManifestFile> manifests) {
    return manifests.stream()
        .filter(manifest -> manifest.hasAddedFiles() || manifest.hasExistingFiles())
        .toList();
  }

  FileIO io() {
    return io;
  }

  public Map<Integer, PartitionSpec> specs() {
    return specs;
  }

  /**
   * Returns a partition spec of the table.
   *
   * @throws IllegalArgumentException if it has none of that id
   */
  public PartitionSpec spec(int specId) {
    PartitionSpec spec = specs.get(specId);
    if (spec == null) {
      throw new IllegalArgumentException(
          "Cannot find partition spec " + specId + " of table " + tableName);
    }
    return spec;
  }

  /** Returns the manifests of data files. */
  public List<ManifestFile> dataManifests() {
    return dataManifests;
  }

  /** Returns the live data files of all data manifests, without statistics. */
  public CloseableIterable<DataFile> dataFiles() {
    return dataFiles(dataManifests);
  }

  /**
   * Returns the live data files of some data manifests, without statistics, read anew by every
   * iterator.
   */
  public CloseableIterable<DataFile> dataFiles(Collection<ManifestFile> manifests) {
    return CloseableIterable.concat(lazily(manifests, this::dataFiles));
  }

  private CloseableIterable<DataFile> dataFiles(ManifestFile manifest) {
    checkSpec(manifest);
    return ManifestFiles.read(manifest, io, specs).select(DATA_FILE_COLUMNS);
  }

  /**
   * Returns the live delete files, read anew by every iterator. Of their statistics only those are
   * kept that name a data file.
   */
  public CloseableIterable<DeleteFile> deleteFiles() {
    return CloseableIterable.concat(lazily(deleteManifests, this::deleteFiles));
  }

  private CloseableIterable<DeleteFile> deleteFiles(ManifestFile manifest) {
    checkSpec(manifest);
    ManifestReader<DeleteFile> files =
        ManifestFiles.readDeleteManifest(manifest, io, specs).select(DELETE_FILE_COLUMNS);
    return CloseableIterable.transform(files, SnapshotFiles::compact);
  }

  private static DeleteFile compact(DeleteFile file) {
    return DeletionVectorIdentity.isVector(file)
        ? file.copyWithoutStats()
        : file.copyWithStats(PATH_COLUMN);
  }

  private void checkSpec(ManifestFile manifest) {
    if (!specs.containsKey(manifest.partitionSpecId())) {
      throw new InvalidDeletionVectorException(
          Reason.PARTITION,
          "Cannot read manifest "
              + manifest.path()
              + " of table "
              + tableName
              + ": its partition spec is "
              + manifest.partitionSpecId()
              + ", the table has "
              + specs.keySet().stream().sorted().map(String::valueOf).collect(Collectors.toList()));
    }
  }

  /** Passes on all files and closes their manifests. */
  public static <F extends ContentFile<F>> void forEach(
      CloseableIterable<F> files, Consumer<F> consumer) {
    try (files) {
      files.forEach(consumer);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Opens a manifest when its turn has come, not when asked whether there is a next one. */
  private static <F> Iterable<CloseableIterable<F>> lazily(
      Collection<ManifestFile> manifests, ManifestOpener<F> opener) {
    return () -> {
      Iterator<ManifestFile> iterator = manifests.iterator();
      return new Iterator<>() {
        @Override
        public boolean hasNext() {
          return iterator.hasNext();
        }

        @Override
        public CloseableIterable<F> next() {
          return opener.open(iterator.next());
        }
      };
    };
  }

  @FunctionalInterface
  private interface ManifestOpener<F> {
    CloseableIterable<F> open(ManifestFile manifest);
  }
}
