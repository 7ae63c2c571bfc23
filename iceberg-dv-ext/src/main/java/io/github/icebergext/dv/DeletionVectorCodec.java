package io.github.icebergext.dv;

import static io.github.icebergext.puffin.Reason.CARDINALITY;
import static io.github.icebergext.puffin.Reason.VECTOR_CHECKSUM;
import static io.github.icebergext.puffin.Reason.VECTOR_LENGTH;
import static io.github.icebergext.puffin.Reason.VECTOR_MAGIC;

import io.github.icebergext.puffin.Reason;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.zip.CRC32;

/**
 * The {@code deletion-vector-v1} blob: bytes to positions and back.
 *
 * <pre>
 *  0      4  big-endian     length of magic and vector: that of the blob less 8
 *  4      4                 magic D1 D3 39 64
 *  8      n  little-endian  vector: portable Roaring of 64 bits
 *  8 + n  4  big-endian     CRC-32 of magic and vector
 * </pre>
 *
 * <p>Decoding believes nothing. It checks, in this order and before it uses any of it: the length,
 * the magic, the checksum, the number of bitmaps, their keys, cookies and container directories,
 * stored offsets, the values of every container, that nothing follows, and the expected cardinality
 * if there is one. Bytes that break a rule cost memory and time in proportion to their length.
 * Legal oddities are read: bitmaps without containers, the cookie for runs where there are none,
 * runs that touch, and a wrong declared cardinality of a container of runs, which is redundant.
 *
 * <p>Encoding gives the same bytes for the same positions, however they came together: those that
 * Iceberg writes for positions added one by one in ascending order, except that bitmaps without
 * positions are never written.
 *
 * <p>Stateless and thread-safe.
 *
 * @see <a href="https://iceberg.apache.org/puffin-spec/#deletion-vector-v1-blob-type">Puffin spec,
 *     deletion-vector-v1</a>
 */
public final class DeletionVectorCodec {
  private static final int LENGTH_BYTES = 4;
  private static final int MAGIC_BYTES = 4;
  private static final int CRC_BYTES = 4;

  /** Bytes of a blob around the vector. */
  static final int FRAME_BYTES = LENGTH_BYTES + MAGIC_BYTES + CRC_BYTES;

  /** Bytes of a blob around magic and vector, which are what its length field counts. */
  static final int UNCOUNTED_BYTES = LENGTH_BYTES + CRC_BYTES;

  static final int MAGIC_OFFSET = LENGTH_BYTES;
  static final int VECTOR_OFFSET = MAGIC_OFFSET + MAGIC_BYTES;
  private static final int MIN_BLOB_BYTES = FRAME_BYTES + VectorParser.COUNT_BYTES;

  /** D1 D3 39 64, read as a big-endian number. */
  static final int MAGIC = 0xD1D33964;

  /** Magic of Paimon's vectors of 32-bit positions, big-endian. */
  private static final int PAIMON_MAGIC = 1581511376;

  private DeletionVectorCodec() {}

  /**
   * Decodes the remaining bytes of {@code blob}, copying them once. The buffer may be of any kind
   * and byte order; its position and limit stay as they are.
   *
   * @throws InvalidDeletionVectorException if the blob breaks a rule of the format
   */
  public static DeletedPositions decode(ByteBuffer blob) {
    return decodeOwned(copy(blob));
  }

  /**
   * Decodes a blob that must hold {@code expectedCardinality} positions.
   *
   * @throws IllegalArgumentException if {@code expectedCardinality} is negative
   * @throws InvalidDeletionVectorException if the blob breaks a rule of the format, or holds more
   *     or fewer positions; zero is a number like any other
   * @see #decode(ByteBuffer)
   */
  public static DeletedPositions decode(ByteBuffer blob, long expectedCardinality) {
    checkExpectation(expectedCardinality);
    return decodeOwned(copy(blob), expectedCardinality);
  }

  /**
   * Decodes a blob and keeps the array, which the caller no longer changes.
   *
   * @throws InvalidDeletionVectorException if the blob breaks a rule of the format
   */
  public static DeletedPositions decodeOwned(byte[] blob) {
    checkFrame(blob);
    return new DeletedPositions(VectorParser.parse(blob, VECTOR_OFFSET, blob.length - CRC_BYTES));
  }

  /** Checks everything around the vector. */
  static void checkFrame(byte[] blob) {
    checkLength(blob, MIN_BLOB_BYTES);
    checkMagic(blob);
    checkChecksum(blob);
  }

  /**
   * Decodes a blob that must hold {@code expectedCardinality} positions, and keeps the array, which
   * the caller no longer changes.
   *
   * @throws IllegalArgumentException if {@code expectedCardinality} is negative
   * @throws InvalidDeletionVectorException if the blob breaks a rule of the format, or holds more
   *     or fewer positions; zero is a number like any other
   */
  public static DeletedPositions decodeOwned(byte[] blob, long expectedCardinality) {
    checkExpectation(expectedCardinality);
    DeletedPositions positions = decodeOwned(blob);
    if (positions.cardinality() != expectedCardinality) {
      throw invalid(
          CARDINALITY,
          "it holds " + positions.cardinality() + " positions, expected " + expectedCardinality);
    }
    return positions;
  }

  /**
   * Encodes positions as a blob, into a new buffer that the caller owns.
   *
   * @throws IllegalStateException if the blob would take 2 GiB or more
   */
  public static ByteBuffer encode(DeletedPositions positions) {
    return positions.encoded();
  }

  /**
   * Decodes the remaining bytes of {@code vector}: portable Roaring of 64 bits without length,
   * magic and checksum, as it is embedded elsewhere. All checks but theirs apply. Copies the bytes
   * once.
   *
   * @throws InvalidDeletionVectorException if the vector breaks a rule of the format
   */
  public static DeletedPositions decodeVector(ByteBuffer vector) {
    if (vector.remaining() > VectorWriter.MAX_BYTES - FRAME_BYTES) {
      throw invalid(VECTOR_LENGTH, "a vector of " + vector.remaining() + " bytes is too long");
    }
    byte[] blob = new byte[vector.remaining() + FRAME_BYTES];
    vector.duplicate().get(blob, VECTOR_OFFSET, vector.remaining());
    Containers containers = VectorParser.parse(blob, VECTOR_OFFSET, blob.length - CRC_BYTES);
    frame(blob);
    return new DeletedPositions(containers);
  }

  /**
   * Writes the vector of {@link #encode} without length, magic and checksum: portable Roaring of 64
   * bits, {@link DeletedPositions#serializedSizeInBytes()} less 12 bytes. Does not close the
   * stream.
   *
   * @throws IOException if the stream throws it
   */
  public static void encodeVector(DeletedPositions positions, OutputStream out) throws IOException {
    byte[] blob = positions.canonicalBlob();
    out.write(blob, VECTOR_OFFSET, blob.length - FRAME_BYTES);
  }

  /** Writes length, magic and checksum around a vector that stands in its place. */
  static void frame(byte[] blob) {
    ByteBuffer buffer = ByteBuffer.wrap(blob);
    buffer.putInt(0, blob.length - UNCOUNTED_BYTES);
    buffer.putInt(MAGIC_OFFSET, MAGIC);
    buffer.putInt(blob.length - CRC_BYTES, checksum(blob));
  }

  static void checkLength(byte[] blob, int minBytes) {
    if (blob.length < minBytes) {
      throw invalid(
          VECTOR_LENGTH,
          "the blob has " + blob.length + " bytes, at least " + minBytes + " are needed");
    }
    int length = ByteBuffer.wrap(blob).getInt(0);
    if (length != blob.length - UNCOUNTED_BYTES) {
      throw invalid(
          VECTOR_LENGTH,
          "at byte 0, the length of magic and vector is "
              + Integer.toUnsignedLong(length)
              + ", expected "
              + (blob.length - UNCOUNTED_BYTES)
              + " in a blob of "
              + blob.length
              + " bytes");
    }
  }

  private static void checkMagic(byte[] blob) {
    int magic = ByteBuffer.wrap(blob).getInt(MAGIC_OFFSET);
    if (magic != MAGIC) {
      throw invalid(
          VECTOR_MAGIC, "at byte 4, the magic is " + describe(magic) + ", expected d1d33964");
    }
  }

  /** Names a magic, and the format it belongs to when that is known. */
  static String describe(int magic) {
    String hex = Integer.toHexString(magic);
    return "0".repeat(8 - hex.length())
        + hex
        + switch (magic) {
          case PAIMON_MAGIC -> " (a Paimon vector of 32-bit positions)";
          case DeltaVectorCodec.NATIVE_MAGIC, DeltaVectorCodec.NATIVE_MAGIC_REVERSED ->
              " (a Delta vector in native form)";
          default -> "";
        };
  }

  static void checkChecksum(byte[] blob) {
    int stored = ByteBuffer.wrap(blob).getInt(blob.length - CRC_BYTES);
    int computed = checksum(blob);
    if (stored != computed) {
      throw invalid(
          VECTOR_CHECKSUM,
          "at byte "
              + (blob.length - CRC_BYTES)
              + ", the CRC-32 is "
              + Integer.toHexString(stored)
              + ", computed "
              + Integer.toHexString(computed));
    }
  }

  private static int checksum(byte[] blob) {
    CRC32 crc = new CRC32();
    crc.update(blob, MAGIC_OFFSET, blob.length - UNCOUNTED_BYTES);
    return (int) crc.getValue();
  }

  private static byte[] copy(ByteBuffer blob) {
    byte[] copy = new byte[blob.remaining()];
    blob.duplicate().get(copy);
    return copy;
  }

  private static void checkExpectation(long expectedCardinality) {
    if (expectedCardinality < 0) {
      throw new IllegalArgumentException(
          "Cannot decode deletion vector: expected cardinality is " + expectedCardinality);
    }
  }

  private static InvalidDeletionVectorException invalid(Reason reason, String message) {
    return new InvalidDeletionVectorException(reason, "Cannot decode deletion vector: " + message);
  }
}
