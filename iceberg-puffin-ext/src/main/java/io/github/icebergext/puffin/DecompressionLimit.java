package io.github.icebergext.puffin;

/**
 * How many bytes a frame may decompress to, judged by what it declares.
 *
 * @param name the limit's name in {@link PuffinLimits}
 * @param maxBytes the most bytes, whatever the stored size
 * @param maxRatio the most bytes for each stored byte, once that is more than {@link
 *     #ALWAYS_ALLOWED}
 */
record DecompressionLimit(String name, int maxBytes, int maxRatio) {
  /** A small result is harmless at any ratio: 1 MiB. */
  static final int ALWAYS_ALLOWED = 1 << 20;

  /** Common virtual machines cannot make an array of more elements. */
  static final int MAX_ARRAY_LENGTH = Integer.MAX_VALUE - 8;

  static DecompressionLimit ofBlob(PuffinLimits limits) {
    return new DecompressionLimit(
        "maxDecompressedBytes", limits.maxDecompressedBytes(), limits.maxDecompressionRatio());
  }

  static DecompressionLimit ofFooter(PuffinLimits limits) {
    return new DecompressionLimit(
        "maxFooterBytes", limits.maxFooterBytes(), limits.maxDecompressionRatio());
  }

  /** Returns the most bytes that {@code stored} bytes may decompress to. */
  static long ratioBound(long stored, int maxRatio) {
    return Math.max(ALWAYS_ALLOWED, stored * maxRatio);
  }

  /**
   * Returns the declared size as the length of an array.
   *
   * @param contentSize the declared size in bytes, unsigned
   * @param offset where it is declared, for the message
   * @param frame the frame that declares it
   * @throws PuffinFormatException with {@link Reason#LIMIT} if it is too large
   */
  int check(long contentSize, int offset, FrameCursor frame) {
    int bytes = Math.min(maxBytes, MAX_ARRAY_LENGTH);
    if (Long.compareUnsigned(contentSize, bytes) > 0) {
      throw exceeded(contentSize, offset, frame, name + " " + bytes);
    }
    if (contentSize > ratioBound(frame.length(), maxRatio)) {
      throw exceeded(
          contentSize,
          offset,
          frame,
          "maxDecompressionRatio " + maxRatio + " times the " + frame.length() + " stored bytes");
    }
    return (int) contentSize;
  }

  private static PuffinFormatException exceeded(
      long contentSize, int offset, FrameCursor frame, String limit) {
    return frame.refused(
        Reason.LIMIT,
        "content size at byte "
            + offset
            + " is "
            + Long.toUnsignedString(contentSize)
            + " bytes, over the limit "
            + limit);
  }
}
