package io.github.icebergext.puffin;

import java.io.Closeable;
import java.util.List;
import java.util.concurrent.Executor;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.InputFile;
import org.jspecify.annotations.Nullable;

/** Reads ranges of one file, by position. */
public final class RangeReader implements Closeable {
  private RangeReader() {}

  /** Creates a reader; no stream is opened and no request sent before the first read. */
  public static RangeReader of(InputFile file, PuffinLimits limits) {
    throw new UnsupportedOperationException();
  }

  /** Reads one range into an array of exactly its length. */
  public byte[] read(ByteRange range) {
    throw new UnsupportedOperationException();
  }

  /** Reads many ranges, near ones in one request; results come in the order of {@code ranges}. */
  public CloseableIterable<byte[]> readAll(List<ByteRange> ranges, @Nullable Executor executor) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void close() {}
}
