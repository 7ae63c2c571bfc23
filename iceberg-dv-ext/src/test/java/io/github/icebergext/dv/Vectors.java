package io.github.icebergext.dv;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.Random;
import java.util.TreeSet;
import java.util.zip.CRC32;
import org.apache.iceberg.deletes.Deletes;
import org.apache.iceberg.deletes.PositionDeleteIndex;
import org.apache.iceberg.io.CloseableIterable;

/** Vectors by Iceberg's own classes, and by hand. */
final class Vectors {
  private Vectors() {}

  /** Returns the blob that Iceberg writes for positions added one by one in ascending order. */
  static byte[] icebergBlob(NavigableSet<Long> positions) {
    PositionDeleteIndex index =
        Deletes.toPositionIndex(CloseableIterable.withNoopClose(List.copyOf(positions)));
    return bytes(index.serialize());
  }

  static byte[] bytes(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.duplicate().get(bytes);
    return bytes;
  }

  static DeletedPositions of(Iterable<Long> positions) {
    DeletedPositions.Builder builder = DeletedPositions.builder();
    positions.forEach(builder::add);
    return builder.build();
  }

  static List<Long> list(DeletedPositions positions) {
    List<Long> list = new ArrayList<>();
    positions.forEach(list::add);
    return list;
  }

  /** Puts length, magic and checksum around a vector given in hexadecimal; spaces are ignored. */
  static byte[] blob(String hexVector) {
    return blob(hex(hexVector));
  }

  static byte[] blob(byte[] vector) {
    ByteBuffer blob = ByteBuffer.allocate(vector.length + 12);
    blob.putInt(vector.length + 4).putInt(0xD1D33964).put(vector);
    CRC32 crc = new CRC32();
    crc.update(blob.array(), 4, vector.length + 4);
    return blob.putInt((int) crc.getValue()).array();
  }

  static byte[] hex(String hex) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    String digits = hex.replaceAll("\\s", "");
    for (int i = 0; i < digits.length(); i += 2) {
      out.write(Integer.parseInt(digits.substring(i, i + 2), 16));
    }
    return out.toByteArray();
  }

  /** The kinds of content that a container of 65,536 positions may have. */
  enum Shape {
    NONE {
      @Override
      void add(Random random, long base, NavigableSet<Long> positions) {}
    },
    ONE {
      @Override
      void add(Random random, long base, NavigableSet<Long> positions) {
        positions.add(base + random.nextInt(1 << 16));
      }
    },
    SPARSE {
      @Override
      void add(Random random, long base, NavigableSet<Long> positions) {
        scatter(random, base, 1 + random.nextInt(200), positions);
      }
    },
    NEAR_ARRAY_LIMIT {
      @Override
      void add(Random random, long base, NavigableSet<Long> positions) {
        int cardinality = 4095 + random.nextInt(3);
        int before = positions.size();
        while (positions.size() < before + cardinality) {
          positions.add(base + random.nextInt(1 << 16));
        }
      }
    },
    DENSE {
      @Override
      void add(Random random, long base, NavigableSet<Long> positions) {
        scatter(random, base, 5000 + random.nextInt(4000), positions);
      }
    },
    FEW_RUNS {
      @Override
      void add(Random random, long base, NavigableSet<Long> positions) {
        int runs = 1 + random.nextInt(5);
        for (int i = 0; i < runs; i++) {
          run(random.nextInt(1 << 16), 1 + random.nextInt(1500), base, positions);
        }
      }
    },
    /** Runs for which a run container and an array have equal or nearly equal size. */
    TIES {
      @Override
      void add(Random random, long base, NavigableSet<Long> positions) {
        int at = random.nextInt(1000);
        int runs = 1 + random.nextInt(60);
        for (int i = 0; i < runs; i++) {
          int length = 1 + random.nextInt(3);
          run(at, length, base, positions);
          at += length + 1 + random.nextInt(20);
        }
        run(at, random.nextInt(4), base, positions);
      }
    },
    /** About 2,047 runs, where a run container and a bitset have nearly equal size. */
    RUNS_LIKE_A_BITSET {
      @Override
      void add(Random random, long base, NavigableSet<Long> positions) {
        int runs = 2045 + random.nextInt(5);
        for (int i = 0; i < runs; i++) {
          run(i * 32, 3 + random.nextInt(5), base, positions);
        }
      }
    },
    EDGES {
      @Override
      void add(Random random, long base, NavigableSet<Long> positions) {
        positions.add(base);
        positions.add(base + 0xFFFF);
      }
    },
    FULL {
      @Override
      void add(Random random, long base, NavigableSet<Long> positions) {
        run(0, 1 << 16, base, positions);
      }
    },
    ALL_BUT_ONE {
      @Override
      void add(Random random, long base, NavigableSet<Long> positions) {
        run(0, 1 << 16, base, positions);
        positions.remove(base + random.nextInt(1 << 16));
      }
    };

    abstract void add(Random random, long base, NavigableSet<Long> positions);

    private static void scatter(Random random, long base, int count, NavigableSet<Long> positions) {
      for (int i = 0; i < count; i++) {
        positions.add(base + random.nextInt(1 << 16));
      }
    }

    private static void run(int start, int length, long base, NavigableSet<Long> positions) {
      for (int i = start; i < Math.min(start + length, 1 << 16); i++) {
        positions.add(base + i);
      }
    }
  }

  /** Returns positions in a few containers of random shapes, all with keys from 0 on. */
  static NavigableSet<Long> random(Random random) {
    NavigableSet<Long> positions = new TreeSet<>();
    int containers = 1 + random.nextInt(6);
    long prefix = random.nextInt(3) == 0 ? (1L << 16) - 2 : random.nextInt(3);
    for (int i = 0; i < containers; i++) {
      // The large shapes cost most of the time and need fewer repetitions.
      Shape shape = Shape.values()[random.nextInt(Shape.values().length)];
      if (shape.ordinal() >= Shape.RUNS_LIKE_A_BITSET.ordinal() && random.nextInt(4) != 0) {
        shape = Shape.SPARSE;
      }
      shape.add(random, prefix << 16, positions);
      prefix += random.nextInt(3) == 0 ? 1 + random.nextInt(5) : 1;
    }
    if (!positions.isEmpty() && positions.first() >= 1L << 32) {
      positions.add(7L);
    }
    return positions;
  }
}
