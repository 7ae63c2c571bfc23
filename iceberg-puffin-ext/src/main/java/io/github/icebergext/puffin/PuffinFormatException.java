package io.github.icebergext.puffin;

/**
 * Bytes that break the Puffin spec, or exceed what {@link PuffinLimits} allow.
 *
 * <p>The only exception that malformed input causes. It is unchecked and not Iceberg's {@code
 * ValidationException}, which means a commit conflict and lets engines delete files. Storage
 * exceptions are never turned into it.
 */
public class PuffinFormatException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final Reason reason;

  /**
   * Creates an exception whose message names the file, the field, what stands there and what
   * should.
   */
  public PuffinFormatException(Reason reason, String message) {
    super(message);
    this.reason = reason;
  }

  /** Creates an exception caused by that of a codec or parser. */
  public PuffinFormatException(Reason reason, String message, Throwable cause) {
    super(message, cause);
    this.reason = reason;
  }

  /** Returns what is wrong, for callers that branch on it. */
  public final Reason reason() {
    return reason;
  }
}
