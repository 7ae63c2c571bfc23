package io.github.icebergext.dv;

import java.io.IOException;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.StructLike;
import org.apache.iceberg.deletes.DVFileWriter;
import org.apache.iceberg.deletes.PositionDelete;
import org.apache.iceberg.io.DeleteWriteResult;
import org.apache.iceberg.io.PartitioningWriter;
import org.jspecify.annotations.Nullable;

/**
 * A writer of vectors in the place of one of position delete files.
 *
 * @param <T> type of the rows that position deletes could have
 */
final class PartitioningWriterAdapter<T>
    implements PartitioningWriter<PositionDelete<T>, DeleteWriteResult> {
  private final DVFileWriter writer;

  PartitioningWriterAdapter(DVFileWriter writer) {
    this.writer = writer;
  }

  @Override
  public void write(PositionDelete<T> row, PartitionSpec spec, @Nullable StructLike partition) {
    writer.delete(row.path().toString(), row.pos(), spec, partition);
  }

  @Override
  public DeleteWriteResult result() {
    return writer.result();
  }

  @Override
  public void close() throws IOException {
    writer.close();
  }
}
