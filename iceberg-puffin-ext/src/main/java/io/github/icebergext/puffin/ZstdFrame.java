package io.github.icebergext.puffin;

import static io.github.icebergext.puffin.FrameCursor.hex;

import io.airlift.compress.zstd.ZstdCompressor;
import io.airlift.compress.zstd.ZstdDecompressor;
import java.util.Arrays;

/**
 * Reads and writes one Zstandard frame, little-endian:
 *
 * <pre>
 * bytes  field
 * 4      magic 28 B5 2F FD
 * 1      descriptor: width of the content size in bits 7-6, single segment 5, unused 4, reserved 3,
 *        content checksum 2, width of the dictionary id 1-0
 * 0, 1   window descriptor, unless single segment
 * 0-4    dictionary id
 * 0-8    content size
 *        blocks, each:
 *   3      last block in bit 0, type in bits 2-1, size in bits 23-3
 *   n      data: size bytes, or 1 byte to repeat size times
 * 0, 4   low half of the xxHash64 of the content
 * </pre>
 *
 * The headers are read here, which settles where the frame ends and how much it can hold; what is
 * in the blocks is left to aircompressor, which verifies the content checksum as well. It works on
 * raw memory. The oldest that Iceberg brings is 0.27, the first that checks every access
 * (CVE-2024-36114); the arrays are exact, and the output is fresh, so that nothing of an earlier
 * use can show through (as in CVE-2025-67721). Its offsets in messages are raw addresses, so that
 * they are dropped.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc8878#name-zstandard-frames">RFC 8878, Zstandard
 *     frames</a>
 */
final class ZstdFrame {
  private static final int SINGLE_SEGMENT = 1 << 5;
  private static final int RESERVED = 1 << 3;
  private static final int CONTENT_CHECKSUM = 1 << 2;
  private static final int DICTIONARY_ID = 0b11;
  private static final int MAX_BLOCK_SIZE = 128 << 10;
  private static final int MAX_WINDOW_SIZE = 8 << 20;
  private static final int RAW = 0;
  private static final int RUN = 1;
  private static final int COMPRESSED = 2;

  private final byte[] frame;
  private final FrameCursor cursor;

  private int descriptor;
  private int maxBlockSize;
  private int blocksOffset;

  private ZstdFrame(byte[] frame) {
    this.frame = frame;
    this.cursor = new FrameCursor("zstd", frame);
  }

  /** Returns the content of the frame, its own array. */
  static byte[] decompress(byte[] frame, DecompressionLimit limit) {
    ZstdFrame reader = new ZstdFrame(frame);
    int contentSize = reader.readHeader(limit);
    reader.skipBlocks(contentSize);
    reader.readEnd();
    return reader.readContent(contentSize);
  }

  /**
   * Returns one frame with content size and content checksum.
   *
   * @throws IllegalArgumentException if the frame might not fit an array
   */
  static byte[] compress(byte[] data) {
    ZstdCompressor compressor = new ZstdCompressor();
    // Negative when the bound overflows.
    int maxLength = compressor.maxCompressedLength(data.length);
    if (maxLength < 0 || maxLength > DecompressionLimit.MAX_ARRAY_LENGTH) {
      throw new IllegalArgumentException(
          "Cannot compress " + data.length + " bytes with zstd: the frame might not fit an array");
    }
    byte[] frame = new byte[maxLength];
    return Arrays.copyOf(frame, compressor.compress(data, 0, data.length, frame, 0, frame.length));
  }

  private int readHeader(DecompressionLimit limit) {
    cursor.readMagic(FrameCursor.ZSTD_MAGIC);
    int offset = cursor.position();
    descriptor = cursor.readUnsignedByte("frame header descriptor");
    if (has(RESERVED)) {
      throw cursor.malformed(
          "reserved bit set in frame header descriptor "
              + hex(descriptor)
              + " at byte "
              + offset
              + ", expected 0");
    }
    if (!has(SINGLE_SEGMENT)) {
      readWindow();
    }
    if (has(DICTIONARY_ID)) {
      throw cursor.malformed(
          "a dictionary id at byte " + cursor.position() + ", expected no dictionary");
    }
    int sizeOffset = cursor.position();
    return limit.check(readContentSize(offset), sizeOffset, cursor);
  }

  private void readWindow() {
    int offset = cursor.position();
    int window = cursor.readUnsignedByte("window descriptor");
    long base = 1L << (10 + (window >>> 3));
    long size = base + base / 8 * (window & 0b111);
    if (size > MAX_WINDOW_SIZE) {
      throw cursor.malformed(
          "window at byte "
              + offset
              + " has "
              + size
              + " bytes, expected at most "
              + MAX_WINDOW_SIZE
              + ", which any decoder supports");
    }
    maxBlockSize = (int) Math.min(size, MAX_BLOCK_SIZE);
  }

  /** Returns the content size in bytes, unsigned. */
  private long readContentSize(int descriptorOffset) {
    String field = "content size";
    return switch (descriptor >>> 6) {
      case 0 -> {
        if (!has(SINGLE_SEGMENT)) {
          throw cursor.malformed(
              "no content size (frame header descriptor "
                  + hex(descriptor)
                  + " at byte "
                  + descriptorOffset
                  + "), which Puffin requires");
        }
        yield cursor.readUnsignedByte(field);
      }
      case 1 -> 256 + cursor.readUnsignedShort(field);
      case 2 -> Integer.toUnsignedLong(cursor.readInt(field));
      default -> cursor.readLong(field);
    };
  }

  /** Steps to the end of the last block, and refuses blocks that cannot yield the content. */
  private void skipBlocks(int contentSize) {
    if (has(SINGLE_SEGMENT)) {
      maxBlockSize = Math.min(contentSize, MAX_BLOCK_SIZE);
    }
    blocksOffset = cursor.position();
    long most = 0;
    boolean last;
    do {
      int offset = cursor.position();
      int header = cursor.readUnsignedMedium("block header");
      last = (header & 1) != 0;
      most += skipBlock((header >>> 1) & 0b11, header >>> 3, offset);
    } while (!last);
    if (most < contentSize) {
      throw cursor.malformed(
          "blocks up to byte "
              + cursor.position()
              + " hold at most "
              + most
              + " bytes of content, expected the declared "
              + contentSize);
    }
  }

  /** Steps over a block and returns the most bytes of content that it can hold. */
  private int skipBlock(int type, int size, int offset) {
    if (size > maxBlockSize) {
      throw cursor.malformed(
          "block at byte " + offset + " has " + size + " bytes, expected at most " + maxBlockSize);
    }
    return switch (type) {
      case RAW -> {
        cursor.skip(size, "raw block");
        yield size;
      }
      case RUN -> {
        cursor.skip(1, "run-length block");
        yield size;
      }
      case COMPRESSED -> {
        cursor.skip(size, "compressed block");
        yield maxBlockSize;
      }
      default ->
          throw cursor.malformed("block at byte " + offset + " has the reserved type " + type);
    };
  }

  private void readEnd() {
    if (has(CONTENT_CHECKSUM)) {
      cursor.skip(Integer.BYTES, "content checksum");
    }
    cursor.requireEnd();
  }

  private byte[] readContent(int contentSize) {
    // Given no room for output, the decoder looks at nothing.
    byte[] content = new byte[Math.max(contentSize, 1)];
    int actual;
    try {
      actual =
          new ZstdDecompressor().decompress(frame, 0, frame.length, content, 0, content.length);
    } catch (RuntimeException e) {
      throw cursor.malformed(
          "blocks from byte "
              + blocksOffset
              + " do not decompress to the declared "
              + contentSize
              + " bytes: "
              + withoutAddress(e),
          e);
    }
    if (actual != contentSize) {
      throw cursor.malformed(
          "blocks from byte "
              + blocksOffset
              + " decompress to "
              + actual
              + " bytes, expected the declared "
              + contentSize);
    }
    return contentSize == 0 ? new byte[0] : content;
  }

  private static String withoutAddress(RuntimeException e) {
    String message = String.valueOf(e.getMessage());
    int end = message.indexOf(": offset=");
    return end < 0 ? message : message.substring(0, end);
  }

  private boolean has(int flag) {
    return (descriptor & flag) != 0;
  }
}
