package io.github.icebergext.cli.file;

import io.github.icebergext.cli.text.Json;
import io.github.icebergext.cli.text.Problem;
import io.github.icebergext.dv.DeletionVectorBlob;
import io.github.icebergext.dv.DeletionVectorCodec;
import io.github.icebergext.puffin.PuffinFileReader;
import io.github.icebergext.puffin.PuffinFormatException;
import io.github.icebergext.puffin.Reason;
import java.nio.ByteBuffer;
import org.apache.iceberg.puffin.BlobMetadata;
import org.jspecify.annotations.Nullable;

/**
 * A blob of a Puffin file, and what its bytes say where its type is known.
 *
 * @param index its place in the footer, from 0
 * @param metadata what the footer says
 * @param cardinality positions of a deletion vector
 * @param estimate distinct values of a theta sketch, by the sketch itself
 * @param note what else is to be said
 * @param problem what is wrong
 */
record BlobFacts(
    int index,
    BlobMetadata metadata,
    @Nullable Long cardinality,
    @Nullable Double estimate,
    @Nullable String note,
    @Nullable Problem problem) {

  /** Properties of a vector and of a sketch, shown as they are written. */
  static final String CARDINALITY = "cardinality";

  static final String NDV = "ndv";

  /** Reads the blob if its type is known. */
  static BlobFacts of(PuffinFileReader reader, int index, BlobMetadata blob) {
    try {
      if (DeletionVectorBlob.isDeletionVector(blob)) {
        return vector(reader, index, blob);
      }
      return blob.type().equals(ThetaSketch.TYPE)
          ? sketch(reader, index, blob)
          : new BlobFacts(index, blob, null, null, null, null);
    } catch (PuffinFormatException e) {
      return new BlobFacts(index, blob, null, null, null, Problem.of(e));
    }
  }

  private static BlobFacts vector(PuffinFileReader reader, int index, BlobMetadata blob) {
    ByteBuffer bytes = reader.read(blob);
    long decoded = DeletionVectorCodec.decode(bytes).cardinality();
    String declared = blob.properties().get(CARDINALITY);
    Problem problem = null;
    if (declared == null || !declared.equals(Long.toString(decoded))) {
      problem =
          new Problem(
              Reason.CARDINALITY,
              "property cardinality is " + declared + ", the vector has " + decoded + " positions");
    } else if (DeletionVectorBlob.referencedDataFile(blob).isEmpty()) {
      problem = new Problem(Reason.REFERENCED_DATA_FILE, "no property referenced-data-file");
    }
    return new BlobFacts(index, blob, decoded, null, null, problem);
  }

  private static BlobFacts sketch(PuffinFileReader reader, int index, BlobMetadata blob) {
    ThetaSketch.Estimate estimate = ThetaSketch.estimate(reader.read(blob));
    String message = estimate.problem();
    Problem problem = message == null ? null : new Problem(null, message);
    return new BlobFacts(index, blob, null, estimate.distinctValues(), estimate.note(), problem);
  }

  Json.Members toJson() {
    return Json.object()
        .put("index", index)
        .put("type", metadata.type())
        .put("fields", metadata.inputFields())
        .put("snapshotId", metadata.snapshotId())
        .put("sequenceNumber", metadata.sequenceNumber())
        .put("offset", metadata.offset())
        .put("length", metadata.length())
        .put("compressionCodec", metadata.compressionCodec())
        .put("properties", metadata.properties())
        .put("cardinality", cardinality)
        .put("sketchEstimate", estimate)
        .put("note", note)
        .put("problem", problem == null ? null : problem.toJson());
  }
}
