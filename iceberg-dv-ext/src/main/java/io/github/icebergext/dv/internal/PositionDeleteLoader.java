package io.github.icebergext.dv.internal;

import io.github.icebergext.dv.DeletedPositions;
import java.util.List;
import java.util.function.BiFunction;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.io.FileIO;
import org.jspecify.annotations.Nullable;

/**
 * Reads position deletes of version 2, if {@code iceberg-data} is there once there are any.
 *
 * <p>Not thread-safe.
 */
public final class PositionDeleteLoader {
  private final FileIO io;
  private final long maxBytes;
  private @Nullable BiFunction<List<DeleteFile>, String, DeletedPositions> reader;

  /**
   * Reads nothing yet.
   *
   * @param maxBytes how much may be kept of files that several data files share
   */
  public PositionDeleteLoader(FileIO io, long maxBytes) {
    this.io = io;
    this.maxBytes = maxBytes;
  }

  /**
   * Returns the positions of the data file that any of the files deletes.
   *
   * @throws IllegalStateException if {@code iceberg-data}, or what it needs for the format, is not
   *     on the class path
   */
  public DeletedPositions read(List<DeleteFile> files, String dataFileLocation) {
    if (files.isEmpty()) {
      return DeletedPositions.of();
    }
    try {
      return reader().apply(files, dataFileLocation);
    } catch (NoClassDefFoundError e) {
      throw new IllegalStateException(
          "Cannot read "
              + files.get(0).format()
              + " position delete file "
              + files.get(0).location()
              + ": it takes org.apache.iceberg:iceberg-data and what that needs for the format,"
              + " and class "
              + e.getMessage()
              + " is not on the class path",
          e);
    }
  }

  private BiFunction<List<DeleteFile>, String, DeletedPositions> reader() {
    if (reader == null) {
      reader = new IcebergPositionDeletes(io::newInputFile, maxBytes)::read;
    }
    return reader;
  }
}
