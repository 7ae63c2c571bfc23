package io.github.icebergext.puffin;

import java.nio.ByteBuffer;
import org.apache.iceberg.puffin.PuffinCompressionCodec;

/**
 * Compression of blobs and footer payloads, of bytes in hand.
 *
 * <p>Stateless and thread-safe. Every buffer that is returned is the caller's alone: it has its own
 * array of exactly its content, position 0 and limit equal to its capacity, and shares nothing with
 * the argument. Arguments may be heap, direct or read-only buffers; their bytes from position to
 * limit count, and position, limit and byte order stay as they were.
 *
 * @see <a href="https://iceberg.apache.org/puffin-spec/#compression-codecs">Puffin spec,
 *     compression codecs</a>
 */
public final class PuffinCompression {
  private PuffinCompression() {}

  /**
   * Returns the decompressed bytes of a blob.
   *
   * <p>For {@link PuffinCompressionCodec#NONE} that is a copy, and no limit applies, as nothing
   * grows. Otherwise {@code stored} must be exactly one frame that carries its content size, with
   * nothing after it, and that needs no dictionary; all its checksums are verified.
   *
   * @param codec how the blob is stored
   * @param stored the blob's bytes as they stand in the file; not consumed
   * @param limits bound the declared size by {@link PuffinLimits#maxDecompressedBytes()} and {@link
   *     PuffinLimits#maxDecompressionRatio()}, before anything of that size is allocated
   * @throws PuffinFormatException with {@link Reason#LIMIT} if the frame declares more bytes than
   *     {@code limits} allow; with {@link Reason#COMPRESSED_DATA} if it breaks its format or this
   *     class's rules, or does not decompress to exactly its declared size
   */
  public static ByteBuffer decompress(
      PuffinCompressionCodec codec, ByteBuffer stored, PuffinLimits limits) {
    return switch (codec) {
      case NONE -> ByteBuffer.wrap(copy(stored));
      case LZ4 -> decompressLz4(stored, DecompressionLimit.ofBlob(limits));
      case ZSTD ->
          ByteBuffer.wrap(
              ZstdFrame.decompress(wholeArray(stored), DecompressionLimit.ofBlob(limits)));
    };
  }

  /**
   * Returns the decompressed bytes of a footer payload that is stored as an LZ4 frame, as {@link
   * #decompress} does, but bounded by {@link PuffinLimits#maxFooterBytes()}.
   */
  static ByteBuffer decompressFooter(ByteBuffer stored, PuffinLimits limits) {
    return decompressLz4(stored, DecompressionLimit.ofFooter(limits));
  }

  /**
   * Returns the compressed bytes of {@code data}: the same for the same data.
   *
   * <p>For {@link PuffinCompressionCodec#NONE} that is a copy. Otherwise it is one frame with
   * content size and content checksum, which may be longer than {@code data}, and may be so much
   * shorter that {@link #decompress} under the default limits refuses it.
   *
   * @param codec how the data is to be stored
   * @param data the bytes to compress; not consumed
   * @throws IllegalArgumentException if the compressed bytes of {@code data} might not fit an array
   */
  public static ByteBuffer compress(PuffinCompressionCodec codec, ByteBuffer data) {
    return switch (codec) {
      case NONE -> ByteBuffer.wrap(copy(data));
      case LZ4 -> ByteBuffer.wrap(Lz4FrameWriter.compress(wholeArray(data)));
      case ZSTD -> ByteBuffer.wrap(ZstdFrame.compress(wholeArray(data)));
    };
  }

  /**
   * Tells whether a reader with these limits accepts {@code decompressed} bytes stored in {@code
   * stored}: what is denser, a writer stores as it is.
   */
  static boolean withinRatio(long stored, long decompressed, PuffinLimits limits) {
    return decompressed <= DecompressionLimit.ratioBound(stored, limits.maxDecompressionRatio());
  }

  private static ByteBuffer decompressLz4(ByteBuffer stored, DecompressionLimit limit) {
    return ByteBuffer.wrap(new Lz4FrameReader(wholeArray(stored), limit).decompress());
  }

  /** Returns an array of exactly the buffer's bytes, for reading: the buffer's own if it is one. */
  private static byte[] wholeArray(ByteBuffer buffer) {
    boolean whole =
        buffer.hasArray()
            && buffer.arrayOffset() == 0
            && buffer.array().length == buffer.remaining();
    return whole ? buffer.array() : copy(buffer);
  }

  private static byte[] copy(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.duplicate().get(bytes);
    return bytes;
  }
}
