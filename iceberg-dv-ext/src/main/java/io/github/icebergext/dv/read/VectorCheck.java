package io.github.icebergext.dv.read;

import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.dv.DeletionVectorBlob;
import io.github.icebergext.dv.InvalidDeletionVectorException;
import io.github.icebergext.dv.internal.DataFileCheck;
import io.github.icebergext.dv.internal.FooterFacts;
import io.github.icebergext.puffin.Container;
import io.github.icebergext.puffin.Reason;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.UnaryOperator;
import org.apache.iceberg.puffin.BlobMetadata;
import org.jspecify.annotations.Nullable;

/** Holds decoded vectors to what is known of them. Immutable and thread-safe. */
final class VectorCheck {
  private final ForeignContainerPolicy foreignContainers;
  private final UnaryOperator<String> dataFileLocations;
  private final ReadEvents events;

  VectorCheck(
      ForeignContainerPolicy foreignContainers,
      UnaryOperator<String> dataFileLocations,
      ReadEvents events) {
    this.foreignContainers = foreignContainers;
    this.dataFileLocations = dataFileLocations;
    this.events = events;
  }

  /**
   * Checks what the vector holds, and what its file says of it where that is known.
   *
   * @param facts null to check the vector against its entry only
   */
  void check(VectorTarget target, DeletedPositions positions, @Nullable FooterFacts facts) {
    checkCardinality(target, positions);
    DataFileCheck.checkPositions(target::description, positions, target.expectations().rowCount());
    if (facts == null) {
      return;
    }
    if (facts.foreign() == null) {
      checkBlobs(target, positions, facts.blobs());
    } else {
      checkForeign(target, facts.foreign());
    }
  }

  /** Checks, before anything is read, that an entry's data file is the one at {@code location}. */
  void checkLocation(VectorTarget target, String referencedDataFile, String location) {
    if (!isSameDataFile(referencedDataFile, location)) {
      throw DataFileCheck.otherDataFile(target.description(), location);
    }
  }

  private static void checkCardinality(VectorTarget target, DeletedPositions positions) {
    OptionalLong expected = target.expectations().cardinality();
    if (expected.isPresent() && expected.getAsLong() != positions.cardinality()) {
      throw target.invalid(
          Reason.CARDINALITY,
          "it holds "
              + positions.cardinality()
              + " positions, expected the record count "
              + expected.getAsLong());
    }
  }

  private void checkForeign(VectorTarget target, Container container) {
    String complaint = "its file is " + container.description() + " and no Puffin file";
    if (foreignContainers == ForeignContainerPolicy.REJECT) {
      throw target.invalid(Reason.NOT_PUFFIN, complaint);
    }
    if (foreignContainers == ForeignContainerPolicy.WARN) {
      events.warned(target, Reason.NOT_PUFFIN, complaint);
    }
  }

  /**
   * Looks for a sound blob; vectors that are equal may share their bytes, so there can be several.
   */
  private void checkBlobs(
      VectorTarget target, DeletedPositions positions, List<BlobMetadata> blobs) {
    if (blobs.isEmpty()) {
      throw target.invalid(
          Reason.BLOB_NOT_FOUND, "the footer of its file has no blob at exactly these bytes");
    }
    InvalidDeletionVectorException first = null;
    for (BlobMetadata blob : blobs) {
      try {
        checkBlob(target, positions, blob);
        return;
      } catch (InvalidDeletionVectorException e) {
        first = first == null ? e : first;
      }
    }
    throw first;
  }

  private void checkBlob(VectorTarget target, DeletedPositions positions, BlobMetadata blob) {
    if (!DeletionVectorBlob.isDeletionVector(blob)) {
      throw target.invalid(
          Reason.BLOB_TYPE, "its blob is of type " + blob.type() + ", expected deletion-vector-v1");
    }
    if (blob.compressionCodec() != null) {
      throw target.invalid(
          Reason.BLOB_TYPE,
          "its blob has the compression codec " + blob.compressionCodec() + ", expected none");
    }
    checkDataFile(target, DeletionVectorBlob.referencedDataFile(blob));
    checkDeclared(target, positions, blob);
  }

  private void checkDataFile(VectorTarget target, Optional<String> declared) {
    if (declared.isEmpty()) {
      throw target.invalid(
          Reason.REFERENCED_DATA_FILE, "its blob lacks the property referenced-data-file");
    }
    Optional<String> expected = target.expectations().referencedDataFile();
    if (expected.isPresent() && !isSameDataFile(declared.get(), expected.get())) {
      throw target.invalid(
          Reason.REFERENCED_DATA_FILE,
          "its blob deletes rows of data file "
              + declared.get()
              + ", expected those of "
              + expected.get());
    }
  }

  /** Compares locations as they are, but for the mapping that the caller gave. */
  private boolean isSameDataFile(String left, String right) {
    return left.equals(right)
        || dataFileLocations.apply(left).equals(dataFileLocations.apply(right));
  }

  private void checkDeclared(VectorTarget target, DeletedPositions positions, BlobMetadata blob) {
    OptionalLong declared = cardinality(target, blob);
    if (declared.isEmpty()) {
      events.warned(target, Reason.CARDINALITY, "its blob lacks the property cardinality");
    } else if (declared.getAsLong() != positions.cardinality()) {
      throw target.invalid(
          Reason.CARDINALITY,
          "it holds "
              + positions.cardinality()
              + " positions, expected the cardinality of its blob, "
              + declared.getAsLong());
    }
  }

  private static OptionalLong cardinality(VectorTarget target, BlobMetadata blob) {
    try {
      return DeletionVectorBlob.cardinality(blob);
    } catch (InvalidDeletionVectorException e) {
      throw (InvalidDeletionVectorException) target.named(e);
    }
  }
}
