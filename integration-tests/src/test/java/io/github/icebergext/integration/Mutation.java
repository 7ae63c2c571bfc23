package io.github.icebergext.integration;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.CRC32;

/** Ways to spoil bytes, the same for the same random numbers. */
enum Mutation {
  FLIP_A_BIT {
    @Override
    byte[] apply(byte[] bytes, Random random) {
      bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
      return bytes;
    }
  },
  SET_A_BYTE {
    @Override
    byte[] apply(byte[] bytes, Random random) {
      bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
      return bytes;
    }
  },
  SET_A_NUMBER {
    @Override
    byte[] apply(byte[] bytes, Random random) {
      int width = random.nextBoolean() ? Integer.BYTES : Long.BYTES;
      if (bytes.length >= width) {
        ByteBuffer number = ByteBuffer.wrap(bytes).order(order(random));
        int at = random.nextInt(bytes.length - width + 1);
        long value = TELLING_NUMBERS[random.nextInt(TELLING_NUMBERS.length)];
        if (width == Integer.BYTES) {
          number.putInt(at, (int) value);
        } else {
          number.putLong(at, value);
        }
      }
      return bytes;
    }
  },
  SET_A_DIGIT {
    @Override
    byte[] apply(byte[] bytes, Random random) {
      int start = random.nextInt(bytes.length);
      for (int i = start; i < bytes.length; i++) {
        if (bytes[i] >= '0' && bytes[i] <= '9') {
          bytes[i] = (byte) ('0' + random.nextInt(10));
          return bytes;
        }
      }
      return bytes;
    }
  },
  CUT {
    @Override
    byte[] apply(byte[] bytes, Random random) {
      return Arrays.copyOf(bytes, random.nextInt(bytes.length));
    }
  },
  REMOVE {
    @Override
    byte[] apply(byte[] bytes, Random random) {
      int from = random.nextInt(bytes.length);
      int to = Math.min(bytes.length, from + 1 + random.nextInt(64));
      return splice(bytes, from, to, new byte[0]);
    }
  },
  INSERT {
    @Override
    byte[] apply(byte[] bytes, Random random) {
      byte[] added = new byte[1 + random.nextInt(64)];
      random.nextBytes(added);
      int at = random.nextInt(bytes.length);
      return splice(bytes, at, at, added);
    }
  },
  REPEAT {
    @Override
    byte[] apply(byte[] bytes, Random random) {
      int from = random.nextInt(bytes.length);
      int to = Math.min(bytes.length, from + 1 + random.nextInt(64));
      return splice(bytes, to, to, Arrays.copyOfRange(bytes, from, to));
    }
  };

  private static final long[] TELLING_NUMBERS = {
    0,
    1,
    -1,
    0x7F,
    0x80,
    0xFFFF,
    0x10000,
    1 << 24,
    Integer.MAX_VALUE,
    Integer.MAX_VALUE - 1,
    Integer.MIN_VALUE,
    1L << 32,
    Long.MAX_VALUE,
    Long.MIN_VALUE
  };

  private static final Mutation[] ALL = values();

  abstract byte[] apply(byte[] bytes, Random random);

  /** Spoils a copy of {@code bytes} in one way, or in up to four. */
  static byte[] mutate(byte[] bytes, Random random) {
    byte[] mutated = bytes.clone();
    int ways = random.nextBoolean() ? 1 : 1 + random.nextInt(4);
    for (int i = 0; i < ways && mutated.length > 0; i++) {
      mutated = ALL[random.nextInt(ALL.length)].apply(mutated, random);
    }
    return mutated;
  }

  /**
   * Makes length prefix and checksum of a vector right again, so that what follows them is read.
   */
  static byte[] sealVector(byte[] vector) {
    if (vector.length >= 3 * Integer.BYTES) {
      int body = vector.length - 2 * Integer.BYTES;
      CRC32 crc = new CRC32();
      crc.update(vector, Integer.BYTES, body);
      ByteBuffer.wrap(vector).putInt(0, body).putInt(Integer.BYTES + body, (int) crc.getValue());
    }
    return vector;
  }

  private static ByteOrder order(Random random) {
    return random.nextBoolean() ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN;
  }

  private static byte[] splice(byte[] bytes, int from, int to, byte[] middle) {
    return ByteBuffer.allocate(bytes.length - (to - from) + middle.length)
        .put(bytes, 0, from)
        .put(middle)
        .put(bytes, to, bytes.length - to)
        .array();
  }
}
