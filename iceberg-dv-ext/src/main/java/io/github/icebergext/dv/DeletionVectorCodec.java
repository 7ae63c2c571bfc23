package io.github.icebergext.dv;

import java.nio.ByteBuffer;

/** The {@code deletion-vector-v1} blob: bytes to positions and back. */
public final class DeletionVectorCodec {
  private DeletionVectorCodec() {}

  /** Decodes a blob, copying it once. */
  public static DeletedPositions decode(ByteBuffer blob) {
    throw new UnsupportedOperationException();
  }

  /** Decodes a blob that must hold {@code expectedCardinality} positions. */
  public static DeletedPositions decode(ByteBuffer blob, long expectedCardinality) {
    throw new UnsupportedOperationException();
  }

  /** Decodes a blob and keeps the array, which the caller no longer changes. */
  public static DeletedPositions decodeOwned(byte[] blob) {
    throw new UnsupportedOperationException();
  }

  /** Decodes a blob that must hold {@code expectedCardinality} positions, and keeps the array. */
  public static DeletedPositions decodeOwned(byte[] blob, long expectedCardinality) {
    throw new UnsupportedOperationException();
  }

  /** Encodes positions as a blob. */
  public static ByteBuffer encode(DeletedPositions positions) {
    throw new UnsupportedOperationException();
  }
}
