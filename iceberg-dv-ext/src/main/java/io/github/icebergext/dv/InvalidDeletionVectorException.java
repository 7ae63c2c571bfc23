package io.github.icebergext.dv;

import io.github.icebergext.puffin.PuffinFormatException;
import io.github.icebergext.puffin.Reason;

/**
 * A deletion vector, a manifest entry, or the two together that break the rules of deletion
 * vectors.
 */
public final class InvalidDeletionVectorException extends PuffinFormatException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates an exception whose message names the field, what stands there, what should, and the
   * entry if known.
   */
  public InvalidDeletionVectorException(Reason reason, String message) {
    super(reason, message);
  }

  /** Creates an exception that names the entry whose bytes caused {@code cause}. */
  public InvalidDeletionVectorException(
      Reason reason, String message, PuffinFormatException cause) {
    super(reason, message, cause);
  }
}
