package io.github.icebergext.dv;

import static io.github.icebergext.puffin.Reason.VECTOR_LENGTH;
import static io.github.icebergext.puffin.Reason.VECTOR_MAGIC;

import io.github.icebergext.puffin.Reason;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Delta Lake's deletion vectors: stored in {@code .bin} files, or inline in the log.
 *
 * <pre>
 * stored, at its offset    4  big-endian     length of magic and vector: the log's sizeInBytes
 *                          4  little-endian  magic, then the vector
 *                          4  big-endian     CRC-32 of magic and vector
 *
 * inline, as base85        4  little-endian  magic, then the vector
 *
 * magic 1681511377                           vector as in Iceberg: portable Roaring of 64 bits
 * magic 1681511376         4  little-endian  native: number of 32-bit bitmaps, then for each,
 *                          4  little-endian  its size
 *                          n  little-endian  the bitmap, whose key is its index
 * </pre>
 *
 * <p>A stored vector with the first magic is, byte for byte, an Iceberg {@code deletion-vector-v1}
 * blob, 8 bytes longer than Delta's {@code sizeInBytes}. The native magic in big-endian order, as
 * in the protocol's inline example, announces a native vector whose numbers and sizes are
 * big-endian too. Decoding checks what {@link DeletionVectorCodec} checks, as far as it is there.
 *
 * <p>Stateless and thread-safe.
 *
 * @see <a
 *     href="https://github.com/delta-io/delta/blob/master/PROTOCOL.md#deletion-vector-format">Delta
 *     protocol, deletion vector format</a>
 */
public final class DeltaVectorCodec {
  /** D0 D3 39 64, read as a big-endian number: the little-endian 1681511376. */
  static final int NATIVE_MAGIC = 0xD0D33964;

  /** 64 39 D3 D0: the native magic in big-endian order. */
  static final int NATIVE_MAGIC_REVERSED = 0x6439D3D0;

  private static final int MAGIC_BYTES = 4;
  private static final int NATIVE_COUNT_BYTES = 4;
  private static final int MIN_FRAME_BYTES = DeletionVectorCodec.FRAME_BYTES + NATIVE_COUNT_BYTES;

  private DeltaVectorCodec() {}

  /**
   * Returns the length of the Iceberg blob, in bytes, that Delta's {@code sizeInBytes} describes.
   *
   * @throws IllegalArgumentException if the size is negative or the length above 2^31 − 1
   */
  public static int blobLength(int sizeInBytes) {
    if (sizeInBytes < 0 || sizeInBytes > Integer.MAX_VALUE - DeletionVectorCodec.UNCOUNTED_BYTES) {
      throw new IllegalArgumentException("Cannot convert size in bytes: " + sizeInBytes);
    }
    return sizeInBytes + DeletionVectorCodec.UNCOUNTED_BYTES;
  }

  /**
   * Returns Delta's {@code sizeInBytes} of an Iceberg blob of {@code blobLength} bytes.
   *
   * @throws IllegalArgumentException if the length is below 8
   */
  public static int sizeInBytes(int blobLength) {
    if (blobLength < DeletionVectorCodec.UNCOUNTED_BYTES) {
      throw new IllegalArgumentException("Cannot convert blob length: " + blobLength);
    }
    return blobLength - DeletionVectorCodec.UNCOUNTED_BYTES;
  }

  /**
   * Decodes a stored vector of a {@code .bin} file.
   *
   * @param file the file's bytes from its first on, from position 0 of the buffer to its limit;
   *     position and limit stay as they are
   * @param offset the log's {@code offset}: that of the length before the vector
   * @param sizeInBytes the log's {@code sizeInBytes}
   * @throws IllegalArgumentException if offset or size are negative
   * @throws InvalidDeletionVectorException if the vector lies outside the file or breaks a rule of
   *     the format
   */
  public static DeletedPositions decodeStored(ByteBuffer file, int offset, int sizeInBytes) {
    int length = blobLength(sizeInBytes);
    if (offset < 0) {
      throw new IllegalArgumentException("Cannot decode Delta vector: offset is " + offset);
    }
    if (length > file.limit() - offset) {
      throw invalid(
          VECTOR_LENGTH,
          length + " bytes at offset " + offset + " end after the file's " + file.limit());
    }
    byte[] frame = new byte[length];
    file.duplicate().position(offset).get(frame);
    return decodeFrame(frame);
  }

  private static DeletedPositions decodeFrame(byte[] frame) {
    DeletionVectorCodec.checkLength(frame, MIN_FRAME_BYTES);
    if (!isNative(magic(frame, DeletionVectorCodec.MAGIC_OFFSET))) {
      return DeletionVectorCodec.decodeOwned(frame);
    }
    DeletionVectorCodec.checkChecksum(frame);
    return decodeNative(
        frame,
        DeletionVectorCodec.MAGIC_OFFSET,
        DeletionVectorCodec.MAGIC_OFFSET + sizeInBytes(frame.length));
  }

  /**
   * Decodes an inline vector, which has neither length nor checksum.
   *
   * @param base85 the log's {@code pathOrInlineDv}
   * @param sizeInBytes the log's {@code sizeInBytes}
   * @throws IllegalArgumentException if the size is negative
   * @throws InvalidDeletionVectorException if the text is no base85 of that many bytes, or the
   *     vector breaks a rule of the format
   */
  public static DeletedPositions decodeInline(String base85, int sizeInBytes) {
    if (sizeInBytes < 0) {
      throw new IllegalArgumentException("Cannot decode Delta vector: size is " + sizeInBytes);
    }
    byte[] bytes = Base85.decode(base85, sizeInBytes);
    if (bytes.length < MAGIC_BYTES) {
      throw invalid(
          VECTOR_LENGTH, "it has " + bytes.length + " bytes, at least 4 are needed for the magic");
    }
    int magic = magic(bytes, 0);
    if (isNative(magic)) {
      return decodeNative(bytes, 0, bytes.length);
    }
    if (magic != DeletionVectorCodec.MAGIC) {
      throw invalid(
          VECTOR_MAGIC,
          "the magic is "
              + DeletionVectorCodec.describe(magic)
              + ", expected d1d33964 or d0d33964");
    }
    return DeletionVectorCodec.decodeVector(
        ByteBuffer.wrap(bytes, MAGIC_BYTES, bytes.length - MAGIC_BYTES));
  }

  /**
   * Encodes positions as an inline vector with the portable magic. Its {@code sizeInBytes} is
   * {@link DeletedPositions#serializedSizeInBytes()} less 8.
   *
   * @throws IllegalStateException if the vector would take 2 GiB or more
   */
  public static String encodeInline(DeletedPositions positions) {
    byte[] blob = positions.canonicalBlob();
    int from = DeletionVectorCodec.MAGIC_OFFSET;
    return Base85.encode(Arrays.copyOfRange(blob, from, from + sizeInBytes(blob.length)));
  }

  private static int magic(byte[] bytes, int at) {
    return ByteBuffer.wrap(bytes).getInt(at);
  }

  private static boolean isNative(int magic) {
    return magic == NATIVE_MAGIC || magic == NATIVE_MAGIC_REVERSED;
  }

  private static DeletedPositions decodeNative(byte[] bytes, int magicAt, int end) {
    ByteOrder order =
        magic(bytes, magicAt) == NATIVE_MAGIC ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN;
    Containers parsed = VectorParser.parseDeltaNative(bytes, magicAt + MAGIC_BYTES, end, order);
    return new DeletedPositions(VectorWriter.write(parsed));
  }

  private static InvalidDeletionVectorException invalid(Reason reason, String message) {
    return new InvalidDeletionVectorException(reason, "Cannot decode Delta vector: " + message);
  }
}
