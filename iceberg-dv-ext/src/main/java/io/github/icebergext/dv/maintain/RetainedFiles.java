package io.github.icebergext.dv.maintain;

import io.github.icebergext.dv.internal.LocationMap;
import io.github.icebergext.dv.maintain.KeptFile.Cause;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.apache.iceberg.ContentFile;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.ManifestContent;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.ManifestFiles;
import org.apache.iceberg.ManifestReader;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.PartitionStatisticsFile;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotParser;
import org.apache.iceberg.StatisticsFile;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.io.FileIO;

/**
 * The files that snapshots of a table need: their manifest lists and manifests, the files of their
 * live delete entries, those of their live data entries if asked for, and all statistics files.
 * Each manifest list and each manifest is read once, by several threads. A location takes some 20
 * bytes of heap.
 *
 * <p>Immutable and thread-safe.
 */
final class RetainedFiles {
  private final List<Snapshot> snapshots;
  private final LocationMap liveMetadata = new LocationMap();
  private final LocationMap liveDeletes = new LocationMap();
  private final LocationMap liveData = new LocationMap();
  private final LocationMap statistics = new LocationMap();

  private RetainedFiles(List<Snapshot> snapshots) {
    this.snapshots = snapshots;
  }

  /**
   * Reads what all snapshots of {@code metadata} need, and its statistics files.
   *
   * @param io reads manifest lists and manifests, decrypted if need be
   * @param contents whether delete files, data files or both are wanted
   * @throws RuntimeException if something cannot be read
   */
  static RetainedFiles of(TableMetadata metadata, FileIO io, Set<ManifestContent> contents) {
    Set<Snapshot> ordered = new LinkedHashSet<>(heads(metadata));
    metadata.snapshots().stream()
        .sorted(Comparator.comparingLong(Snapshot::sequenceNumber).reversed())
        .forEach(ordered::add);
    RetainedFiles files = ofSnapshots(ordered, metadata.specsById(), io, contents);
    metadata.statisticsFiles().stream().map(StatisticsFile::path).forEach(files.statistics::add);
    metadata.partitionStatisticsFiles().stream()
        .map(PartitionStatisticsFile::path)
        .forEach(files.statistics::add);
    return files;
  }

  /** Reads which delete files the heads of all branches and the tagged snapshots need. */
  static RetainedFiles ofHeads(TableMetadata metadata, FileIO io) {
    return ofSnapshots(heads(metadata), metadata.specsById(), io, Set.of(ManifestContent.DELETES));
  }

  /** Returns the current snapshot, the heads of other branches and the tagged snapshots. */
  private static Set<Snapshot> heads(TableMetadata metadata) {
    Set<Snapshot> heads = new LinkedHashSet<>();
    if (metadata.currentSnapshot() != null) {
      heads.add(metadata.currentSnapshot());
    }
    metadata.refs().values().forEach(ref -> heads.add(metadata.snapshot(ref.snapshotId())));
    return heads;
  }

  private static RetainedFiles ofSnapshots(
      Collection<Snapshot> snapshots,
      Map<Integer, PartitionSpec> specs,
      FileIO io,
      Set<ManifestContent> contents) {
    RetainedFiles files = new RetainedFiles(List.copyOf(snapshots));
    files.read(specs, io, contents);
    return files;
  }

  private void read(Map<Integer, PartitionSpec> specs, FileIO io, Set<ManifestContent> contents) {
    Map<String, Manifest> manifests = new ConcurrentHashMap<>();
    ManifestTasks.forEach(
        indexes(),
        index -> {
          Snapshot snapshot = snapshots.get(index);
          if (snapshot.manifestListLocation() != null) {
            liveMetadata.putLeast(snapshot.manifestListLocation(), index);
          }
          for (ManifestFile manifest : withoutMemory(snapshot).allManifests(io)) {
            liveMetadata.putLeast(manifest.path(), index);
            if (contents.contains(manifest.content())
                && (manifest.hasAddedFiles() || manifest.hasExistingFiles())) {
              manifests.merge(
                  manifest.path(), new Manifest(manifest, index), Manifest::ofFirstSnapshot);
            }
          }
        });
    ManifestTasks.forEach(manifests.values(), manifest -> addLive(manifest, specs, io));
  }

  /** A manifest, and which snapshot is the first to have it. */
  private record Manifest(ManifestFile file, int snapshotIndex) {
    Manifest ofFirstSnapshot(Manifest other) {
      return snapshotIndex <= other.snapshotIndex ? this : other;
    }
  }

  private List<Integer> indexes() {
    return IntStream.range(0, snapshots.size()).boxed().toList();
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

  private void addLive(Manifest manifest, Map<Integer, PartitionSpec> specs, FileIO io) {
    LocationMap live =
        manifest.file().content() == ManifestContent.DELETES ? liveDeletes : liveData;
    try (ManifestReader<? extends ContentFile<?>> entries = open(manifest.file(), specs, io)) {
      entries.forEach(entry -> live.putLeast(entry.location(), manifest.snapshotIndex()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static ManifestReader<? extends ContentFile<?>> open(
      ManifestFile manifest, Map<Integer, PartitionSpec> specs, FileIO io) {
    List<String> path = List.of(DataFile.FILE_PATH.name());
    return manifest.content() == ManifestContent.DELETES
        ? ManifestFiles.readDeleteManifest(manifest, io, specs).select(path)
        : ManifestFiles.read(manifest, io, specs).select(path);
  }

  /** Returns why the file at {@code location} must be kept, or nothing if it need not be. */
  Optional<KeptFile> keeps(String location) {
    return keeps(Cause.LIVE_DELETES, liveDeletes, location)
        .or(() -> keeps(Cause.LIVE_DATA, liveData, location))
        .or(() -> keeps(Cause.LIVE_METADATA, liveMetadata, location))
        .or(
            () ->
                statistics.contains(location)
                    ? Optional.of(KeptFile.because(Cause.STATISTICS, location))
                    : Optional.empty());
  }

  private Optional<KeptFile> keeps(Cause cause, LocationMap live, String location) {
    int snapshotIndex = live.get(location);
    return snapshotIndex == LocationMap.ABSENT
        ? Optional.empty()
        : Optional.of(KeptFile.liveIn(cause, location, snapshots.get(snapshotIndex).snapshotId()));
  }
}
