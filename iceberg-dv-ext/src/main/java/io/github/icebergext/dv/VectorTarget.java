package io.github.icebergext.dv;

import io.github.icebergext.puffin.ByteRange;
import io.github.icebergext.puffin.PuffinFormatException;
import io.github.icebergext.puffin.PuffinLimits;
import io.github.icebergext.puffin.Reason;

/**
 * A vector to be read: where it is, what it must be, and how messages call it. Its coordinates are
 * checked.
 *
 * @param identity where the vector is
 * @param expectations what it must be
 * @param description what it is called in messages
 */
record VectorTarget(
    DeletionVectorIdentity identity, Expectations expectations, String description) {

  static VectorTarget of(DeletionVectorEntry entry) {
    Expectations expectations =
        Expectations.none()
            .withCardinality(entry.recordCount())
            .withReferencedDataFile(entry.referencedDataFile());
    return new VectorTarget(entry.identity(), expectations, entry.describe());
  }

  /** Checks the coordinates that a caller gave without an entry. */
  static VectorTarget of(
      DeletionVectorIdentity identity, Expectations expectations, PuffinLimits limits) {
    String description = DeletionVectorEntry.describe(identity, expectations.referencedDataFile());
    DeletionVectorEntry.checkRange(identity, description);
    DeletionVectorEntry.checkLimits(identity, limits, description);
    if (expectations.cardinality().isPresent()) {
      DeletionVectorEntry.checkRecordCount(
          expectations.cardinality().getAsLong(), identity.contentSizeInBytes(), description);
    }
    return new VectorTarget(identity, expectations, description);
  }

  VectorTarget withRowCount(long rowCount) {
    return new VectorTarget(identity, expectations.withRowCount(rowCount), description);
  }

  ByteRange range() {
    return new ByteRange(identity.contentOffset(), identity.contentSizeInBytes());
  }

  InvalidDeletionVectorException invalid(Reason reason, String complaint) {
    return new InvalidDeletionVectorException(
        reason, "Cannot read " + description + ": " + complaint);
  }

  /**
   * Returns what is thrown when reading the vector failed: an exception of ours that names it, or
   * the storage's own with a note.
   */
  RuntimeException named(RuntimeException failure) {
    if (failure instanceof PuffinFormatException e) {
      return new InvalidDeletionVectorException(
          e.reason(), "Cannot read " + description + ": " + e.getMessage(), e);
    }
    failure.addSuppressed(new Note("while reading " + description));
    return failure;
  }

  /** Says, attached to another exception, which vector was read when that one was thrown. */
  private static final class Note extends Exception {
    private static final long serialVersionUID = 1L;

    Note(String message) {
      super(message, null, false, false);
    }
  }
}
