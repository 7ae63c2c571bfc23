package io.github.icebergext.dv;

/** Delta Lake's deletion vectors. */
final class DeltaVectorCodec {
  /** D0 D3 39 64, read as a big-endian number: the little-endian 1681511376. */
  static final int NATIVE_MAGIC = 0xD0D33964;

  /** 64 39 D3 D0: the native magic in the byte order of the protocol's inline example. */
  static final int NATIVE_MAGIC_REVERSED = 0x6439D3D0;

  private DeltaVectorCodec() {}
}
