package io.github.icebergext.dv.write;

/** What a flush does for a data file whose rows were all deleted before. */
public enum UnchangedVectorPolicy {
  /** Writes a vector nevertheless, which replaces an equal one. */
  WRITE,

  /** Writes no vector, and keeps the one there is. */
  SKIP
}
