package io.github.icebergext.puffin;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import org.apache.iceberg.io.InputFile;
import org.jspecify.annotations.Nullable;

/**
 * Finds the footer of a file, reads it once, and keeps it. Thread-safe.
 *
 * <p>The end of the file must be known to find the footer: a read of the last bytes without a
 * position costs no request for the length, but does not tell where they are, so that neither blob
 * ranges nor the footer's own size could be checked.
 */
final class FooterReader {
  static final int MAGIC_BYTES = 4;

  private static final int MAGIC = 0x50464131;
  private static final int HEAD_BYTES = 16;
  private static final int MIN_FOOTER_BYTES = 16;

  private final InputFile file;
  private final RangeReader ranges;
  private final PuffinLimits limits;
  private final @Nullable Long givenFileSize;
  private final @Nullable Long givenFooterSize;
  private volatile @Nullable PuffinFooter footer;
  private boolean headVerified;

  FooterReader(
      InputFile file,
      RangeReader ranges,
      PuffinLimits limits,
      @Nullable Long givenFileSize,
      @Nullable Long givenFooterSize) {
    this.file = file;
    this.ranges = ranges;
    this.limits = limits;
    this.givenFileSize = givenFileSize;
    this.givenFooterSize = givenFooterSize;
  }

  synchronized PuffinFooter footer() {
    PuffinFooter known = footer;
    if (known == null) {
      known = read(fileSize());
      footer = known;
    }
    return known;
  }

  /** Checks the magic at the start of the file, unless its bytes were seen before. */
  synchronized void verifyHead() {
    if (!headVerified) {
      verifyHead(ByteBuffer.wrap(ranges.read(new ByteRange(0, MAGIC_BYTES))));
    }
  }

  /** Returns where blobs must end, as far as that is known without a request. */
  long endOfBlobs() {
    PuffinFooter known = footer;
    return known == null ? endOfFile() : known.offset();
  }

  /** Returns where the file ends if that was given, or a number that no offset exceeds. */
  long endOfFile() {
    return givenFileSize == null ? Long.MAX_VALUE : checkSize(givenFileSize);
  }

  private long fileSize() {
    return checkSize(givenFileSize == null ? file.getLength() : givenFileSize);
  }

  private long checkSize(long size) {
    if (size < 0) {
      throw new PuffinFormatException(Reason.NOT_PUFFIN, cannotRead() + "file size " + size);
    }
    return size;
  }

  private PuffinFooter read(long fileSize) {
    ByteBuffer tail = givenFooterSize == null ? tail(fileSize) : tail(fileSize, givenFooterSize);
    if (tail.remaining() == fileSize) {
      verifyHead(tail);
    }
    return PuffinFooter.parse(file.location(), tail, fileSize, limits);
  }

  /** Reads a footer of known size: in exactly one request, and of exactly that size. */
  private ByteBuffer tail(long fileSize, long footerSize) {
    if (footerSize < MIN_FOOTER_BYTES || footerSize > fileSize - MAGIC_BYTES) {
      throw new PuffinFormatException(
          Reason.FOOTER_SIZE,
          cannotRead()
              + "given footer size "
              + footerSize
              + " in a file of "
              + fileSize
              + " bytes");
    }
    if (footerSize > limits.maxFooterBytes()) {
      throw new PuffinFormatException(
          Reason.LIMIT,
          cannotRead() + "footer of " + footerSize + " bytes, limit " + limits.maxFooterBytes());
    }
    ByteBuffer tail = read(fileSize - footerSize, fileSize);
    long actual = footerSize(tail, fileSize);
    if (actual != footerSize) {
      throw new PuffinFormatException(
          Reason.FOOTER_SIZE,
          cannotRead() + "given footer size " + footerSize + ", but the footer has " + actual);
    }
    return tail;
  }

  /**
   * Reads a speculative tail, and what of the footer is missing before it. Only that: the tail is
   * in memory, and copying it is cheaper than fetching it again.
   */
  private ByteBuffer tail(long fileSize) {
    long start = Math.max(0, fileSize - limits.tailBytes());
    ByteBuffer tail = read(start, fileSize);
    int footerSize = footerSize(tail, fileSize);
    if (footerSize <= tail.remaining()) {
      return tail;
    }
    ByteBuffer whole = ByteBuffer.allocate(footerSize);
    return whole.put(read(fileSize - footerSize, start)).put(tail).flip();
  }

  private ByteBuffer read(long start, long end) {
    return ByteBuffer.wrap(ranges.read(new ByteRange(start, end - start)));
  }

  private int footerSize(ByteBuffer tail, long fileSize) {
    try {
      return PuffinFooter.sizeInBytes(file.location(), tail, fileSize, limits);
    } catch (PuffinFormatException e) {
      throw e.reason() == Reason.PUFFIN_MAGIC || e.reason() == Reason.NOT_PUFFIN
          ? notPuffin(tail, fileSize, e)
          : e;
    }
  }

  private void verifyHead(ByteBuffer head) {
    int magic = head.getInt(head.position());
    if (magic != MAGIC) {
      throw new PuffinFormatException(
          Reason.PUFFIN_MAGIC,
          cannotRead()
              + ("magic at offset 0: actual " + HexFormat.of().toHexDigits(magic))
              + (", expected " + HexFormat.of().toHexDigits(MAGIC)));
    }
    headVerified = true;
  }

  /** Names what the file is instead, from its first bytes if they can be read. */
  private PuffinFormatException notPuffin(
      ByteBuffer tail, long fileSize, PuffinFormatException failure) {
    Container container = Container.detect(head(tail, fileSize, failure), tail, fileSize);
    return container == Container.PUFFIN
        ? failure
        : new PuffinFormatException(
            Reason.NOT_PUFFIN,
            cannotRead()
                + ("expected a Puffin file, found " + container.description())
                + (" of " + fileSize + " bytes"),
            failure);
  }

  private ByteBuffer head(ByteBuffer tail, long fileSize, PuffinFormatException failure) {
    if (tail.remaining() == fileSize) {
      return tail;
    }
    try {
      return read(0, Math.min(HEAD_BYTES, fileSize));
    } catch (RuntimeException e) {
      failure.addSuppressed(e);
      return ByteBuffer.allocate(0);
    }
  }

  private String cannotRead() {
    return "Cannot read " + file.location() + ": ";
  }
}
