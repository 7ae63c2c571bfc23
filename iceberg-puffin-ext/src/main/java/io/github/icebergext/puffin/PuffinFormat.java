package io.github.icebergext.puffin;

import org.jspecify.annotations.Nullable;

/**
 * The bytes around the blobs of a Puffin file, and how what breaks a footer is told.
 *
 * <pre>
 *   Magic  Blob …  Magic  Payload  PayloadSize  Flags  Magic
 *     4              4               4            4      4     bytes
 *                  └──────────────── footer ───────────────┘
 * </pre>
 *
 * @see <a href="https://iceberg.apache.org/puffin-spec/#file-structure">Puffin spec: file
 *     structure</a>
 */
final class PuffinFormat {
  /** {@code PFA1}, its first byte the highest. */
  static final int MAGIC = 0x50464131;

  static final int MAGIC_BYTES = Integer.BYTES;
  static final int PAYLOAD_SIZE_BYTES = Integer.BYTES;
  static final int FLAGS_BYTES = Integer.BYTES;

  static final int FLAGS_FROM_END = FLAGS_BYTES + MAGIC_BYTES;
  static final int PAYLOAD_SIZE_FROM_END = PAYLOAD_SIZE_BYTES + FLAGS_FROM_END;

  /** All of a footer but its payload. */
  static final int MIN_FOOTER_BYTES = MAGIC_BYTES + PAYLOAD_SIZE_FROM_END;

  /** A file without blobs, whose footer has no payload. */
  static final int MIN_FILE_BYTES = MAGIC_BYTES + MIN_FOOTER_BYTES;

  private PuffinFormat() {}

  /** Returns what is thrown for a footer that breaks a rule. */
  static PuffinFormatException cannotReadFooter(Reason reason, String location, String problem) {
    return new PuffinFormatException(reason, message(location, problem));
  }

  /** Returns what is thrown for a footer that breaks a rule, as another exception told. */
  static PuffinFormatException cannotReadFooter(
      Reason reason, String location, @Nullable String problem, Exception cause) {
    return new PuffinFormatException(reason, message(location, problem), cause);
  }

  private static String message(String location, @Nullable String problem) {
    return "Cannot read footer of " + location + ": " + problem;
  }
}
