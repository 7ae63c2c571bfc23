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
      int literals = length(token >>> 4, inEnd, outEnd - written);
      if (literals > inEnd - inPosition) {
        throw endsInside(literals + " literals", inEnd);
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
      int match = length((token & 15), inEnd, outEnd - written - MIN_MATCH) + MIN_MATCH;
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

  /** Returns a length of at most {@code space}. */
  private int length(int nibble, int inEnd, int space) {
    int length = nibble;
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
              + " writes past the end of its block or of the declared content size");
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

  private void copyMatch(int start, int to, int length) {
    if (length <= to - start) {
      copy(out, start, to, length);
    } else {
      for (int i = 0; i < length; i++) {
        out[to + i] = out[start + i];
      }
    }
  }

  private PuffinFormatException endsInside(String field, int inEnd) {
    return frame.malformed(
        "block ends at byte " + inEnd + " inside " + field + " that starts before it");
  }

  private PuffinFormatException badOffset(int offset, int window) {
    return frame.malformed(
        "match offset " + offset + " at byte " + (inPosition - 2) + ", expected 1 to " + window);
  }
}
