package io.github.icebergext.cli.table;

import java.util.List;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.encryption.EncryptingFileIO;
import org.apache.iceberg.io.FileIO;
import org.jspecify.annotations.Nullable;

/**
 * How many live files a snapshot has, as its manifest list says.
 *
 * @param deleteFiles deletion vectors are counted one by one
 */
public record ManifestCounts(long dataFiles, long deleteFiles) {
  public static ManifestCounts of(Table table, Snapshot snapshot) {
    FileIO io = EncryptingFileIO.combine(table.io(), table.encryption());
    return new ManifestCounts(live(snapshot.dataManifests(io)), live(snapshot.deleteManifests(io)));
  }

  private static long live(List<ManifestFile> manifests) {
    return manifests.stream()
        .mapToLong(
            manifest ->
                zeroIfNull(manifest.addedFilesCount()) + zeroIfNull(manifest.existingFilesCount()))
        .sum();
  }

  // Manifest lists of version 1 may lack the counts.
  private static long zeroIfNull(@Nullable Integer count) {
    return count == null ? 0 : count;
  }
}
