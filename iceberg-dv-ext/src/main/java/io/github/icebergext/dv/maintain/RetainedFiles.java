package io.github.icebergext.dv.maintain;

import io.github.icebergext.dv.internal.LocationMap;
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
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
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
 * The files that snapshots of a table need beside data files: those of their live delete entries,
 * and all statistics files. Each manifest list and each delete manifest is read once, by several
 * threads. A location takes some 20 bytes of heap.
 *
 * <p>Immutable and thread-safe.
 */
final class RetainedFiles {
  private final List<Snapshot> snapshots;
  private final LocationMap live = new LocationMap();
  private final LocationMap statistics = new LocationMap();

  private RetainedFiles(List<Snapshot> snapshots) {
    this.snapshots = snapshots;
  }

  /**
   * Reads what all snapshots of {@code metadata} need, and its statistics files.
   *
   * @param io reads manifest lists and manifests, decrypted if need be
   * @throws RuntimeException if something cannot be read
   */
  static RetainedFiles of(TableMetadata metadata, FileIO io) {
    Set<Snapshot> ordered = new LinkedHashSet<>(heads(metadata));
    metadata.snapshots().stream()
        .sorted(Comparator.comparingLong(Snapshot::sequenceNumber).reversed())
        .forEach(ordered::add);
    RetainedFiles files = ofSnapshots(ordered, metadata.specsById(), io);
    metadata.statisticsFiles().stream().map(StatisticsFile::path).forEach(files.statistics::add);
    metadata.partitionStatisticsFiles().stream()
        .map(PartitionStatisticsFile::path)
        .forEach(files.statistics::add);
    return files;
  }

  /** Reads what the heads of all branches and the tagged snapshots need. */
  static RetainedFiles ofHeads(TableMetadata metadata, FileIO io) {
    return ofSnapshots(heads(metadata), metadata.specsById(), io);
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
      Collection<Snapshot> snapshots, Map<Integer, PartitionSpec> specs, FileIO io) {
    RetainedFiles files = new RetainedFiles(List.copyOf(snapshots));
    files.read(specs, io);
    return files;
  }

  private void read(Map<Integer, PartitionSpec> specs, FileIO io) {
    Map<String, Manifest> manifests = new ConcurrentHashMap<>();
    ManifestTasks.forEach(
        indexes(),
        index -> {
          for (ManifestFile manifest : withoutMemory(snapshots.get(index)).deleteManifests(io)) {
            if (manifest.hasAddedFiles() || manifest.hasExistingFiles()) {
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
    try (ManifestReader<DeleteFile> entries =
        ManifestFiles.readDeleteManifest(manifest.file(), io, specs)
            .select(List.of(DataFile.FILE_PATH.name()))) {
      for (DeleteFile entry : entries) {
        live.putLeast(entry.location(), manifest.snapshotIndex());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns why the file at {@code location} must be kept, or nothing if it need not be. */
  Optional<KeptFile> keeps(String location) {
    int snapshotIndex = live.get(location);
    if (snapshotIndex != LocationMap.ABSENT) {
      return Optional.of(KeptFile.liveIn(location, snapshots.get(snapshotIndex).snapshotId()));
    }
    return statistics.contains(location)
        ? Optional.of(KeptFile.because(KeptFile.Cause.STATISTICS, location))
        : Optional.empty();
  }
}
