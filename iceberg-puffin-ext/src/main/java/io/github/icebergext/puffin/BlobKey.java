package io.github.icebergext.puffin;

/** The keys of a blob in a footer, in the order in which Iceberg writes them. */
enum BlobKey {
  TYPE("type"),
  FIELDS("fields"),
  SNAPSHOT_ID("snapshot-id"),
  SEQUENCE_NUMBER("sequence-number"),
  OFFSET("offset"),
  LENGTH("length"),
  COMPRESSION_CODEC("compression-codec"),
  PROPERTIES("properties");

  private final String text;

  BlobKey(String text) {
    this.text = text;
  }

  String text() {
    return text;
  }
}
