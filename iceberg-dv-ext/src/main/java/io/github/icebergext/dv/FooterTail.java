package io.github.icebergext.dv;

import io.github.icebergext.puffin.ByteRange;
import io.github.icebergext.puffin.Container;
import io.github.icebergext.puffin.PuffinFooter;
import io.github.icebergext.puffin.PuffinFormatException;
import io.github.icebergext.puffin.PuffinLimits;
import io.github.icebergext.puffin.RangeReader;
import java.nio.ByteBuffer;

/** The last bytes of a file, taken to end at a certain length. */
final class FooterTail {
  /** What {@link Container#detect} looks at, and some more for the message. */
  private static final int HEAD_BYTES = 16;

  private final String location;
  private final byte[] bytes;
  private final long fileSize;

  /**
   * Creates the end of a file.
   *
   * @param location the file's location, for messages
   * @param bytes the last bytes
   * @param fileSize the length
   */
  FooterTail(String location, byte[] bytes, long fileSize) {
    this.location = location;
    this.bytes = bytes;
    this.fileSize = fileSize;
  }

  /** Returns the range to read when the size of the footer is not known. */
  static ByteRange range(long fileSize, PuffinLimits limits) {
    long length = Math.min(Math.max(0, fileSize), limits.tailBytes());
    return new ByteRange(Math.max(0, fileSize) - length, length);
  }

  /** Returns where the file is taken to end. */
  long fileSize() {
    return fileSize;
  }

  /**
   * Returns the footer; what of it is not at hand is read in one more request.
   *
   * @throws PuffinFormatException if there is none, or an unsound one
   */
  FooterIndex parse(RangeReader ranges, PuffinLimits limits) {
    ByteBuffer tail = ByteBuffer.wrap(bytes);
    int size = PuffinFooter.sizeInBytes(location, tail, fileSize, limits);
    if (size > bytes.length) {
      ByteRange missing = new ByteRange(fileSize - size, size - bytes.length);
      tail = ByteBuffer.allocate(size).put(ranges.read(missing)).put(tail).flip();
    }
    return FooterIndex.of(PuffinFooter.parse(location, tail, fileSize, limits));
  }

  /** Tells what a file is that does not end like a Puffin file, by its first bytes. */
  Container container(RangeReader ranges) {
    byte[] head =
        bytes.length == fileSize
            ? bytes
            : ranges.read(new ByteRange(0, Math.min(HEAD_BYTES, fileSize)));
    return Container.detect(ByteBuffer.wrap(head), ByteBuffer.wrap(bytes), fileSize);
  }
}
