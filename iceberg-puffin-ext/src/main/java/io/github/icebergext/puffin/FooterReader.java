package io.github.icebergext.puffin;

import static io.github.icebergext.puffin.PuffinFormat.MAGIC;
import static io.github.icebergext.puffin.PuffinFormat.MAGIC_BYTES;
import static io.github.icebergext.puffin.PuffinFormat.MIN_FOOTER_BYTES;

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
  private static final int HEAD_BYTES = 16;

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
      int magic = read(0, MAGIC_BYTES).getInt();
      if (magic != MAGIC) {
        throw failure(
            Reason.PUFFIN_MAGIC,
            "no magic at offset 0 (actual " + hex(magic) + ", expected " + hex(MAGIC) + ")");
      }
      headVerified = true;
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
      throw failure(Reason.NOT_PUFFIN, "a file cannot have " + size + " bytes");
    }
    return size;
  }

  private PuffinFooter read(long fileSize) {
    boolean tooSmall = fileSize < PuffinFormat.MIN_FILE_BYTES;
    ByteBuffer tail =
        givenFooterSize == null || tooSmall ? tail(fileSize) : tail(fileSize, givenFooterSize);
    PuffinFooter parsed = PuffinFooter.parse(file.location(), tail, fileSize, limits);
    headVerified = tail.remaining() == fileSize;
    return parsed;
  }

  /** Reads a footer of known size: in exactly one request, and of exactly that size. */
  private ByteBuffer tail(long fileSize, long footerSize) {
    if (footerSize < MIN_FOOTER_BYTES || footerSize > fileSize - MAGIC_BYTES) {
      throw failure(
          Reason.FOOTER_SIZE,
          "its given size " + footerSize + " does not fit a file of " + fileSize + " bytes");
    }
    if (footerSize > limits.maxFooterBytes()) {
      throw failure(
          Reason.LIMIT,
          ("its given size is over the limit (actual " + footerSize)
              + (", limit " + limits.maxFooterBytes() + ")"));
    }
    ByteBuffer tail = read(fileSize - footerSize, fileSize);
    long actual = footerSize(tail, fileSize);
    if (actual != footerSize) {
      throw failure(
          Reason.FOOTER_SIZE,
          "it does not have its given size (actual " + actual + ", given " + footerSize + ")");
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
      boolean headUnseen = tail.remaining() < fileSize;
      throw headUnseen && e.reason() == Reason.NOT_PUFFIN ? notPuffin(tail, fileSize, e) : e;
    }
  }

  /** Says what the file is instead, from its first bytes if they can be read. */
  private PuffinFormatException notPuffin(
      ByteBuffer tail, long fileSize, PuffinFormatException failure) {
    try {
      ByteBuffer head = read(0, Math.min(HEAD_BYTES, fileSize));
      String found = Container.detect(head, tail, fileSize).description();
      return failure(Reason.NOT_PUFFIN, "it is " + found + " (" + fileSize + " bytes)");
    } catch (RuntimeException e) {
      failure.addSuppressed(e);
      return failure;
    }
  }

  private static String hex(int magic) {
    return HexFormat.of().toHexDigits(magic);
  }

  private PuffinFormatException failure(Reason reason, String problem) {
    return PuffinFormat.cannotReadFooter(reason, file.location(), problem);
  }
}
