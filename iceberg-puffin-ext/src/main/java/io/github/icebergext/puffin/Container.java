package io.github.icebergext.puffin;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * What a file is by its first and last bytes.
 *
 * <p>Only magic bytes are looked at: that a file looks like a format does not make it a sound file
 * of that format. Formats that carry a magic at both ends are told by either one where the other is
 * not at hand.
 */
public enum Container {
  /** A Puffin file: {@code PFA1} at both ends. */
  PUFFIN("a Puffin file"),
  /** A file without a single byte. */
  EMPTY("an empty file"),
  /**
   * A Puffin file whose end is missing: {@code PFA1} at the start but not at the end, or fewer
   * bytes than any Puffin file has.
   */
  TRUNCATED_PUFFIN("a truncated Puffin file"),
  /**
   * A {@code deletion-vector-v1} blob without a file around it, as older DuckDB writers left them
   * under the label Puffin: the length prefix of the blob is the file's size less 8.
   */
  BARE_DELETION_VECTOR("a bare deletion-vector-v1 blob"),
  /**
   * A deletion-vector file of Delta Lake or an index file of Apache Paimon: the version byte 1,
   * then frames of length, magic, vector and checksum.
   */
  DELTA_OR_PAIMON("a deletion-vector file of Delta Lake or Apache Paimon"),
  /** A Parquet file: {@code PAR1} at both ends. */
  PARQUET("a Parquet file"),
  /** A Parquet file with an encrypted footer: {@code PARE} at both ends. */
  ENCRYPTED_PARQUET("an encrypted Parquet file"),
  /** An ORC file: {@code ORC} at the start. */
  ORC("an ORC file"),
  /** An Avro data file: {@code Obj} and the byte 1 at the start. */
  AVRO("an Avro file"),
  /** A stream that Iceberg encrypted: {@code AGS1} at the start. */
  ENCRYPTED("an encrypted stream (AGS1)"),
  /** None of the others, as far as the bytes at hand tell. */
  UNKNOWN("a file of unknown format");

  private static final int PARQUET_MAGIC = 0x50415231;
  private static final int ENCRYPTED_PARQUET_MAGIC = 0x50415245;
  private static final int AVRO_MAGIC = 0x4F626A01;
  private static final int ENCRYPTED_MAGIC = 0x41475331;
  private static final int ORC_MAGIC = 0x4F524300;
  private static final int ORC_MASK = 0xFFFFFF00;

  private static final int VECTOR_MAGIC = 0xD1D33964;
  private static final int PAIMON_32_BIT_VECTOR_MAGIC = 0x5E43F2D0;

  private static final byte FRAME_FILE_VERSION = 1;

  /** Bytes around what the length prefix of a bare vector counts: the prefix and the checksum. */
  private static final int VECTOR_FRAME_BYTES = 8;

  private final String description;

  Container(String description) {
    this.description = description;
  }

  /** Returns what the file looks like, as it stands in messages, for example "a Parquet file". */
  public String description() {
    return description;
  }

  /**
   * Tells what a file is. Bytes that are not at hand are not held against a format: a file of which
   * only the end is known can be a Puffin or a Parquet file.
   *
   * @param head the first bytes of the file, as many as are at hand (9 are enough); not consumed
   * @param tail the last bytes of the file, as many as are at hand (4 are enough); not consumed
   * @param fileSize size of the file in bytes, or a negative number when it is not known
   */
  public static Container detect(ByteBuffer head, ByteBuffer tail, long fileSize) {
    if (fileSize == 0) {
      return EMPTY;
    }
    if (head.remaining() < Integer.BYTES) {
      return startsWithFrames(head) ? DELTA_OR_PAIMON : byTail(tail, fileSize);
    }
    int start = intAt(head, 0);
    if ((start & ORC_MASK) == ORC_MAGIC) {
      return ORC;
    }
    return switch (start) {
      case PuffinFormat.MAGIC -> byTail(tail, fileSize) == PUFFIN ? PUFFIN : TRUNCATED_PUFFIN;
      case PARQUET_MAGIC -> PARQUET;
      case ENCRYPTED_PARQUET_MAGIC -> ENCRYPTED_PARQUET;
      case AVRO_MAGIC -> AVRO;
      case ENCRYPTED_MAGIC -> ENCRYPTED;
      default -> byVector(head, fileSize);
    };
  }

  private static Container byTail(ByteBuffer tail, long fileSize) {
    if (tail.remaining() < Integer.BYTES) {
      return UNKNOWN;
    }
    return switch (intAt(tail, tail.remaining() - Integer.BYTES)) {
      case PuffinFormat.MAGIC -> isTooSmall(fileSize) ? TRUNCATED_PUFFIN : PUFFIN;
      case PARQUET_MAGIC -> PARQUET;
      case ENCRYPTED_PARQUET_MAGIC -> ENCRYPTED_PARQUET;
      default -> UNKNOWN;
    };
  }

  private static boolean isTooSmall(long fileSize) {
    return fileSize >= 0 && fileSize < PuffinFormat.MIN_FILE_BYTES;
  }

  private static Container byVector(ByteBuffer head, long fileSize) {
    if (isBareVector(head, fileSize)) {
      return BARE_DELETION_VECTOR;
    }
    return startsWithFrames(head) ? DELTA_OR_PAIMON : UNKNOWN;
  }

  private static boolean isBareVector(ByteBuffer head, long fileSize) {
    return head.remaining() >= 2 * Integer.BYTES
        && intAt(head, Integer.BYTES) == VECTOR_MAGIC
        && (fileSize < 0
            || Integer.toUnsignedLong(intAt(head, 0)) + VECTOR_FRAME_BYTES == fileSize);
  }

  private static boolean startsWithFrames(ByteBuffer head) {
    if (!head.hasRemaining() || head.get(head.position()) != FRAME_FILE_VERSION) {
      return false;
    }
    if (head.remaining() < 1 + 2 * Integer.BYTES) {
      return true;
    }
    int magic = intAt(head, 1 + Integer.BYTES);
    return magic == VECTOR_MAGIC || magic == PAIMON_32_BIT_VECTOR_MAGIC;
  }

  /** Returns a big-endian int whatever the buffer's own byte order. */
  private static int intAt(ByteBuffer bytes, int index) {
    int value = bytes.getInt(bytes.position() + index);
    return bytes.order() == ByteOrder.BIG_ENDIAN ? value : Integer.reverseBytes(value);
  }
}
