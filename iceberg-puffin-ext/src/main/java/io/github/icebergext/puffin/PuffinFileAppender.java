package io.github.icebergext.puffin;

import java.util.Iterator;
import org.apache.iceberg.Metrics;
import org.apache.iceberg.io.FileAppender;
import org.apache.iceberg.puffin.Blob;
import org.jspecify.annotations.Nullable;

/**
 * A {@link PuffinFileWriter} behind the contract of Iceberg's appenders: closing publishes, unless
 * something failed before.
 */
final class PuffinFileAppender implements FileAppender<Blob> {
  private final PuffinFileWriter writer;
  private @Nullable PuffinFile published;
  private @Nullable Throwable failure;
  private boolean closed;

  PuffinFileAppender(PuffinFileWriter writer) {
    this.writer = writer;
  }

  @Override
  public void add(Blob blob) {
    try {
      writer.write(blob);
    } catch (RuntimeException | Error e) {
      remember(e);
      throw e;
    }
  }

  /** Adds all blobs; an iterator that fails leaves a part of them, which is never published. */
  @Override
  public void addAll(Iterator<Blob> blobs) {
    try {
      FileAppender.super.addAll(blobs);
    } catch (RuntimeException | Error e) {
      remember(e);
      throw e;
    }
  }

  private void remember(Throwable e) {
    if (failure == null) {
      failure = e;
    }
  }

  /** Returns no metrics, as Iceberg's own Puffin writer does. */
  @Override
  public Metrics metrics() {
    return new Metrics();
  }

  @Override
  public long length() {
    return published == null ? writer.length() : published.fileSizeInBytes();
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    if (failure != null) {
      writer.close();
      throw new IllegalStateException(
          "Cannot publish " + writer.location() + ": adding a blob failed, so it was deleted",
          failure);
    }
    published = writer.finish();
  }
}
