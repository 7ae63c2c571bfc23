package io.github.icebergext.dv;

import static io.github.icebergext.puffin.Reason.COMPRESSED_DATA;
import static io.github.icebergext.puffin.Reason.VECTOR_LENGTH;

import io.github.icebergext.puffin.Reason;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The text form of bytes that Delta's log has: Z85, where four bytes, big-endian, are five digits,
 * the most significant first.
 *
 * <p>Bytes that are no multiple of four come in two ways: Delta pads with zeros and keeps the
 * length elsewhere; delta-rs writes a last group of fewer bytes, led by a {@code #} for each that
 * is missing. Such a group would overflow otherwise, so the two are never confused.
 *
 * @see <a href="https://rfc.zeromq.org/spec/32/">ZeroMQ RFC 32, Z85</a>
 */
final class Base85 {
  private static final String DIGITS =
      "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";
  private static final int BASE = 85;
  private static final int GROUP_DIGITS = 5;
  private static final int GROUP_BYTES = 4;
  private static final byte[] VALUES = new byte[128];

  static {
    Arrays.fill(VALUES, (byte) -1);
    for (int i = 0; i < BASE; i++) {
      VALUES[DIGITS.charAt(i)] = (byte) i;
    }
  }

  private Base85() {}

  /** Encodes bytes, padded with zeros to a multiple of four. */
  static String encode(byte[] bytes) {
    ByteBuffer groups =
        ByteBuffer.wrap(
            Arrays.copyOf(bytes, Math.multiplyExact(groups(bytes.length), GROUP_BYTES)));
    StringBuilder text = new StringBuilder(groups(bytes.length) * GROUP_DIGITS);
    while (groups.hasRemaining()) {
      long group = Integer.toUnsignedLong(groups.getInt());
      for (int divisor = BASE * BASE * BASE * BASE; divisor > 0; divisor /= BASE) {
        text.append(DIGITS.charAt((int) (group / divisor % BASE)));
      }
    }
    return text.toString();
  }

  private static int groups(int bytes) {
    return (bytes + GROUP_BYTES - 1) / GROUP_BYTES;
  }

  /**
   * Decodes the text of {@code length} bytes.
   *
   * @throws InvalidDeletionVectorException if the text has another length, a character that is no
   *     digit, a group over 2^32 − 1, or padding that is not zero
   */
  static byte[] decode(String text, int length) {
    if (text.length() % GROUP_DIGITS != 0 || text.length() / GROUP_DIGITS != groups(length)) {
      throw invalid(
          VECTOR_LENGTH, text.length() + " characters are no base85 text of " + length + " bytes");
    }
    ByteBuffer bytes = ByteBuffer.allocate(groups(length) * GROUP_BYTES);
    int last = text.length() - GROUP_DIGITS;
    for (int i = 0; i < last; i += GROUP_DIGITS) {
      bytes.putInt((int) group(text, i, 0));
    }
    if (last >= 0) {
      putLastGroup(text, last, length, bytes);
    }
    return Arrays.copyOf(bytes.array(), length);
  }

  private static void putLastGroup(String text, int at, int length, ByteBuffer bytes) {
    int missing = (GROUP_BYTES - length % GROUP_BYTES) % GROUP_BYTES;
    boolean led = text.charAt(at) == '#';
    long group = group(text, at, led ? missing : 0);
    long padding = (1L << (8 * missing)) - 1;
    if (!led && (group & padding) != 0) {
      throw invalid(COMPRESSED_DATA, "base85 padding after " + length + " bytes is not zero");
    }
    bytes.putInt((int) (led ? group << (8 * missing) : group));
  }

  /** Returns the number of one group, of which {@code missing} leading digits are not counted. */
  private static long group(String text, int at, int missing) {
    long group = 0;
    for (int i = 0; i < GROUP_DIGITS; i++) {
      char digit = text.charAt(at + i);
      int value = digit < VALUES.length ? VALUES[digit] : -1;
      if (value < 0) {
        throw invalid(
            COMPRESSED_DATA,
            "character " + (int) digit + " at " + (at + i) + " is no base85 digit");
      }
      if (i >= missing) {
        group = group * BASE + value;
      } else if (digit != '#') {
        throw invalid(COMPRESSED_DATA, "base85 group at " + at + " is padded by too few #");
      }
    }
    if (group >>> (8 * (GROUP_BYTES - missing)) != 0) {
      throw invalid(COMPRESSED_DATA, "base85 group at " + at + " is " + group + ", too large");
    }
    return group;
  }

  private static InvalidDeletionVectorException invalid(Reason reason, String message) {
    return new InvalidDeletionVectorException(
        reason, "Cannot decode inline deletion vector: " + message);
  }
}
