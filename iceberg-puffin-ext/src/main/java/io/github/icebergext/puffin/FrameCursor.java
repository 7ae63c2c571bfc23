package io.github.icebergext.puffin;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Walks over the bytes of a compressed frame, little-endian, and words what is wrong with them.
 * Offsets count from the start of the frame. Not thread-safe.
 */
final class FrameCursor {
  static final int LZ4_MAGIC = 0x184D2204;
  static final int ZSTD_MAGIC = 0xFD2FB528;

  private static final int LEGACY_LZ4_MAGIC = 0x184C2102;
  // Both formats share the 16 magics of frames that a reader skips.
  private static final int SKIPPABLE_MAGIC = 0x184D2A50;
  private static final int SKIPPABLE_MASK = 0xFFFFFFF0;

  private final String codec;
  private final ByteBuffer frame;

  /**
   * Starts at the first byte of {@code frame}.
   *
   * @param codec the codec's name in messages
   */
  FrameCursor(String codec, byte[] frame) {
    this.codec = codec;
    this.frame = ByteBuffer.wrap(frame).order(ByteOrder.LITTLE_ENDIAN);
  }

  int length() {
    return frame.limit();
  }

  int position() {
    return frame.position();
  }

  int readUnsignedByte(String field) {
    require(Byte.BYTES, field);
    return Byte.toUnsignedInt(frame.get());
  }

  int readUnsignedShort(String field) {
    require(Short.BYTES, field);
    return Short.toUnsignedInt(frame.getShort());
  }

  /** Reads an unsigned integer of 3 bytes. */
  int readUnsignedMedium(String field) {
    require(3, field);
    return Short.toUnsignedInt(frame.getShort()) | (Byte.toUnsignedInt(frame.get()) << Short.SIZE);
  }

  int readInt(String field) {
    require(Integer.BYTES, field);
    return frame.getInt();
  }

  long readLong(String field) {
    require(Long.BYTES, field);
    return frame.getLong();
  }

  /** Steps over {@code length} bytes and returns where they start. */
  int skip(int length, String field) {
    require(length, field);
    int start = frame.position();
    frame.position(start + length);
    return start;
  }

  /** Reads the magic, which must be {@code expected}. */
  void readMagic(int expected) {
    int offset = position();
    int magic = readInt("magic");
    if (magic != expected) {
      String kind = kindOfFrame(magic);
      throw malformed(
          "magic at byte "
              + offset
              + " is "
              + hex(magic)
              + (kind.isEmpty() ? "" : " (" + kind + ")")
              + ", expected "
              + hex(expected));
    }
  }

  /** Refuses anything that follows the frame. */
  void requireEnd() {
    int remaining = frame.remaining();
    if (remaining == 0) {
      return;
    }
    String kind = remaining < Integer.BYTES ? "" : kindOfFrame(frame.getInt(position()));
    throw malformed(
        (kind.isEmpty() ? "trailing data" : kind)
            + " at byte "
            + position()
            + " ("
            + remaining
            + " bytes), expected the end after one frame");
  }

  private static String kindOfFrame(int magic) {
    if ((magic & SKIPPABLE_MASK) == SKIPPABLE_MAGIC) {
      return "a skippable frame";
    }
    return switch (magic) {
      case LZ4_MAGIC -> "an lz4 frame";
      case LEGACY_LZ4_MAGIC -> "a legacy lz4 frame";
      case ZSTD_MAGIC -> "a zstd frame";
      default -> "";
    };
  }

  private void require(int length, String field) {
    if (length > frame.remaining()) {
      throw malformed(
          field
              + " at byte "
              + position()
              + " needs "
              + length
              + " bytes, but the data ends after "
              + frame.remaining());
    }
  }

  /** Returns the exception for a frame that breaks its format. */
  PuffinFormatException malformed(String found) {
    return refused(Reason.COMPRESSED_DATA, found);
  }

  PuffinFormatException refused(Reason reason, String found) {
    return new PuffinFormatException(reason, prefix() + found);
  }

  /** Returns the exception for a frame in which another decoder found a fault. */
  PuffinFormatException malformed(String found, RuntimeException cause) {
    return new PuffinFormatException(Reason.COMPRESSED_DATA, prefix() + found, cause);
  }

  private String prefix() {
    return "Cannot decompress " + codec + " frame: ";
  }

  /** Returns a number as it stands in messages, for example 0x184d2204. */
  static String hex(int value) {
    return "0x" + Integer.toHexString(value);
  }
}
