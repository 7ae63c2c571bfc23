package io.github.icebergext.puffin;

/**
 * What is wrong with a Puffin file, a deletion vector, or a manifest entry that points at one.
 *
 * <p>One vocabulary for exceptions ({@link PuffinFormatException#reason()}), warnings and audit
 * findings, so that a caller branches on a constant and never on a message.
 */
public enum Reason {
  /**
   * The file is no Puffin file: empty, cut short, or another format; it does not end with {@code
   * PFA1}.
   */
  NOT_PUFFIN,
  /** Magic bytes other than {@code PFA1} at the start of the file or of the footer. */
  PUFFIN_MAGIC,
  /** A footer payload size that is negative or does not fit the file. */
  FOOTER_SIZE,
  /** Footer flags that the spec reserves. */
  FOOTER_FLAGS,
  /** A footer payload that is not the JSON of one {@code FileMetadata} object. */
  FOOTER_PAYLOAD,
  /** A blob or a requested range outside the bytes that may hold blobs. */
  BLOB_RANGE,
  /** A compression codec that this library does not know. */
  UNKNOWN_CODEC,
  /** A compressed blob or footer payload that breaks its codec's format or its declared size. */
  COMPRESSED_DATA,
  /** A size or count over its limit in {@link PuffinLimits}. */
  LIMIT,

  /**
   * A deletion vector whose length prefix and blob length differ, or that is shorter than the
   * smallest legal one.
   */
  VECTOR_LENGTH,
  /** Magic bytes other than {@code D1 D3 39 64} at the start of a deletion vector. */
  VECTOR_MAGIC,
  /** A deletion vector whose CRC-32 is not the one it carries. */
  VECTOR_CHECKSUM,
  /** A count of 32-bit bitmaps that the vector's bytes cannot hold. */
  BITMAP_COUNT,
  /** Keys of 32-bit bitmaps that are out of range, unordered or repeated. */
  BITMAP_KEY,
  /**
   * A 32-bit bitmap with an unknown cookie, or whose container directory is cut short, unordered or
   * repeated.
   */
  BITMAP_DIRECTORY,
  /** A stored container offset that is not where the container is. */
  CONTAINER_OFFSET,
  /** A container whose values are unordered, repeated, out of range, or not as many as declared. */
  CONTAINER_CONTENT,
  /** Bytes left after the last bitmap of a vector. */
  TRAILING_BYTES,
  /**
   * A cardinality that differs between the vector, the footer's property and the manifest entry.
   */
  CARDINALITY,

  /** A manifest entry that is no deletion vector. */
  NOT_DELETION_VECTOR,
  /** A deletion-vector entry that lacks a coordinate or has an impossible one. */
  ENTRY_COORDINATES,
  /** A footer that has no blob at exactly the entry's offset and size. */
  BLOB_NOT_FOUND,
  /** A blob that is not of type {@code deletion-vector-v1}, or is compressed. */
  BLOB_TYPE,
  /**
   * A referenced data file that differs between the entry, the footer's property and the data file.
   */
  REFERENCED_DATA_FILE,
  /** A partition spec or partition that differs between a deletion vector and its data file. */
  PARTITION,
  /** A deletion vector older than the data file it is applied to. */
  SEQUENCE_NUMBER,
  /** A deleted position at or past the data file's row count. */
  POSITION_RANGE,
  /** More than one live deletion vector for a data file. */
  DUPLICATE_VECTOR,
  /** A deletion vector without positions of the one that it took the place of. */
  SHRUNK_VECTOR,
  /** A table format version that this library does not read or write. */
  FORMAT_VERSION
}
