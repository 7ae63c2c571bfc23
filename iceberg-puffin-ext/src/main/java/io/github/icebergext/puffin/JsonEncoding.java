package io.github.icebergext.puffin;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;

/**
 * Tells whether JSON is Unicode text in UTF-8, to the letter.
 *
 * <p>Jackson lets overlong forms and surrogates through, and half of a surrogate pair in escapes or
 * not, by version and place. What is no text could not be written back either.
 */
final class JsonEncoding {
  private static final long EVERY_ONE = 0x0101010101010101L;
  private static final long EVERY_SIGN = 0x8080808080808080L;
  private static final long EVERY_BACKSLASH = 0x5C5C5C5C5C5C5C5CL;
  private static final int SCRATCH_CHARACTERS = 1024;
  private static final int ESCAPE_BYTES = 6;
  private static final int HEX_RADIX = 16;

  private JsonEncoding() {}

  /** Returns the index of the first byte that cannot stand where it does, or -1. */
  static int firstInvalid(ByteBuffer json) {
    long signs = 0;
    long backslashes = 0;
    int i = json.position();
    for (; i <= json.limit() - Long.BYTES; i += Long.BYTES) {
      long eight = json.getLong(i);
      signs |= eight;
      // A byte is zero when taking one from it borrows from its sign; a false match costs time
      // only.
      long difference = eight ^ EVERY_BACKSLASH;
      backslashes |= (difference - EVERY_ONE) & ~difference;
    }
    for (; i < json.limit(); i++) {
      signs |= json.get(i);
      backslashes |= json.get(i) == '\\' ? EVERY_SIGN : 0;
    }
    int invalid = (signs & EVERY_SIGN) == 0 ? -1 : firstMalformed(json.slice());
    return invalid >= 0 || (backslashes & EVERY_SIGN) == 0 ? invalid : firstHalfPair(json.slice());
  }

  private static int firstMalformed(ByteBuffer bytes) {
    CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
    CharBuffer scratch = CharBuffer.allocate(SCRATCH_CHARACTERS);
    CoderResult result;
    do {
      result = decoder.decode(bytes, scratch.clear(), true);
    } while (result.isOverflow());
    return result.isError() ? bytes.position() : -1;
  }

  /** Returns the index of the first escape that is half of a surrogate pair, or -1. */
  private static int firstHalfPair(ByteBuffer bytes) {
    int i = 0;
    while (i < bytes.limit() - 1) {
      if (bytes.get(i) != '\\') {
        i++;
        continue;
      }
      int escaped = escaped(bytes, i);
      if (escaped < 0 || !Character.isSurrogate((char) escaped)) {
        i += 2;
        continue;
      }
      int second = escaped(bytes, i + ESCAPE_BYTES);
      if (second < 0 || !Character.isSurrogatePair((char) escaped, (char) second)) {
        return i;
      }
      i += 2 * ESCAPE_BYTES;
    }
    return -1;
  }

  /** Returns the character whose escape by number starts at {@code index}, or -1. */
  private static int escaped(ByteBuffer bytes, int index) {
    if (index > bytes.limit() - ESCAPE_BYTES
        || bytes.get(index) != '\\'
        || bytes.get(index + 1) != 'u') {
      return -1;
    }
    int character = 0;
    for (int i = index + 2; i < index + ESCAPE_BYTES; i++) {
      int digit = Character.digit(bytes.get(i), HEX_RADIX);
      if (digit < 0) {
        return -1;
      }
      character = character * HEX_RADIX + digit;
    }
    return character;
  }
}
