package io.github.icebergext.puffin;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import net.jpountz.xxhash.XXHashFactory;

/** Builds zstd frames of raw and run-length blocks by hand, with faults that no encoder has. */
final class ZstdFrameBuilder {
  static final int SIZE_OF_2_BYTES = 1 << 6;
  static final int SIZE_OF_4_BYTES = 2 << 6;
  static final int SIZE_OF_8_BYTES = 3 << 6;
  static final int SINGLE_SEGMENT = 1 << 5;
  static final int CHECKSUM = 1 << 2;
  static final int RAW = 0;
  static final int RUN = 1;
  static final int COMPRESSED = 2;

  private final ByteBuffer out = ByteBuffer.allocate(1 << 20).order(ByteOrder.LITTLE_ENDIAN);

  /** Starts a frame with magic, frame header descriptor and what follows it in the header. */
  ZstdFrameBuilder(int descriptor, int... header) {
    out.putInt(0xFD2FB528).put((byte) descriptor);
    bytes(header);
  }

  /** Starts a frame of less than 256 bytes of content. */
  static ZstdFrameBuilder ofSize(int contentSize) {
    return new ZstdFrameBuilder(SINGLE_SEGMENT, contentSize);
  }

  ZstdFrameBuilder bytes(int... bytes) {
    for (int value : bytes) {
      out.put((byte) value);
    }
    return this;
  }

  ZstdFrameBuilder block(int type, int size, int... data) {
    return header(0, type, size).bytes(data);
  }

  ZstdFrameBuilder lastBlock(int type, int size, int... data) {
    return header(1, type, size).bytes(data);
  }

  private ZstdFrameBuilder header(int last, int type, int size) {
    int header = last | type << 1 | size << 3;
    return bytes(header, header >>> 8, header >>> 16);
  }

  byte[] checksum(byte... content) {
    out.putInt((int) XXHashFactory.safeInstance().hash64().hash(content, 0, content.length, 0));
    return end();
  }

  byte[] end() {
    return Arrays.copyOf(out.array(), out.position());
  }
}
