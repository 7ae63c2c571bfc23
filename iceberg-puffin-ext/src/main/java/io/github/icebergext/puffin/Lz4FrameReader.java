package io.github.icebergext.puffin;

import static io.github.icebergext.puffin.FrameCursor.hex;

import net.jpountz.xxhash.XXHash32;
import net.jpountz.xxhash.XXHashFactory;

/**
 * Reads one LZ4 frame, little-endian:
 *
 * <pre>
 * bytes  field
 * 4      magic 04 22 4D 18
 * 1      FLG: version 01 in bits 7-6, independent blocks 5, block checksums 4, content size 3,
 *        content checksum 2, reserved 1, dictionary id 0
 * 1      BD: reserved 7, largest block 6-4 (4 to 7: 64 KiB, 256 KiB, 1 MiB, 4 MiB), reserved 3-0
 * 8      content size
 * 1      header checksum: the second byte of the xxHash32 of all since FLG
 *        blocks, each:
 *   4      size of the data, with the top bit set if it is stored uncompressed
 *   n      data
 *   4      xxHash32 of the data, if FLG says so
 * 4      end mark 0
 * 4      xxHash32 of the content, if FLG says so
 * </pre>
 *
 * For one use by one thread.
 *
 * @see <a href="https://github.com/lz4/lz4/blob/dev/doc/lz4_Frame_format.md">LZ4 frame format</a>
 */
final class Lz4FrameReader {
  static final int VERSION = 0b01_000000;
  static final int INDEPENDENT_BLOCKS = 1 << 5;
  static final int BLOCK_CHECKSUMS = 1 << 4;
  static final int CONTENT_SIZE = 1 << 3;
  static final int CONTENT_CHECKSUM = 1 << 2;
  static final int SMALLEST_BLOCK_CODE = 4;
  static final int LARGEST_BLOCK_CODE = 7;
  static final int STORED = 1 << 31;

  private static final int VERSION_MASK = 0b11_000000;
  private static final int FLG_RESERVED = 1 << 1;
  private static final int DICTIONARY_ID = 1;
  private static final int BD_RESERVED = 0b1000_1111;

  private final byte[] frame;
  private final DecompressionLimit limit;
  private final FrameCursor cursor;
  private final XXHash32 xxHash32 = XXHashFactory.safeInstance().hash32();

  private int flags;
  private int maxBlockSize;

  Lz4FrameReader(byte[] frame, DecompressionLimit limit) {
    this.frame = frame;
    this.limit = limit;
    this.cursor = new FrameCursor("lz4", frame);
  }

  /** Returns the content of the frame, its own array. */
  byte[] decompress() {
    cursor.readMagic(FrameCursor.LZ4_MAGIC);
    byte[] content = new byte[readDescriptor()];
    readBlocks(content);
    if (has(CONTENT_CHECKSUM)) {
      readChecksum(content, 0, content.length, "content checksum");
    }
    cursor.requireEnd();
    return content;
  }

  private int readDescriptor() {
    int start = cursor.position();
    readFlags();
    int blockDescriptor = readBlockDescriptor();
    int sizeOffset = cursor.position();
    long contentSize = has(CONTENT_SIZE) ? cursor.readLong("content size") : 0;
    int dictionaryOffset = cursor.position();
    if (has(DICTIONARY_ID)) {
      cursor.skip(Integer.BYTES, "dictionary id");
    }
    readHeaderChecksum(start);

    if (has(DICTIONARY_ID)) {
      throw cursor.malformed(
          "a dictionary id at byte " + dictionaryOffset + ", expected no dictionary");
    }
    if (!has(CONTENT_SIZE)) {
      throw cursor.malformed(
          "no content size (FLG " + hex(flags) + " at byte " + start + "), which Puffin requires");
    }
    maxBlockSize = maxBlockSize(blockDescriptor, start + 1);
    return limit.check(contentSize, sizeOffset, cursor);
  }

  private void readFlags() {
    int offset = cursor.position();
    flags = cursor.readUnsignedByte("FLG");
    if ((flags & VERSION_MASK) != VERSION) {
      throw cursor.malformed(
          "version " + (flags >>> 6) + " in FLG at byte " + offset + ", expected 1");
    }
    if (has(FLG_RESERVED)) {
      throw cursor.malformed(
          "reserved bit set in FLG " + hex(flags) + " at byte " + offset + ", expected 0");
    }
  }

  private int readBlockDescriptor() {
    int offset = cursor.position();
    int blockDescriptor = cursor.readUnsignedByte("BD");
    if ((blockDescriptor & BD_RESERVED) != 0) {
      throw cursor.malformed(
          "reserved bits set in BD "
              + hex(blockDescriptor)
              + " at byte "
              + offset
              + ", expected 0");
    }
    return blockDescriptor;
  }

  private void readHeaderChecksum(int start) {
    int offset = cursor.position();
    int actual = (xxHash32.hash(frame, start, offset - start, 0) >>> 8) & 0xFF;
    int expected = cursor.readUnsignedByte("header checksum");
    if (actual != expected) {
      throw cursor.malformed(
          "header checksum at byte "
              + offset
              + " is "
              + hex(expected)
              + ", but the header has "
              + hex(actual));
    }
  }

  private int maxBlockSize(int blockDescriptor, int offset) {
    int code = blockDescriptor >>> 4;
    if (code < SMALLEST_BLOCK_CODE) {
      throw cursor.malformed(
          "block size code " + code + " in BD at byte " + offset + ", expected 4 to 7");
    }
    return blockSize(code);
  }

  /** Returns the largest size of a block in bytes, by its code in BD. */
  static int blockSize(int code) {
    return 1 << (8 + 2 * code);
  }

  private void readBlocks(byte[] content) {
    Lz4BlockDecoder decoder = new Lz4BlockDecoder(frame, content, cursor);
    int produced = 0;
    int sizeOffset = cursor.position();
    int header = cursor.readInt("block size");
    while (header != 0) {
      produced = readBlock(header, sizeOffset, content, produced, decoder);
      sizeOffset = cursor.position();
      header = cursor.readInt("block size or end mark");
    }
    if (produced != content.length) {
      throw cursor.malformed(
          "end mark at byte "
              + sizeOffset
              + " after "
              + produced
              + " bytes of content, expected the declared "
              + content.length);
    }
  }

  private int readBlock(
      int header, int sizeOffset, byte[] content, int produced, Lz4BlockDecoder decoder) {
    int size = header & ~STORED;
    if (size > maxBlockSize) {
      throw cursor.malformed(
          "block at byte "
              + sizeOffset
              + " has "
              + size
              + " bytes, expected at most the declared "
              + maxBlockSize);
    }
    int start = cursor.skip(size, "block");
    if (has(BLOCK_CHECKSUMS)) {
      readChecksum(frame, start, size, "block checksum");
    }
    if ((header & STORED) != 0) {
      return copyStored(start, size, content, produced);
    }
    int windowStart = has(INDEPENDENT_BLOCKS) ? produced : 0;
    int end = (int) Math.min(content.length, (long) produced + maxBlockSize);
    return decoder.decode(start, start + size, windowStart, produced, end);
  }

  private int copyStored(int start, int size, byte[] content, int produced) {
    if (size > content.length - produced) {
      throw cursor.malformed(
          "stored block at byte "
              + start
              + " brings the content to "
              + ((long) produced + size)
              + " bytes, expected the declared "
              + content.length);
    }
    System.arraycopy(frame, start, content, produced, size);
    return produced + size;
  }

  private void readChecksum(byte[] bytes, int start, int length, String field) {
    int offset = cursor.position();
    int expected = cursor.readInt(field);
    int actual = xxHash32.hash(bytes, start, length, 0);
    if (actual != expected) {
      throw cursor.malformed(
          field
              + " at byte "
              + offset
              + " is "
              + hex(expected)
              + ", but the data has "
              + hex(actual));
    }
  }

  private boolean has(int flag) {
    return (flags & flag) != 0;
  }
}
