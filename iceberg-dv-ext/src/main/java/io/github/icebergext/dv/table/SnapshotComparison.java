package io.github.icebergext.dv.table;

import io.github.icebergext.dv.internal.SnapshotFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.io.CloseableIterable;

/**
 * Finds the data files whose deletes differ between two snapshots, from metadata alone.
 *
 * <p>What a manifest that both snapshots have lists is live in both. So only the data files of
 * other manifests are held, and those of shared ones are read no further than until all is found
 * that the delete entries give reason to look for. Not thread-safe.
 */
final class SnapshotComparison {
  private final LiveDeletes before;
  private final LiveDeletes after;
  private final DataFileComparison comparison;
  private final List<UnreadChange> changes = new ArrayList<>();

  /** Data files whose vectors differ, and that were not found in both snapshots so far. */
  private final Set<String> wanted = new HashSet<>();

  /** Whether data files without vectors can have other position deletes than before. */
  private final boolean positionDeletesDiffer;

  /** Data files in manifests that only the first snapshot has. */
  private final Map<String, DataFile> notShared = new LinkedHashMap<>();

  /** Those of them that the second snapshot has as well, in other manifests. */
  private final Set<String> inBoth = new HashSet<>();

  /** Data files with a change, as a broken table may list a data file twice. */
  private final Set<String> changed = new HashSet<>();

  SnapshotComparison(DataFileComparison comparison) {
    this.before = comparison.before();
    this.after = comparison.after();
    this.comparison = comparison;
    this.positionDeletesDiffer =
        !locations(before.positionDeletes()).equals(locations(after.positionDeletes()));
    addWanted(before.dataFilesWithVectors());
    addWanted(after.dataFilesWithVectors());
    compare();
  }

  private void addWanted(Set<String> dataFiles) {
    dataFiles.stream()
        .filter(location -> !comparison.hasSameVectors(location))
        .forEach(wanted::add);
  }

  private static Set<String> locations(List<DeleteFile> files) {
    return files.stream().map(DeleteFile::location).collect(Collectors.toSet());
  }

  private void compare() {
    List<ManifestFile> first = before.files().dataManifests();
    List<ManifestFile> second = after.files().dataManifests();
    SnapshotFiles.forEach(
        before.files().dataFiles(without(first, second)),
        dataFile -> notShared.put(dataFile.location(), dataFile));
    SnapshotFiles.forEach(
        after.files().dataFiles(without(second, first)), this::compareUnlessShared);
    List<ManifestFile> shared = new ArrayList<>(second);
    shared.removeAll(without(second, first));
    compareShared(shared);
    changes.sort(
        Comparator.comparing(SnapshotComparison::location)
            .thenComparingLong(SnapshotComparison::offset));
  }

  /** Returns the manifests of {@code some} that are not among {@code others}. */
  static List<ManifestFile> without(List<ManifestFile> some, List<ManifestFile> others) {
    Set<String> paths = others.stream().map(ManifestFile::path).collect(Collectors.toSet());
    return some.stream().filter(manifest -> !paths.contains(manifest.path())).toList();
  }

  private void compareUnlessShared(DataFile dataFile) {
    DataFile first = notShared.get(dataFile.location());
    if (first != null) {
      inBoth.add(dataFile.location());
      compare(first, dataFile);
    } else {
      wanted.remove(dataFile.location());
      if (hasDeletes(dataFile) && !changed.contains(dataFile.location())) {
        add(dataFile, comparison.added(dataFile));
      }
    }
  }

  private boolean hasDeletes(DataFile dataFile) {
    return !after.vectors(dataFile.location()).isEmpty()
        || !after.positionDeletes(dataFile).isEmpty();
  }

  private void compareShared(List<ManifestFile> shared) {
    if (wanted.isEmpty() && !positionDeletesDiffer) {
      return;
    }
    try (CloseableIterable<DataFile> dataFiles = after.files().dataFiles(shared)) {
      for (DataFile dataFile : dataFiles) {
        compare(dataFile, dataFile);
        if (wanted.isEmpty() && !positionDeletesDiffer) {
          return;
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void compare(DataFile first, DataFile second) {
    if ((wanted.remove(second.location()) || positionDeletesDiffer)
        && !changed.contains(second.location())) {
      comparison.compare(first, second).ifPresent(change -> add(second, change));
    }
  }

  private void add(DataFile dataFile, UnreadChange change) {
    changed.add(dataFile.location());
    changes.add(change);
  }

  /** Vectors of one Puffin file one after the other, so that they share requests. */
  private static String location(UnreadChange change) {
    return last(change).map(DeleteFile::location).orElse("");
  }

  private static long offset(UnreadChange change) {
    return last(change).map(DeleteFile::contentOffset).orElse(0L);
  }

  private static Optional<DeleteFile> last(UnreadChange change) {
    List<DeleteFile> vectors = change.vectors();
    return vectors.isEmpty() ? Optional.empty() : Optional.of(vectors.get(vectors.size() - 1));
  }

  /** Returns the changes of data files that the second snapshot has. */
  List<UnreadChange> changes() {
    return changes;
  }

  /** Returns the data files that only the first snapshot has. */
  List<DataFile> removed() {
    return notShared.values().stream()
        .filter(dataFile -> !inBoth.contains(dataFile.location()))
        .toList();
  }
}
