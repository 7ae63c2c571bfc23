package io.github.icebergext.puffin;

/**
 * Decodes LZ4 blocks, each bounds-checked on its input and its output. A block is a row of
 * sequences:
 *
 * <pre>
 * bytes  field
 * 1      token: literal length in the high 4 bits, match length - 4 in the low 4
 * n      more literal length if it is 15: bytes to add, up to the first that is not 255
 *        literals
 * 2      offset, little-endian: how far back the match starts, at least 1
 * n      more match length, likewise
 * </pre>
 *
 * The last sequence ends after its literals, at the last byte of the block. That encoders leave the
 * last 5 bytes to literals and start no match in the last 12 is not enforced.
 *
 * @see <a href="https://github.com/lz4/lz4/blob/dev/doc/lz4_Block_format.md">LZ4 block format</a>
 */
final class Lz4BlockDecoder {
  private static final int MIN_MATCH = 4;
  private static final int MORE_LENGTH = 15;

  /** Below this a loop is faster than {@link System#arraycopy}. */
  private static final int SHORT_COPY = 16;

  private final byte[] in;
  private final byte[] out;
  private final FrameCursor frame;

  private int inPosition;

  Lz4BlockDecoder(byte[] in, byte[] out, FrameCursor frame) {
    this.in = in;
    this.out = out;
    this.frame = frame;
  }

  /**
   * Decodes one block and returns where its output ends.
   *
   * @param windowStart the first byte of output that a match may copy
   */
  int decode(int inStart, int inEnd, int windowStart, int outStart, int outEnd) {
    inPosition = inStart;
    int written = outStart;
    while (true) {
      int token = nextByte(inEnd, "token");
      int literals = length(token >>> 4, 0, inEnd, outEnd - written);
      if (literals > inEnd - inPosition) {
        throw frame.malformed(
            literals
                + " literals at byte "
                + inPosition
                + ", but their block ends at byte "
                + inEnd);
      }
      copy(in, inPosition, written, literals);
      inPosition += literals;
      written += literals;
      if (inPosition == inEnd) {
        return written;
      }
      int offset = nextByte(inEnd, "match offset") | (nextByte(inEnd, "match offset") << 8);
      if (offset == 0 || offset > written - windowStart) {
        throw badOffset(offset, written - windowStart);
      }
      int match = length(token & 0xF, MIN_MATCH, inEnd, outEnd - written);
      copyMatch(written - offset, written, match);
      written += match;
    }
  }

  private int nextByte(int inEnd, String field) {
    if (inPosition >= inEnd) {
      throw endsInside(field, inEnd);
    }
    return in[inPosition++] & 0xFF;
  }

  /**
   * Returns a length of at most {@code space}: at most a block's 4 MiB, so that the sum cannot
   * overflow.
   */
  private int length(int nibble, int least, int inEnd, int space) {
    int length = nibble + least;
    if (nibble == MORE_LENGTH) {
      int more;
      do {
        more = nextByte(inEnd, "length");
        length += more;
      } while (more == 255 && length <= space);
    }
    if (length > space) {
      throw frame.malformed(
          "sequence before byte "
              + inPosition
              + " yields "
              + length
              + " bytes or more, expected at most the "
              + space
              + " that its block and the declared content size have left");
    }
    return length;
  }

  private void copy(byte[] from, int start, int to, int length) {
    if (length >= SHORT_COPY) {
      System.arraycopy(from, start, out, to, length);
    } else {
      for (int i = 0; i < length; i++) {
        out[to + i] = from[start + i];
      }
    }
  }

  /** Copies a match, which repeats itself where it overlaps its own output. */
  private void copyMatch(int start, int to, int length) {
    int copied = 0;
    while (copied < length) {
      int run = Math.min(to + copied - start, length - copied);
      copy(out, start, to + copied, run);
      copied += run;
    }
  }

  private PuffinFormatException endsInside(String field, int inEnd) {
    return frame.malformed("block ends at byte " + inEnd + " inside a " + field);
  }

  private PuffinFormatException badOffset(int offset, int window) {
    return frame.malformed(
        "match offset " + offset + " at byte " + (inPosition - 2) + ", expected 1 to " + window);
  }
}
