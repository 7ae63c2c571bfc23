package io.github.icebergext.dv.write;

import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.StructLike;
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
  private final DVFileWriterAdapter writer;

  PartitioningWriterAdapter(DVFileWriterAdapter writer) {
    this.writer = writer;
  }

  @Override
  public void write(PositionDelete<T> row, PartitionSpec spec, @Nullable StructLike partition) {
    writer.delete(row, spec, partition);
  }

  @Override
  public DeleteWriteResult result() {
    return writer.result();
  }

  @Override
  public void close() {
    writer.close();
  }
}
