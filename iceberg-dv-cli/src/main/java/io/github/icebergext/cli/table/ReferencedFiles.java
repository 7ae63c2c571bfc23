package io.github.icebergext.cli.table;

import io.github.icebergext.cli.source.Relocations;
import io.github.icebergext.dv.internal.LocationMap;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.function.Consumer;
import org.apache.avro.generic.IndexedRecord;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotParser;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.avro.Avro;
import org.apache.iceberg.avro.AvroIterable;
import org.apache.iceberg.exceptions.NotFoundException;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.util.Tasks;
import org.apache.iceberg.util.ThreadPools;

/**
 * All files that table metadata refers to: of every snapshot, whatever branch or tag it is on, the
 * manifest list, the manifests and what their entries name, deleted entries too; statistics files,
 * the metadata file and those of its log. What was read of one metadata file is not read again for
 * another. Not thread-safe; reads with several threads.
 */
final class ReferencedFiles {
  /** More than processors, as they mostly wait for storage. */
  private static final int THREADS = 16;

  private static final String METADATA_FOLDER = "/metadata/";
  private static final String VERSION_HINT = "version-hint.text";

  /** All that is read of a manifest entry; 2 is the field id of the file in it. */
  private static final Schema ENTRY =
      new Schema(
          Types.NestedField.required(2, "data_file", Types.StructType.of(DataFile.FILE_PATH)));

  private final Relocations relocations;
  private final LocationMap locations = new LocationMap();
  private final Set<String> listsRead = ConcurrentHashMap.newKeySet();
  private final Set<String> manifestsRead = ConcurrentHashMap.newKeySet();

  ReferencedFiles(Relocations relocations) {
    this.relocations = relocations;
  }

  boolean contains(String location) {
    return locations.contains(location);
  }

  /**
   * Adds what the metadata refers to.
   *
   * @param io reads manifest lists and manifests, decrypted if need be
   * @throws NotFoundException if a manifest list or manifest is missing
   */
  void add(TableMetadata metadata, FileIO io) {
    add(
        metadata,
        io,
        e -> {
          throw e;
        });
  }

  /**
   * Adds what the metadata refers to; of manifest lists and manifests that are missing only their
   * own locations.
   */
  void addWhatIsThere(TableMetadata metadata, FileIO io) {
    add(metadata, io, e -> {});
  }

  private void add(TableMetadata metadata, FileIO io, Consumer<NotFoundException> onMissing) {
    addOwnFiles(metadata);
    Map<String, ManifestFile> manifests = new ConcurrentHashMap<>();
    inParallel(
        metadata.snapshots(),
        snapshot -> {
          for (ManifestFile manifest : manifests(snapshot, io, onMissing)) {
            manifests.putIfAbsent(manifest.path(), manifest);
          }
        });
    manifests.keySet().removeAll(manifestsRead);
    inParallel(manifests.values(), manifest -> addEntries(manifest, io, onMissing));
  }

  private void addOwnFiles(TableMetadata metadata) {
    String file = metadata.metadataFileLocation();
    if (file != null) {
      String name = file.substring(file.lastIndexOf('/') + 1);
      addBeside(file.substring(0, file.length() - name.length()), name);
      // It may have been opened by another way than the table knows, such as a relative path.
      addBeside(metadata.location() + METADATA_FOLDER, name);
      String folder = metadata.property(TableProperties.WRITE_METADATA_LOCATION, "");
      addBeside(folder + "/", name);
    }
    metadata.previousFiles().forEach(previous -> add(previous.file()));
    metadata.statisticsFiles().forEach(statistics -> add(statistics.path()));
    metadata.partitionStatisticsFiles().forEach(statistics -> add(statistics.path()));
  }

  private void addBeside(String folder, String metadataFile) {
    add(folder + metadataFile);
    add(folder + VERSION_HINT);
  }

  private void add(String location) {
    locations.add(relocations.apply(location));
  }

  private List<ManifestFile> manifests(
      Snapshot snapshot, FileIO io, Consumer<NotFoundException> onMissing) {
    String list = snapshot.manifestListLocation();
    if (list != null) {
      add(list);
    }
    if (list != null && listsRead.contains(list)) {
      return List.of();
    }
    try {
      List<ManifestFile> manifests = withoutMemory(snapshot).allManifests(io);
      if (list != null) {
        listsRead.add(list);
      }
      return manifests;
    } catch (NotFoundException e) {
      onMissing.accept(e);
      return List.of();
    }
  }

  /**
   * Returns a snapshot that keeps what it read no longer than it is kept itself. That of a table
   * keeps all its manifests as long as the table; of thousands of snapshots that is too much.
   */
  private static Snapshot withoutMemory(Snapshot snapshot) {
    return snapshot.manifestListLocation() == null
        ? snapshot
        : SnapshotParser.fromJson(SnapshotParser.toJson(snapshot));
  }

  /**
   * Adds all entries of a manifest. Iceberg's own reader passes over deleted ones, which name files
   * too.
   */
  private void addEntries(ManifestFile manifest, FileIO io, Consumer<NotFoundException> onMissing) {
    add(manifest.path());
    try (AvroIterable<IndexedRecord> entries =
        Avro.read(io.newInputFile(manifest)).project(ENTRY).reuseContainers().build()) {
      for (IndexedRecord entry : entries) {
        IndexedRecord file = (IndexedRecord) entry.get(0);
        add(file.get(0).toString());
      }
      manifestsRead.add(manifest.path());
    } catch (NotFoundException e) {
      onMissing.accept(e);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static <T> void inParallel(Iterable<T> items, Consumer<T> work) {
    ExecutorService threads = ThreadPools.newFixedThreadPool("icedv-manifests", THREADS);
    try {
      Tasks.foreach(items)
          .executeWith(threads)
          .stopOnFailure()
          .throwFailureWhenFinished()
          .run(work::accept);
    } finally {
      threads.shutdownNow();
    }
  }
}
