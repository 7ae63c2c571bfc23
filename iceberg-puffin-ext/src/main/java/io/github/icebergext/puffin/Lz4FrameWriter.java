package io.github.icebergext.puffin;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import net.jpountz.lz4.LZ4Compressor;
import net.jpountz.lz4.LZ4Factory;
import net.jpountz.xxhash.XXHash32;
import net.jpountz.xxhash.XXHashFactory;

/**
 * Writes one LZ4 frame of independent blocks, with content size and content checksum. The largest
 * block is the smallest size that holds all the data, or 4 MiB, so that small data asks little
 * memory of its reader. A block that does not shrink is stored.
 */
final class Lz4FrameWriter {
  private static final int HEADER_BYTES = 4 + 2 + 8 + 1;
  private static final int END_BYTES = 4 + 4;

  private final LZ4Compressor compressor = LZ4Factory.safeInstance().fastCompressor();
  private final XXHash32 xxHash32 = XXHashFactory.safeInstance().hash32();
  private final byte[] data;
  private final int blockCode;
  private final int blockSize;
  private final ByteBuffer out;

  private Lz4FrameWriter(byte[] data) {
    this.data = data;
    this.blockCode = blockCode(data.length);
    this.blockSize = Lz4FrameReader.blockSize(blockCode);
    this.out = ByteBuffer.allocate(maxFrameBytes()).order(ByteOrder.LITTLE_ENDIAN);
  }

  /**
   * Returns the frame.
   *
   * @throws IllegalArgumentException if the frame might not fit an array
   */
  static byte[] compress(byte[] data) {
    Lz4FrameWriter writer = new Lz4FrameWriter(data);
    writer.writeHeader();
    writer.writeBlocks();
    writer.out.putInt(0);
    writer.out.putInt(writer.xxHash32.hash(data, 0, data.length, 0));
    return Arrays.copyOf(writer.out.array(), writer.out.position());
  }

  private static int blockCode(int length) {
    int code = Lz4FrameReader.SMALLEST_BLOCK_CODE;
    while (code < Lz4FrameReader.LARGEST_BLOCK_CODE && length > Lz4FrameReader.blockSize(code)) {
      code++;
    }
    return code;
  }

  private int maxFrameBytes() {
    long length = data.length;
    long blocks = (length + blockSize - 1) / blockSize;
    long bytes = HEADER_BYTES + blocks * Integer.BYTES + length + END_BYTES;
    if (bytes > DecompressionLimit.MAX_ARRAY_LENGTH) {
      throw new IllegalArgumentException(
          "Cannot compress " + data.length + " bytes with lz4: the frame might not fit an array");
    }
    return (int) bytes;
  }

  private void writeHeader() {
    out.putInt(FrameCursor.LZ4_MAGIC);
    int start = out.position();
    out.put(
        (byte)
            (Lz4FrameReader.VERSION
                | Lz4FrameReader.INDEPENDENT_BLOCKS
                | Lz4FrameReader.CONTENT_SIZE
                | Lz4FrameReader.CONTENT_CHECKSUM));
    out.put((byte) (blockCode << 4));
    out.putLong(data.length);
    out.put((byte) (xxHash32.hash(out.array(), start, out.position() - start, 0) >>> 8));
  }

  private void writeBlocks() {
    byte[] scratch = new byte[compressor.maxCompressedLength(Math.min(blockSize, data.length))];
    int start = 0;
    while (start < data.length) {
      int length = Math.min(blockSize, data.length - start);
      int compressed = compressor.compress(data, start, length, scratch, 0);
      if (compressed < length) {
        out.putInt(compressed).put(scratch, 0, compressed);
      } else {
        out.putInt(length | Lz4FrameReader.STORED).put(data, start, length);
      }
      start += length;
    }
  }
}
