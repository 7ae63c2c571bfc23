package io.github.icebergext.integration;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.dv.DeletionVectorCodec;
import io.github.icebergext.dv.read.DeletionVectorReader;
import io.github.icebergext.puffin.Container;
import io.github.icebergext.puffin.PuffinCompression;
import io.github.icebergext.puffin.PuffinFileReader;
import io.github.icebergext.puffin.PuffinFileWriter;
import io.github.icebergext.puffin.PuffinFooter;
import io.github.icebergext.puffin.PuffinFormatException;
import io.github.icebergext.puffin.PuffinLimits;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.iceberg.inmemory.InMemoryFileIO;
import org.apache.iceberg.inmemory.InMemoryInputFile;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.puffin.Blob;
import org.apache.iceberg.puffin.BlobMetadata;
import org.apache.iceberg.puffin.PuffinCompressionCodec;
import org.apache.iceberg.puffin.StandardBlobTypes;
import org.apache.iceberg.util.Pair;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * 100 MB of random and spoiled input through every public entry point that takes bytes: each call
 * succeeds or throws this library's exception, and allocates no more than a constant and a small
 * multiple of its input either way.
 */
class WholeFileFuzzTest {
  private static final long BYTES_PER_KIND = 20_000_000;

  /**
   * What {@link PuffinLimits#maxDecompressionRatio()} lets any blob decompress to, 1 MiB, and as
   * much again for the tables of decoders.
   */
  private static final long CONSTANT = 2 << 20;

  /** Requests that were merged are copied apart, and a footer becomes objects. */
  private static final long MULTIPLE = 8;

  private static final PuffinLimits LIMITS =
      PuffinLimits.builder().maxDecompressedBytes(1 << 20).build();

  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  @ParameterizedTest
  @EnumSource
  void everyInputIsReadOrRefused(Kind kind) {
    List<byte[]> seeds = kind.seeds(new Random(1));
    long bytes = 0;
    int refused = 0;
    for (long seed = 0; bytes < BYTES_PER_KIND; seed++) {
      Random random = new Random(seed);
      byte[] input = kind.spoil(seeds.get(random.nextInt(seeds.size())), random);
      refused += feed(kind, seed, input);
      bytes += input.length;
    }
    assertThat(refused).isPositive();
  }

  /** Feeds one input to all entry points and returns how many refused it. */
  private static int feed(Kind kind, long seed, byte[] input) {
    int refused = 0;
    for (EntryPoint entryPoint : EntryPoint.values()) {
      Budget budget = new Budget(kind + " " + seed + " to " + entryPoint, input);
      try {
        entryPoint.read(input, budget);
      } catch (PuffinFormatException e) {
        budget.check();
        assertThat(e.getMessage()).isNotBlank();
        refused++;
      } catch (Exception | OutOfMemoryError | StackOverflowError e) {
        throw new AssertionError(kind + " " + seed + " to " + entryPoint, e);
      }
    }
    return refused;
  }

  /** What is spoiled. */
  enum Kind {
    RANDOM_BYTES {
      @Override
      List<byte[]> seeds(Random random) {
        return List.of(new byte[0]);
      }

      @Override
      byte[] spoil(byte[] seed, Random random) {
        byte[] bytes = new byte[random.nextInt(1 << (1 + random.nextInt(18)))];
        random.nextBytes(bytes);
        return bytes;
      }
    },
    PUFFIN_FILE {
      @Override
      List<byte[]> seeds(Random random) {
        List<byte[]> files = new ArrayList<>();
        for (PuffinCompressionCodec codec : PuffinCompressionCodec.values()) {
          files.add(puffinFile(random, codec, false));
          files.add(puffinFile(random, codec, true));
        }
        return files;
      }
    },
    VECTOR {
      @Override
      List<byte[]> seeds(Random random) {
        return vectors(random);
      }
    },
    /** The checksum is right, so that all that comes after it is read. */
    SEALED_VECTOR {
      @Override
      List<byte[]> seeds(Random random) {
        return vectors(random);
      }

      @Override
      byte[] spoil(byte[] seed, Random random) {
        return Mutation.sealVector(Mutation.mutate(seed, random));
      }
    },
    COMPRESSED_BYTES {
      @Override
      List<byte[]> seeds(Random random) {
        List<byte[]> frames = new ArrayList<>();
        for (int size : new int[] {0, 10, 1000, 100_000}) {
          for (PuffinCompressionCodec codec :
              List.of(PuffinCompressionCodec.LZ4, PuffinCompressionCodec.ZSTD)) {
            frames.add(bytes(PuffinCompression.compress(codec, text(random, size))));
          }
        }
        return frames;
      }
    };

    abstract List<byte[]> seeds(Random random);

    byte[] spoil(byte[] seed, Random random) {
      return Mutation.mutate(seed, random);
    }
  }

  /** What takes bytes that nobody vouches for. */
  private enum EntryPoint {
    DETECT {
      @Override
      void read(byte[] input, Budget budget) {
        ByteBuffer bytes = ByteBuffer.wrap(input);
        Container container = Container.detect(bytes, bytes, input.length);
        budget.check();
        assertThat(container).isNotNull();
      }
    },
    FOOTER {
      @Override
      void read(byte[] input, Budget budget) {
        ByteBuffer bytes = ByteBuffer.wrap(input);
        PuffinFooter.sizeInBytes("memory:/x", bytes, input.length, LIMITS);
        PuffinFooter footer = PuffinFooter.parse("memory:/x", bytes, input.length, LIMITS);
        budget.check();
        assertThat(footer.toBytes().remaining()).isPositive();
      }
    },
    DECOMPRESS_LZ4 {
      @Override
      void read(byte[] input, Budget budget) {
        PuffinCompression.decompress(PuffinCompressionCodec.LZ4, ByteBuffer.wrap(input), LIMITS);
        budget.check();
      }
    },
    DECOMPRESS_ZSTD {
      @Override
      void read(byte[] input, Budget budget) {
        PuffinCompression.decompress(PuffinCompressionCodec.ZSTD, ByteBuffer.wrap(input), LIMITS);
        budget.check();
      }
    },
    DECOMPRESS_NONE {
      @Override
      void read(byte[] input, Budget budget) {
        PuffinCompression.decompress(PuffinCompressionCodec.NONE, ByteBuffer.wrap(input), LIMITS);
        budget.check();
      }
    },
    VERIFY_FILE {
      @Override
      void read(byte[] input, Budget budget) {
        try (PuffinFileReader reader = reader(input)) {
          reader.verify();
          budget.check();
        }
      }
    },
    /** Blobs may overlap, so that each has a budget of its own. */
    READ_BLOBS {
      @Override
      void read(byte[] input, Budget budget) throws IOException {
        try (PuffinFileReader reader = reader(input);
            CloseableIterable<Pair<BlobMetadata, ByteBuffer>> blobs =
                reader.readAll(reader.footer().blobs())) {
          budget.check();
          Iterator<Pair<BlobMetadata, ByteBuffer>> iterator = blobs.iterator();
          while (iterator.hasNext()) {
            budget.restart();
            iterator.next();
            budget.check();
          }
        }
      }
    },
    READ_BLOB {
      @Override
      void read(byte[] input, Budget budget) {
        try (PuffinFileReader reader = reader(input)) {
          for (BlobMetadata blob : reader.footer().blobs()) {
            budget.restart();
            reader.read(blob);
            budget.check();
          }
        }
      }
    },
    DECODE {
      @Override
      void read(byte[] input, Budget budget) {
        DeletedPositions positions = DeletionVectorCodec.decode(ByteBuffer.wrap(input));
        budget.check();
        assertThat(positions.isEmpty()).isEqualTo(positions.cardinality() == 0);
      }
    },
    READ_VECTOR {
      @Override
      void read(byte[] input, Budget budget) {
        DeletionVectorReader.builder(new InMemoryFileIO())
            .build()
            .read(new InMemoryInputFile("memory:/x", input), 0, input.length);
        budget.check();
      }
    };

    abstract void read(byte[] input, Budget budget) throws IOException;

    private static PuffinFileReader reader(byte[] input) {
      return PuffinFileReader.read(new InMemoryInputFile("memory:/x", input))
          .withLimits(LIMITS)
          .build();
    }
  }

  /** What a call may allocate, counted from when this was made. */
  private static final class Budget {
    private final String name;
    private final long limit;
    private long start;

    Budget(String name, byte[] input) {
      this.name = name;
      this.limit = CONSTANT + MULTIPLE * input.length;
      restart();
    }

    void restart() {
      start = THREADS.getCurrentThreadAllocatedBytes();
    }

    void check() {
      long allocated = THREADS.getCurrentThreadAllocatedBytes() - start;
      if (allocated > limit) {
        throw new AssertionError(name + " allocated " + allocated + " bytes, limit " + limit);
      }
    }
  }

  private static byte[] puffinFile(
      Random random, PuffinCompressionCodec codec, boolean footerCompressed) {
    InMemoryFileIO io = new InMemoryFileIO();
    String location = "memory:/" + codec + (footerCompressed ? "-footer" : "");
    PuffinFileWriter.Builder builder =
        PuffinFileWriter.write(io.newOutputFile(location), io).createdBy("fuzz");
    try (PuffinFileWriter writer =
        (footerCompressed ? builder.compressFooter() : builder).build()) {
      for (byte[] vector : vectors(random)) {
        writer.write(
            blob(StandardBlobTypes.DV_V1, ByteBuffer.wrap(vector), PuffinCompressionCodec.NONE));
        writer.write(blob("sketch", text(random, 1 + random.nextInt(2000)), codec));
      }
      writer.finish();
    }
    try (var stream = io.newInputFile(location).newStream()) {
      return stream.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Blob blob(String type, ByteBuffer content, PuffinCompressionCodec codec) {
    Map<String, String> properties = Map.of("referenced-data-file", "s3://b/ä", "cardinality", "1");
    return new Blob(type, List.of(1, 2), -1, -1, content, codec, properties);
  }

  /** Vectors with containers of every kind, and with several keys. */
  private static List<byte[]> vectors(Random random) {
    List<byte[]> vectors = new ArrayList<>();
    for (int shape = 0; shape < 16; shape++) {
      DeletedPositions.Builder builder = DeletedPositions.builder();
      for (long base : new long[] {0, 1L << 16, 1L << 32}) {
        if (random.nextBoolean()) {
          builder.addRange(base + random.nextInt(1000), base + 1000 + random.nextInt(1000));
        }
        for (int i = random.nextInt(4) == 0 ? 5000 : random.nextInt(50); i > 0; i--) {
          builder.add(base + random.nextInt(1 << 16));
        }
      }
      vectors.add(bytes(DeletionVectorCodec.encode(builder.build())));
    }
    return vectors;
  }

  private static ByteBuffer text(Random random, int size) {
    StringBuilder text = new StringBuilder();
    while (text.length() < size) {
      text.append(random.nextInt(100)).append(" words, ");
    }
    return ByteBuffer.wrap(
        Arrays.copyOf(text.toString().getBytes(StandardCharsets.US_ASCII), size));
  }

  private static byte[] bytes(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.duplicate().get(bytes);
    return bytes;
  }
}
