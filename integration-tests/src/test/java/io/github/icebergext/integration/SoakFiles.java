package io.github.icebergext.integration;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.MetadataTableType;
import org.apache.iceberg.MetadataTableUtils;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.StructLike;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.util.SnapshotUtil;

/**
 * The files that the metadata of a table names, with all its snapshots.
 *
 * @param needed those that must exist
 * @param removed data files and delete files that only entries of removed files name; they may be
 *     there still
 * @param elsewhere those of the needed data files and delete files that no snapshot in the known
 *     history of main has; a tagged snapshot is not in it when its successor has expired
 * @param snapshots how many snapshots the table has
 */
record SoakFiles(Set<String> needed, Set<String> removed, Set<String> elsewhere, int snapshots) {
  private static final List<String> COLUMNS =
      List.of("status", "data_file." + DataFile.FILE_PATH.name());

  /** The status of an entry that its manifest lists as deleted. */
  private static final int DELETED = 2;

  static SoakFiles of(Table table) throws IOException {
    Set<String> needed = new HashSet<>();
    TableMetadata metadata = ((HasTableOperations) table).operations().current();
    needed.add(metadata.metadataFileLocation());
    metadata.previousFiles().forEach(previous -> needed.add(previous.file()));
    metadata.statisticsFiles().forEach(file -> needed.add(file.path()));
    metadata.partitionStatisticsFiles().forEach(file -> needed.add(file.path()));
    for (Snapshot snapshot : metadata.snapshots()) {
      needed.add(snapshot.manifestListLocation());
      snapshot.allManifests(table.io()).forEach(manifest -> needed.add(manifest.path()));
    }
    Set<String> manifestsOfMain = manifestsOfMain(table, metadata);
    Set<String> live = new HashSet<>();
    Set<String> liveInMain = new HashSet<>();
    Set<String> removed = new HashSet<>();
    for (FileScanTask manifest : entries(table)) {
      boolean isOfMain = manifestsOfMain.contains(manifest.file().location());
      try (CloseableIterable<StructLike> rows = manifest.asDataTask().rows()) {
        for (StructLike entry : rows) {
          String file = entry.get(1, StructLike.class).get(0, String.class);
          if (entry.get(0, Integer.class) == DELETED) {
            removed.add(file);
          } else {
            live.add(file);
            if (isOfMain) {
              liveInMain.add(file);
            }
          }
        }
      }
    }
    removed.removeAll(live);
    needed.addAll(live);
    live.removeAll(liveInMain);
    return new SoakFiles(needed, removed, live, metadata.snapshots().size());
  }

  private static Set<String> manifestsOfMain(Table table, TableMetadata metadata) {
    Set<String> manifests = new HashSet<>();
    SnapshotUtil.ancestorsOf(metadata.currentSnapshot().snapshotId(), metadata::snapshot)
        .forEach(
            snapshot ->
                snapshot
                    .allManifests(table.io())
                    .forEach(manifest -> manifests.add(manifest.path())));
    return manifests;
  }

  /** Returns a task for each manifest, which reads all its entries, deleted ones too. */
  private static List<FileScanTask> entries(Table table) throws IOException {
    return SoakTable.plan(
        MetadataTableUtils.createMetadataTableInstance(table, MetadataTableType.ALL_ENTRIES)
            .newScan()
            .select(COLUMNS));
  }

  /** Returns the needed files that do not exist. */
  Set<String> lost(Set<String> existing) {
    Set<String> lost = new TreeSet<>(needed);
    lost.removeAll(existing);
    return lost;
  }

  /** Returns the files that nothing names. */
  Set<String> leftIn(Set<String> existing) {
    Set<String> left = new TreeSet<>(existing);
    left.removeAll(needed);
    left.removeAll(removed);
    return left;
  }

  static Set<String> existing(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(Files::isRegularFile).map(Path::toString).collect(Collectors.toSet());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
