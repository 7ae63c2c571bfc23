package io.github.icebergext.dv;

import static io.github.icebergext.puffin.Reason.CARDINALITY;

import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.iceberg.MetadataColumns;
import org.apache.iceberg.puffin.Blob;
import org.apache.iceberg.puffin.BlobMetadata;
import org.apache.iceberg.puffin.StandardBlobTypes;

/**
 * What a Puffin footer says of a {@code deletion-vector-v1} blob.
 *
 * <p>Stateless and thread-safe.
 *
 * @see <a href="https://iceberg.apache.org/puffin-spec/#deletion-vector-v1-blob-type">Puffin spec,
 *     deletion-vector-v1</a>
 */
public final class DeletionVectorBlob {
  private static final String REFERENCED_DATA_FILE_PROPERTY = "referenced-data-file";
  private static final String CARDINALITY_PROPERTY = "cardinality";

  /** Snapshot ID and sequence number of a blob that gets them when its manifest is committed. */
  private static final long INHERITED = -1;

  private DeletionVectorBlob() {}

  /** Tells whether the blob is a deletion vector: by its type, which alone decides it. */
  public static boolean isDeletionVector(BlobMetadata blob) {
    return blob.type().equals(StandardBlobTypes.DV_V1);
  }

  /**
   * Returns the location of the data file whose rows the blob deletes, exactly as written; empty if
   * the property {@code referenced-data-file} is absent, which the spec does not allow.
   */
  public static Optional<String> referencedDataFile(BlobMetadata blob) {
    return Optional.ofNullable(blob.properties().get(REFERENCED_DATA_FILE_PROPERTY));
  }

  /**
   * Returns the number of positions that the property {@code cardinality} declares; empty if it is
   * absent, which the spec does not allow.
   *
   * @throws InvalidDeletionVectorException if the property is no decimal number, or negative
   */
  public static OptionalLong cardinality(BlobMetadata blob) {
    String text = blob.properties().get(CARDINALITY_PROPERTY);
    if (text == null) {
      return OptionalLong.empty();
    }
    try {
      long cardinality = Long.parseLong(text);
      if (cardinality >= 0) {
        return OptionalLong.of(cardinality);
      }
    } catch (NumberFormatException e) {
      // Refused below, with the text itself.
    }
    throw new InvalidDeletionVectorException(
        CARDINALITY,
        "Cannot read deletion vector blob at offset "
            + blob.offset()
            + ": property cardinality is \""
            + text
            + "\", expected a decimal number");
  }

  /**
   * Returns the blob that deletes {@code positions} of a data file, uncompressed as the spec says,
   * over the vector's own bytes, which are read-only.
   */
  static Blob of(DeletedPositions positions, String referencedDataFile) {
    return new Blob(
        StandardBlobTypes.DV_V1,
        List.of(MetadataColumns.ROW_POSITION.fieldId()),
        INHERITED,
        INHERITED,
        ByteBuffer.wrap(positions.canonicalBlob()).asReadOnlyBuffer(),
        null,
        properties(positions, referencedDataFile));
  }

  /** Returns the properties in Iceberg's order, so that the same blobs give the same footer. */
  private static Map<String, String> properties(
      DeletedPositions positions, String referencedDataFile) {
    Map<String, String> properties = new LinkedHashMap<>();
    properties.put(REFERENCED_DATA_FILE_PROPERTY, referencedDataFile);
    properties.put(CARDINALITY_PROPERTY, Long.toString(positions.cardinality()));
    return properties;
  }
}
