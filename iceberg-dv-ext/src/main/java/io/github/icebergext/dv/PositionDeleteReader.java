package io.github.icebergext.dv;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.data.BaseDeleteLoader;
import org.apache.iceberg.deletes.PositionDeleteIndex;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.util.CharSequenceMap;
import org.jspecify.annotations.Nullable;

/**
 * Reads position deletes other than vectors through Iceberg's loader, once for all data files that
 * share a delete file.
 *
 * <p>Left to itself, that loader reads a delete file anew for each data file. Here what a delete
 * file says of all data files is kept, as encoded vectors, and as many as fit the given bytes: the
 * one used least recently goes first, the last one read stays. A delete file of so many records
 * that it may not fit is read for each data file, as Iceberg does. While a file is loaded,
 * Iceberg's own index of it is in memory too.
 *
 * <p>The only class that needs iceberg-data to find the positions of a scan. Thread-safe.
 */
final class PositionDeleteReader extends BaseDeleteLoader {
  /** What a record is taken to cost before its file is read: a guess on the high side. */
  private static final int BYTES_PER_RECORD = 16;

  /** Of a map entry and the objects that it holds, beside the location and the positions. */
  private static final int BYTES_PER_DATA_FILE = 150;

  private final long maxBytes;

  /** By location of the delete file, in the order of last use. */
  private final Map<String, Index> indexes = new LinkedHashMap<>(16, 0.75f, true);

  private long bytes;

  PositionDeleteReader(Function<DeleteFile, InputFile> loadInputFile, long maxBytes) {
    super(loadInputFile);
    this.maxBytes = maxBytes;
  }

  /** Returns the positions of the data file that any of the files deletes. */
  DeletedPositions read(List<DeleteFile> deleteFiles, String dataFileLocation) {
    return kept(deleteFiles, dataFileLocation)
        .orElseGet(
            () -> DeletedPositions.copyOf(loadPositionDeletes(deleteFiles, dataFileLocation)));
  }

  private synchronized Optional<DeletedPositions> kept(
      List<DeleteFile> deleteFiles, String dataFileLocation) {
    List<DeletedPositions> found = new ArrayList<>();
    for (DeleteFile deleteFile : deleteFiles) {
      Index index = indexes.get(deleteFile.location());
      if (index == null) {
        return Optional.empty();
      }
      found.add(index.of(dataFileLocation));
    }
    return Optional.of(DeletedPositions.unionOf(found));
  }

  @Override
  protected boolean canCache(long recordCount) {
    return recordCount <= maxBytes / BYTES_PER_RECORD;
  }

  /** Called by several threads when a data file has several delete files. */
  @Override
  @SuppressWarnings("unchecked") // Iceberg asks for position deletes as a map of this type only.
  protected <V> V getOrLoad(String location, Supplier<V> load, long recordCount) {
    Index kept = index(location);
    if (kept == null) {
      kept = Index.copyOf((CharSequenceMap<PositionDeleteIndex>) load.get());
      keep(location, kept);
    }
    return (V) kept.byDataFile();
  }

  private synchronized @Nullable Index index(String location) {
    return indexes.get(location);
  }

  private synchronized void keep(String location, Index index) {
    Index replaced = indexes.put(location, index);
    bytes += index.bytes() - (replaced == null ? 0 : replaced.bytes());
    Iterator<Index> leastRecent = indexes.values().iterator();
    while (bytes > maxBytes && indexes.size() > 1) {
      bytes -= leastRecent.next().bytes();
      leastRecent.remove();
    }
  }

  /** What one delete file deletes, by data file. */
  private record Index(CharSequenceMap<PositionDeleteIndex> byDataFile, long bytes) {
    static Index copyOf(CharSequenceMap<PositionDeleteIndex> loaded) {
      CharSequenceMap<PositionDeleteIndex> copy = CharSequenceMap.create();
      long bytes = 0;
      for (Map.Entry<CharSequence, PositionDeleteIndex> entry : loaded.entrySet()) {
        String location = entry.getKey().toString();
        DeletedPositions positions = DeletedPositions.copyOf(entry.getValue());
        copy.put(location, positions.asPositionDeleteIndex());
        bytes += BYTES_PER_DATA_FILE + 2L * location.length() + positions.retainedSizeInBytes();
      }
      return new Index(copy, bytes);
    }

    @SuppressWarnings("CollectionUndefinedEquality") // This kind of map compares the characters.
    DeletedPositions of(String dataFileLocation) {
      PositionDeleteIndex index = byDataFile.get(dataFileLocation);
      return index == null ? DeletedPositions.of() : DeletedPositions.copyOf(index);
    }
  }
}
