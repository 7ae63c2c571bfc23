package io.github.icebergext.dv.internal;

import io.github.icebergext.dv.DeletedPositions;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.iceberg.deletes.PositionDeleteIndex;
import org.apache.iceberg.util.CharSequenceMap;

/**
 * What position delete files say of all their data files, as encoded vectors, and as many as fit
 * the given bytes: the one used least recently goes first, the last one read stays.
 *
 * <p>Thread-safe.
 */
final class PositionDeleteCache {
  /** Of a map entry and the objects that it holds, beside the location and the positions. */
  private static final int BYTES_PER_DATA_FILE = 150;

  private final long maxBytes;

  /** By location of the delete file, in the order of last use. */
  private final Map<String, Index> indexes = new LinkedHashMap<>(16, 0.75f, true);

  private long bytes;

  PositionDeleteCache(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  /** Returns what the delete file says of the data file; empty if the delete file is not kept. */
  synchronized Optional<DeletedPositions> find(String deleteFileLocation, String dataFileLocation) {
    Index index = indexes.get(deleteFileLocation);
    return index == null ? Optional.empty() : Optional.of(index.of(dataFileLocation));
  }

  /** Keeps what was loaded of a delete file, and returns it as it is kept. */
  CharSequenceMap<PositionDeleteIndex> keep(
      String deleteFileLocation, CharSequenceMap<PositionDeleteIndex> loaded) {
    Index index = Index.copyOf(loaded);
    put(deleteFileLocation, index);
    return index.byDataFile();
  }

  private synchronized void put(String deleteFileLocation, Index index) {
    Index replaced = indexes.put(deleteFileLocation, index);
    bytes += index.bytes() - (replaced == null ? 0 : replaced.bytes());
    Iterator<Index> leastRecent = indexes.values().iterator();
    while (bytes > maxBytes && indexes.size() > 1) {
      bytes -= leastRecent.next().bytes();
      leastRecent.remove();
    }
  }

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
