package io.github.icebergext.dv.read;

/** How much of what is known of a deletion vector is checked when it is read. */
public enum ReadCheck {
  /**
   * The vector against its manifest entry: one request. A manifest that points at a sibling of the
   * same cardinality goes unnoticed.
   */
  ENTRY,
  /**
   * The vector against its manifest entry and the Puffin footer: a blob at exactly that offset and
   * size, its type, its data file and its cardinality. One round trip when the footer fits {@link
   * io.github.icebergext.puffin.PuffinLimits#tailBytes()} or comes with a vector near it, two
   * otherwise.
   */
  FULL
}
