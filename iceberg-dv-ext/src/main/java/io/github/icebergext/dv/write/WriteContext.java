package io.github.icebergext.dv.write;

import io.github.icebergext.dv.internal.PositionDeleteLoader;
import io.github.icebergext.dv.read.DeletionVectorReader;
import io.github.icebergext.puffin.PuffinLimits;
import java.util.Collection;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Table;
import org.apache.iceberg.encryption.EncryptedOutputFile;
import org.apache.iceberg.exceptions.NotFoundException;
import org.apache.iceberg.io.FileIO;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How vectors are written, and what a writer and the commit of its results share.
 *
 * @param io the table's storage under its encryption
 * @param outputFiles gives a new file whenever it is asked
 * @param fileSizeInBytes a Puffin file that has as many bytes gets no more vectors
 * @param vectorsPerFile most vectors of a Puffin file
 * @param reader reads the vectors that are replaced
 * @param positionDeletes reads position deletes of version 2 that are replaced
 */
record WriteContext(
    Table table,
    Map<Integer, PartitionSpec> specs,
    FileIO io,
    Supplier<EncryptedOutputFile> outputFiles,
    PuffinLimits limits,
    long fileSizeInBytes,
    int vectorsPerFile,
    UnchangedVectorPolicy unchanged,
    DeletionVectorReader reader,
    PositionDeleteLoader positionDeletes) {
  private static final Logger LOG = LoggerFactory.getLogger(DeletionVectorWriter.class);

  /**
   * Deletes Puffin files that nothing refers to, as far as that works.
   *
   * @param cause why they are unused; gets what went wrong as suppressed exceptions
   */
  void deleteUnused(Collection<String> locations, @Nullable Throwable cause) {
    for (String location : locations) {
      try {
        io.deleteFile(location);
      } catch (NotFoundException e) {
        // Gone already.
      } catch (RuntimeException e) {
        LOG.warn("Cannot delete {}, which is used by nothing", location, e);
        if (cause != null && cause != e) {
          cause.addSuppressed(e);
        }
      }
    }
  }
}
