package io.github.icebergext.puffin;

import java.io.Closeable;
import java.nio.ByteBuffer;
import java.util.Map;
import org.apache.iceberg.io.FileAppender;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.puffin.Blob;
import org.apache.iceberg.puffin.BlobMetadata;
import org.apache.iceberg.puffin.PuffinCompressionCodec;

/** Writes a Puffin file. */
public final class PuffinFileWriter implements Closeable {
  private PuffinFileWriter() {}

  /** Starts a writer of {@code file}; {@code io} deletes it when it is abandoned. */
  public static Builder write(OutputFile file, FileIO io) {
    throw new UnsupportedOperationException();
  }

  /** Returns where the file is written. */
  public String location() {
    throw new UnsupportedOperationException();
  }

  /** Returns the bytes written so far. */
  public long length() {
    throw new UnsupportedOperationException();
  }

  /** Writes a blob. */
  public BlobMetadata write(Blob blob) {
    throw new UnsupportedOperationException();
  }

  /** Writes a blob as it is stored in another Puffin file, without decompressing it. */
  public BlobMetadata writeStored(BlobMetadata blob, ByteBuffer stored) {
    throw new UnsupportedOperationException();
  }

  /** Writes the footer and publishes the file. */
  public PuffinFile finish() {
    throw new UnsupportedOperationException();
  }

  /** Removes what was written, unless {@link #finish()} has published it. */
  @Override
  public void close() {}

  /** Returns this writer behind Iceberg's contract, by which {@code close} publishes the file. */
  public FileAppender<Blob> asFileAppender() {
    throw new UnsupportedOperationException();
  }

  /** Collects what goes into the file. */
  public static final class Builder {
    private Builder() {}

    /** Sets the {@code created-by} property. */
    public Builder createdBy(String application) {
      return this;
    }

    /** Sets a file property. */
    public Builder set(String key, String value) {
      return this;
    }

    /** Sets file properties. */
    public Builder setAll(Map<String, String> properties) {
      return this;
    }

    /**
     * Compresses blobs that ask for no compression themselves; never a {@code deletion-vector-v1}
     * blob.
     */
    public Builder compressBlobs(PuffinCompressionCodec codec) {
      return this;
    }

    /** Stores the footer payload as one LZ4 frame. */
    public Builder compressFooter() {
      return this;
    }

    /** Replaces the default limits. */
    public Builder withLimits(PuffinLimits limits) {
      return this;
    }

    /** Creates the file and returns its writer. */
    public PuffinFileWriter build() {
      throw new UnsupportedOperationException();
    }
  }
}
