package io.github.icebergext.puffin;

/**
 * A half-open range of bytes of a file: from {@code offset}, inclusive, to {@code offset + length},
 * exclusive.
 *
 * @param offset first byte, counted from 0 at the start of the file; not negative
 * @param length number of bytes; not negative, and {@code offset + length} is at most {@link
 *     Long#MAX_VALUE}
 */
public record ByteRange(long offset, long length) {
  /**
   * Checks the bounds.
   *
   * @throws IllegalArgumentException if offset or length is negative, or their sum overflows
   */
  public ByteRange {
    if (offset < 0 || length < 0 || offset + length < 0) {
      throw new IllegalArgumentException(
          "Invalid byte range: offset " + offset + ", length " + length);
    }
  }

  /** Returns the offset of the first byte after the range. */
  public long end() {
    return offset + length;
  }
}
