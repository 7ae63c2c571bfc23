package io.github.icebergext.dv.write;

import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.StructLike;
import org.apache.iceberg.deletes.DVFileWriter;
import org.apache.iceberg.deletes.PositionDelete;
import org.apache.iceberg.deletes.PositionDeleteIndex;
import org.apache.iceberg.io.DeleteWriteResult;
import org.jspecify.annotations.Nullable;

/** A writer as Iceberg knows it: closing publishes, unless anything failed before. */
final class DVFileWriterAdapter implements DVFileWriter {
  private final DeletionVectorWriter writer;
  private @Nullable Throwable failure;
  private @Nullable DeleteWriteResult result;
  private boolean closed;

  DVFileWriterAdapter(DeletionVectorWriter writer) {
    this.writer = writer;
  }

  @Override
  public void delete(String path, long pos, PartitionSpec spec, @Nullable StructLike partition) {
    guarded(() -> writer.delete(DeleteTarget.of(path, spec, partition), pos));
  }

  void delete(PositionDelete<?> row, PartitionSpec spec, @Nullable StructLike partition) {
    guarded(
        () -> writer.delete(DeleteTarget.of(row.path().toString(), spec, partition), row.pos()));
  }

  /** Overrides a method that Iceberg has since 1.11. */
  @SuppressWarnings("MissingOverride") // Not there in the version compiled against.
  public void delete(
      String path,
      PositionDeleteIndex positions,
      PartitionSpec spec,
      @Nullable StructLike partition) {
    guarded(() -> writer.delete(DeleteTarget.of(path, spec, partition), positions));
  }

  private void guarded(Runnable action) {
    try {
      action.run();
    } catch (RuntimeException | Error e) {
      failure = e;
      throw e;
    }
  }

  @Override
  public DeleteWriteResult result() {
    if (result == null) {
      throw new IllegalStateException(
          closed
              ? "Cannot return a result: writing deletes failed"
              : "Cannot return a result: the writer is not closed",
          failure);
    }
    return result;
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    try (writer) {
      if (failure == null) {
        result = writer.flush().toDeleteWriteResult();
      }
    } catch (RuntimeException | Error e) {
      failure = e;
      throw e;
    }
  }
}
