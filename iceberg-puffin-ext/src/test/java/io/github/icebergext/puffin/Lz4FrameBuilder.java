package io.github.icebergext.puffin;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import net.jpountz.xxhash.XXHash32;
import net.jpountz.xxhash.XXHashFactory;

/** Builds LZ4 frames by hand, with the features and faults that no encoder has. */
final class Lz4FrameBuilder {
  static final int VERSION = 0x40;
  static final int INDEPENDENT = 0x20;
  static final int BLOCK_CHECKSUM = 0x10;
  static final int SIZE = 0x08;
  static final int CHECKSUM = 0x04;
  static final int DICTIONARY = 0x01;

  private static final XXHash32 XX_HASH = XXHashFactory.safeInstance().hash32();

  private final ByteBuffer out = ByteBuffer.allocate(9 << 20).order(ByteOrder.LITTLE_ENDIAN);
  private final int flags;

  /** Starts a frame with magic, flags and block descriptor. */
  Lz4FrameBuilder(int flags, int blockDescriptor) {
    this.flags = flags;
    out.putInt(0x184D2204).put((byte) flags).put((byte) blockDescriptor);
  }

  /** Starts the usual frame: independent blocks of at most 64 KiB, content size, no checksums. */
  static Lz4FrameBuilder ofSize(long contentSize) {
    return new Lz4FrameBuilder(VERSION | INDEPENDENT | SIZE, 0x40).size(contentSize).header();
  }

  Lz4FrameBuilder size(long contentSize) {
    out.putLong(contentSize);
    return this;
  }

  Lz4FrameBuilder int32(int value) {
    out.putInt(value);
    return this;
  }

  /** Ends the header with its checksum. */
  Lz4FrameBuilder header() {
    return bytes(XX_HASH.hash(out.array(), 4, out.position() - 4, 0) >>> 8);
  }

  Lz4FrameBuilder bytes(int... bytes) {
    for (int value : bytes) {
      out.put((byte) value);
    }
    return this;
  }

  Lz4FrameBuilder block(int... data) {
    out.putInt(data.length);
    return bytes(data).blockChecksum(data.length);
  }

  Lz4FrameBuilder stored(byte... data) {
    out.putInt(data.length | 1 << 31).put(data);
    return blockChecksum(data.length);
  }

  private Lz4FrameBuilder blockChecksum(int length) {
    if ((flags & BLOCK_CHECKSUM) != 0) {
      out.putInt(XX_HASH.hash(out.array(), out.position() - length, length, 0));
    }
    return this;
  }

  Lz4FrameBuilder checksum(byte... content) {
    return int32(XX_HASH.hash(content, 0, content.length, 0));
  }

  /** Returns the frame with an end mark. */
  byte[] end() {
    return int32(0).cut();
  }

  /** Returns the frame as it is. */
  byte[] cut() {
    return Arrays.copyOf(out.array(), out.position());
  }
}
