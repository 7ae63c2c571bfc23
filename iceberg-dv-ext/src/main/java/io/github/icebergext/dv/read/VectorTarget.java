package io.github.icebergext.dv.read;

import io.github.icebergext.dv.DeletionVectorEntry;
import io.github.icebergext.dv.DeletionVectorIdentity;
import io.github.icebergext.dv.InvalidDeletionVectorException;
import io.github.icebergext.puffin.ByteRange;
import io.github.icebergext.puffin.PuffinFormatException;
import io.github.icebergext.puffin.PuffinLimits;
import io.github.icebergext.puffin.Reason;

/**
 * A vector to be read, whose coordinates are checked.
 *
 * @param identity where the vector is
 * @param expectations what it must be
 */
record VectorTarget(DeletionVectorIdentity identity, Expectations expectations) {

  static VectorTarget of(DeletionVectorEntry entry) {
    Expectations expectations =
        Expectations.none()
            .withCardinality(entry.recordCount())
            .withReferencedDataFile(entry.referencedDataFile());
    return new VectorTarget(entry.identity(), expectations);
  }

  /** Checks the coordinates that a caller gave without an entry. */
  static VectorTarget of(
      DeletionVectorIdentity identity, Expectations expectations, PuffinLimits limits) {
    VectorTarget target = new VectorTarget(identity, expectations);
    DeletionVectorEntry.checkCoordinates(
        identity, expectations.cardinality(), expectations.referencedDataFile(), limits);
    return target;
  }

  VectorTarget withRowCount(long rowCount) {
    return new VectorTarget(identity, expectations.withRowCount(rowCount));
  }

  /** Returns what the vector is called in messages. */
  String description() {
    return DeletionVectorEntry.describe(identity, expectations.referencedDataFile());
  }

  ByteRange range() {
    return new ByteRange(identity.contentOffset(), identity.contentSizeInBytes());
  }

  InvalidDeletionVectorException invalid(Reason reason, String complaint) {
    return new InvalidDeletionVectorException(
        reason, "Cannot read " + description() + ": " + complaint);
  }

  /**
   * Returns what is thrown when reading the vector failed: an exception of ours that names it, or
   * the storage's own with a note.
   */
  RuntimeException named(RuntimeException failure) {
    if (failure instanceof PuffinFormatException e) {
      return new InvalidDeletionVectorException(
          e.reason(), "Cannot read " + description() + ": " + e.getMessage(), e);
    }
    failure.addSuppressed(new Note("while reading " + description()));
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
