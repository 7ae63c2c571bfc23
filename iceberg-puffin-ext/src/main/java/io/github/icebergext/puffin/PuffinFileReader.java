package io.github.icebergext.puffin;

import java.io.Closeable;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.Executor;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.puffin.BlobMetadata;
import org.apache.iceberg.util.Pair;

/** Reads a Puffin file. */
public final class PuffinFileReader implements Closeable {
  private PuffinFileReader() {}

  /** Starts a reader of {@code file}. */
  public static Builder read(InputFile file) {
    throw new UnsupportedOperationException();
  }

  /** Returns the footer, read on the first call. */
  public PuffinFooter footer() {
    throw new UnsupportedOperationException();
  }

  /** Checks the whole structure: both magics, footer, every blob range. */
  public void verify() {
    throw new UnsupportedOperationException();
  }

  /** Reads one blob, decompressed. */
  public ByteBuffer read(BlobMetadata blob) {
    throw new UnsupportedOperationException();
  }

  /** Reads many blobs, decompressed, in the order given. */
  public CloseableIterable<Pair<BlobMetadata, ByteBuffer>> readAll(List<BlobMetadata> blobs) {
    throw new UnsupportedOperationException();
  }

  /** Reads stored bytes without reading the footer. */
  public ByteBuffer readStored(long offset, long length) {
    throw new UnsupportedOperationException();
  }

  /** Reads many blobs as stored, in the order given. */
  public CloseableIterable<Pair<BlobMetadata, ByteBuffer>> readAllStored(List<BlobMetadata> blobs) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void close() {}

  /** Collects what is known about the file. */
  public static final class Builder {
    private Builder() {}

    /** Gives the file's size in bytes, which saves asking the storage for it. */
    public Builder withFileSize(long fileSizeInBytes) {
      return this;
    }

    /** Gives the footer's size in bytes, so that it is read in exactly one request. */
    public Builder withFooterSize(long footerSizeInBytes) {
      return this;
    }

    /** Replaces the default limits. */
    public Builder withLimits(PuffinLimits limits) {
      return this;
    }

    /** Fetches ranges in parallel on {@code executor}. */
    public Builder withExecutor(Executor executor) {
      return this;
    }

    /** Returns the reader. */
    public PuffinFileReader build() {
      throw new UnsupportedOperationException();
    }
  }
}
