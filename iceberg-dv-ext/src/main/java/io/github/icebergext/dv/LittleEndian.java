package io.github.icebergext.dv;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;

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

  /** Writes all of {@code values} from {@code at} on. */
  static void putI64s(byte[] bytes, int at, long[] values) {
    ByteBuffer.wrap(bytes, at, values.length * Long.BYTES)
        .slice()
        .order(LITTLE_ENDIAN)
        .asLongBuffer()
        .put(values);
  }

  /** Writes the first {@code count} of {@code values} from {@code at} on. */
  static void putU16s(byte[] bytes, int at, char[] values, int count) {
    ByteBuffer.wrap(bytes, at, count * Character.BYTES)
        .slice()
        .order(LITTLE_ENDIAN)
        .asCharBuffer()
        .put(values, 0, count);
  }

  /** Reads {@code count} 64-bit numbers from {@code at} on. */
  static void i64s(byte[] bytes, int at, long[] values, int count) {
    ByteBuffer.wrap(bytes, at, count * Long.BYTES)
        .slice()
        .order(LITTLE_ENDIAN)
        .asLongBuffer()
        .get(values, 0, count);
  }

  /** Reads {@code count} unsigned 16-bit numbers from {@code at} on. */
  static void u16s(byte[] bytes, int at, char[] values, int count) {
    ByteBuffer.wrap(bytes, at, count * Character.BYTES)
        .slice()
        .order(LITTLE_ENDIAN)
        .asCharBuffer()
        .get(values, 0, count);
  }
}
