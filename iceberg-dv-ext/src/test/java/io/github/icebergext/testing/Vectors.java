package io.github.icebergext.testing;

import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.dv.DeletionVectorCodec;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import java.util.zip.CRC32;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileMetadata;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.deletes.Deletes;
import org.apache.iceberg.deletes.PositionDeleteIndex;
import org.apache.iceberg.io.CloseableIterable;

/** Vectors by Iceberg's own classes, by hand, and at random. */
public final class Vectors {
  private static final int SPAN = 1 << 16;

  private Vectors() {}

  /** Returns the blob that Iceberg writes for positions added one by one in ascending order. */
  public static byte[] icebergBlob(long... ascending) {
    PositionDeleteIndex index = Deletes.toPositionIndex(CloseableIterable.empty());
    for (long position : ascending) {
      index.delete(position);
    }
    return bytes(index.serialize());
  }

  /** Returns the positions that Iceberg reads from a blob. */
  public static long[] icebergPositions(byte[] blob, long cardinality) {
    LongStream.Builder positions = LongStream.builder();
    PositionDeleteIndex.deserialize(blob, deleteFile(blob.length, cardinality))
        .forEach(positions::add);
    return positions.build().toArray();
  }

  public static DeleteFile deleteFile(long blobLength, long cardinality) {
    return FileMetadata.deleteFileBuilder(PartitionSpec.unpartitioned())
        .ofPositionDeletes()
        .withFormat(FileFormat.PUFFIN)
        .withPath("deletes.puffin")
        .withFileSizeInBytes(blobLength + 100)
        .withReferencedDataFile("data.parquet")
        .withContentOffset(4)
        .withContentSizeInBytes(blobLength)
        .withRecordCount(cardinality)
        .build();
  }

  public static byte[] bytes(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.duplicate().get(bytes);
    return bytes;
  }

  public static byte[] encode(DeletedPositions positions) {
    return bytes(DeletionVectorCodec.encode(positions));
  }

  public static long[] positions(DeletedPositions positions) {
    LongStream.Builder builder = LongStream.builder();
    positions.forEach(builder::add);
    return builder.build().toArray();
  }

  /** Puts length, magic and checksum around a vector given in hexadecimal; spaces are ignored. */
  public static byte[] blob(String hexVector) {
    return blob(hex(hexVector));
  }

  public static byte[] blob(byte[] vector) {
    return frame(0xD1D33964, vector);
  }

  /** Puts length, magic and checksum around bytes. */
  public static byte[] frame(int magic, byte[] vector) {
    ByteBuffer blob = ByteBuffer.allocate(vector.length + 12);
    blob.putInt(vector.length + 4).putInt(magic).put(vector);
    CRC32 crc = new CRC32();
    crc.update(blob.array(), 4, vector.length + 4);
    return blob.putInt((int) crc.getValue()).array();
  }

  public static byte[] hex(String hex) {
    return HexFormat.of().parseHex(hex.replaceAll("\\s", ""));
  }

  /** The kinds of content that a container of 65,536 positions may have. */
  public enum Shape {
    NONE {
      @Override
      void add(Random random, BitSet values) {}
    },
    ONE {
      @Override
      void add(Random random, BitSet values) {
        values.set(random.nextInt(SPAN));
      }
    },
    SPARSE {
      @Override
      void add(Random random, BitSet values) {
        scatter(random, 1 + random.nextInt(200), values);
      }
    },
    /** 4,095 to 4,097 values: on both sides of the largest array. */
    ARRAY_LIMIT {
      @Override
      void add(Random random, BitSet values) {
        scatter(random, 4095 + random.nextInt(3), values);
      }
    },
    DENSE {
      @Override
      void add(Random random, BitSet values) {
        scatter(random, 5000 + random.nextInt(4000), values);
      }
    },
    FEW_RUNS {
      @Override
      void add(Random random, BitSet values) {
        int runs = 1 + random.nextInt(5);
        for (int i = 0; i < runs; i++) {
          run(random.nextInt(SPAN), 1 + random.nextInt(1500), values);
        }
      }
    },
    /** Runs that take as much as an array of their values, or nearly. */
    RUNS_LIKE_AN_ARRAY {
      @Override
      void add(Random random, BitSet values) {
        int at = random.nextInt(1000);
        int runs = 1 + random.nextInt(60);
        for (int i = 0; i < runs; i++) {
          int length = 1 + random.nextInt(3);
          run(at, length, values);
          at += length + 1 + random.nextInt(20);
        }
        run(at, random.nextInt(4), values);
      }
    },
    /** 2,045 to 2,049 runs: 2,047 take less than a bitset, and 2,048 more. */
    RUNS_LIKE_A_BITSET {
      @Override
      void add(Random random, BitSet values) {
        int runs = 2045 + random.nextInt(4);
        for (int i = 0; i < runs; i++) {
          run(i * 31, 3 + random.nextInt(5), values);
        }
      }
    },
    EDGES {
      @Override
      void add(Random random, BitSet values) {
        values.set(0);
        values.set(SPAN - 1);
      }
    },
    FULL {
      @Override
      void add(Random random, BitSet values) {
        values.set(0, SPAN);
      }
    },
    ALL_BUT_ONE {
      @Override
      void add(Random random, BitSet values) {
        values.set(0, SPAN);
        values.clear(random.nextInt(SPAN));
      }
    };

    abstract void add(Random random, BitSet values);

    private static void scatter(Random random, int cardinality, BitSet values) {
      int missing = cardinality;
      while (missing > 0) {
        int value = random.nextInt(SPAN);
        missing -= values.get(value) ? 0 : 1;
        values.set(value);
      }
    }

    private static void run(int start, int length, BitSet values) {
      values.set(start, Math.min(start + length, SPAN));
    }
  }

  /** Returns ascending positions of one shape, in the container that begins at {@code base}. */
  public static long[] ofShape(Shape shape, Random random, long base) {
    BitSet values = new BitSet(SPAN);
    shape.add(random, values);
    return values.stream().mapToLong(value -> base + value).toArray();
  }

  /**
   * Returns ascending positions in a few containers of random shapes, often across 2^32. Key 0 has
   * positions whenever key 1 has, so that Iceberg writes no empty bitmap.
   */
  public static long[] random(Random random) {
    List<long[]> parts = new ArrayList<>();
    boolean high = random.nextInt(3) == 0;
    long prefix = high ? (1L << 16) - 2 : random.nextInt(3);
    if (high) {
      parts.add(new long[] {random.nextInt(1000)});
    }
    int containers = 1 + random.nextInt(6);
    for (int i = 0; i < containers; i++) {
      parts.add(ofShape(shape(random), random, prefix << 16));
      prefix += random.nextInt(3) == 0 ? 1 + random.nextInt(5) : 1;
    }
    return parts.stream().flatMapToLong(Arrays::stream).toArray();
  }

  /** Shapes of many positions take most of the time and need fewer repetitions. */
  private static Shape shape(Random random) {
    Shape shape = Shape.values()[random.nextInt(Shape.values().length)];
    boolean large = shape.compareTo(Shape.EDGES) > 0;
    return large && random.nextInt(4) != 0 ? Shape.SPARSE : shape;
  }
}
