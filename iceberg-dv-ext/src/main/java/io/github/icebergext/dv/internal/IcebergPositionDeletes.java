package io.github.icebergext.dv.internal;

import io.github.icebergext.dv.DeletedPositions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.data.BaseDeleteLoader;
import org.apache.iceberg.deletes.PositionDeleteIndex;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.util.CharSequenceMap;
import org.apache.iceberg.util.ThreadPools;
import org.jspecify.annotations.Nullable;

/**
 * Reads position deletes other than vectors through Iceberg's loader, once for all data files that
 * share a delete file.
 *
 * <p>Left to itself, that loader reads a delete file anew for each data file. Here what a delete
 * file says of all data files is kept in {@link PositionDeleteCache}. A delete file of so many
 * records that it may not fit there is read for each data file, as Iceberg does. While a file is
 * loaded, Iceberg's own index of it is in memory too.
 *
 * <p>The only class that needs iceberg-data to find the positions of a scan. Thread-safe.
 */
final class IcebergPositionDeletes {
  /** What a record is taken to cost before its file is read: a guess on the high side. */
  private static final int BYTES_PER_RECORD = 16;

  private final PositionDeleteCache indexes;
  private final long maxRecords;
  private final Loader oneFile;
  private final Loader severalFiles;

  IcebergPositionDeletes(Function<DeleteFile, InputFile> loadInputFile, long maxBytes) {
    this.indexes = new PositionDeleteCache(maxBytes);
    this.maxRecords = maxBytes / BYTES_PER_RECORD;
    // Waiting for the pool takes Iceberg 10 ms at least.
    this.oneFile = new Loader(loadInputFile, null);
    this.severalFiles = new Loader(loadInputFile, ThreadPools.getDeleteWorkerPool());
  }

  /** Returns the positions of the data file that any of the files deletes. */
  DeletedPositions read(List<DeleteFile> deleteFiles, String dataFileLocation) {
    List<DeletedPositions> found = new ArrayList<>();
    List<DeleteFile> missing = new ArrayList<>();
    for (DeleteFile deleteFile : deleteFiles) {
      indexes
          .find(deleteFile.location(), dataFileLocation)
          .ifPresentOrElse(found::add, () -> missing.add(deleteFile));
    }
    if (!missing.isEmpty()) {
      Loader loader = missing.size() == 1 ? oneFile : severalFiles;
      found.add(DeletedPositions.copyOf(loader.loadPositionDeletes(missing, dataFileLocation)));
    }
    return DeletedPositions.unionOf(found);
  }

  /** Iceberg's loader, told to load whole files and to leave them here. */
  private final class Loader extends BaseDeleteLoader {
    Loader(Function<DeleteFile, InputFile> loadInputFile, @Nullable ExecutorService pool) {
      super(loadInputFile, pool);
    }

    @Override
    protected boolean canCache(long recordCount) {
      return recordCount <= maxRecords;
    }

    @Override
    @SuppressWarnings("unchecked") // Iceberg asks for position deletes as a map of this type only.
    protected <V> V getOrLoad(String location, Supplier<V> load, long recordCount) {
      return (V) indexes.keep(location, (CharSequenceMap<PositionDeleteIndex>) load.get());
    }
  }
}
