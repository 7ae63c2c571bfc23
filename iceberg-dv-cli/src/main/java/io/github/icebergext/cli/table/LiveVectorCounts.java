package io.github.icebergext.cli.table;

import io.github.icebergext.dv.internal.Location;
import io.github.icebergext.dv.table.LiveDeletes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.Table;
import org.apache.iceberg.io.CloseableIterable;

/** How many live vectors of a table's current snapshot each of some files holds. Immutable. */
public final class LiveVectorCounts {
  private final Map<String, Long> byPath;

  private LiveVectorCounts(Map<String, Long> byPath) {
    this.byPath = byPath;
  }

  /** Counts the vectors; reads the delete manifests of the current snapshot if there are files. */
  public static LiveVectorCounts of(Table table, Collection<String> locations) {
    Map<String, Long> byPath = new HashMap<>();
    locations.forEach(location -> byPath.put(Location.path(location), 0L));
    if (!byPath.isEmpty()) {
      add(table, byPath);
    }
    return new LiveVectorCounts(byPath);
  }

  private static void add(Table table, Map<String, Long> byPath) {
    try (CloseableIterable<DeleteFile> entries =
        LiveDeletes.entries(table, table.currentSnapshot())) {
      for (DeleteFile entry : entries) {
        if (entry.format() == FileFormat.PUFFIN) {
          byPath.computeIfPresent(Location.path(entry.location()), (path, count) -> count + 1);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns how many vectors are in the file; 0 if it is none of those that were asked for. */
  public long in(String location) {
    return byPath.getOrDefault(Location.path(location), 0L);
  }

  /** Returns how many vectors are in all of the files. */
  public long total() {
    return byPath.values().stream().mapToLong(Long::longValue).sum();
  }
}
