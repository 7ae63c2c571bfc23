package io.github.icebergext.dv;

import org.jspecify.annotations.NullMarked;

/**
 * Stages of {@link DeletionVectorCodec#decodeOwned(byte[])}, which are no part of the API, to be
 * measured.
 */
@NullMarked
public final class DecodeStages {
  private DecodeStages() {}

  /** Checks everything but the contents of containers. */
  public static Object directory(byte[] blob) {
    DeletionVectorCodec.checkFrame(blob);
    return VectorParser.directory(blob, DeletionVectorCodec.VECTOR_OFFSET, blob.length - 4);
  }
}
