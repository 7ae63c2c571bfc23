package io.github.icebergext.puffin;

import java.nio.ByteBuffer;
import org.apache.iceberg.puffin.PuffinCompressionCodec;

/** Compression of blobs and footer payloads, of bytes in hand. */
public final class PuffinCompression {
  private PuffinCompression() {}

  /** Returns the decompressed bytes of {@code stored}, which is not consumed. */
  public static ByteBuffer decompress(
      PuffinCompressionCodec codec, ByteBuffer stored, PuffinLimits limits) {
    throw new UnsupportedOperationException();
  }

  /** Returns the compressed bytes of {@code data}, which is not consumed. */
  public static ByteBuffer compress(PuffinCompressionCodec codec, ByteBuffer data) {
    throw new UnsupportedOperationException();
  }
}
