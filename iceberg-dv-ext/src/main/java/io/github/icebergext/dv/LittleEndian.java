package io.github.icebergext.dv;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** Reads and writes little-endian numbers in byte arrays, at any alignment. */
final class LittleEndian {
  private static final VarHandle SHORTS =
      MethodHandles.byteArrayViewVarHandle(short[].class, LITTLE_ENDIAN);
  private static final VarHandle INTS =
      MethodHandles.byteArrayViewVarHandle(int[].class, LITTLE_ENDIAN);
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, LITTLE_ENDIAN);

  private LittleEndian() {}

  /** Returns the unsigned 16-bit number at {@code at}. */
  static int u16(byte[] bytes, int at) {
    return (short) SHORTS.get(bytes, at) & 0xFFFF;
  }

  static int i32(byte[] bytes, int at) {
    return (int) INTS.get(bytes, at);
  }

  static long i64(byte[] bytes, int at) {
    return (long) LONGS.get(bytes, at);
  }

  /** Writes the low 16 bits of {@code value}. */
  static void putU16(byte[] bytes, int at, int value) {
    SHORTS.set(bytes, at, (short) value);
  }

  static void putI32(byte[] bytes, int at, int value) {
    INTS.set(bytes, at, value);
  }

  static void putI64(byte[] bytes, int at, long value) {
    LONGS.set(bytes, at, value);
  }
}
