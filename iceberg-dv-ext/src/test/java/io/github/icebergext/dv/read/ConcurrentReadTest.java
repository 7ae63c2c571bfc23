package io.github.icebergext.dv.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.testing.RecordingFileIO;
import io.github.icebergext.testing.TestPuffin;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.io.CloseableIterable;
import org.junit.jupiter.api.Test;

/**
 * Sixteen threads that share a reader and its caches, read one by one and in batches, and close
 * batches early, for {@code -Dconcurrent.read.millis} (1,000 by default).
 */
class ConcurrentReadTest {
  private static final int THREADS = 16;
  private static final long MILLIS = Long.getLong("concurrent.read.millis", 1000);

  private final RecordingFileIO io = RecordingFileIO.rangeReadable();
  private final List<DeleteFile> entries = new ArrayList<>();

  /** Vector i deletes row i, so that a wrong one is seen. */
  private void store() {
    for (int file = 0; file < 20; file++) {
      TestPuffin puffin = new TestPuffin("s3://bucket/" + file);
      for (int i = 0; i < 20; i++) {
        puffin.vector("data-" + entries.size() + "-" + i, file * 20L + i);
        if (i % 7 == 0) {
          puffin.padding(300_000);
        }
      }
      entries.addAll(puffin.store(io));
    }
  }

  private static void assertRight(DeleteFile entry, DeletedPositions positions) {
    String[] name = entry.referencedDataFile().split("-", -1);
    assertThat(positions.firstPosition())
        .isEqualTo(Long.parseLong(name[1]) + Long.parseLong(name[2]));
    assertThat(positions.cardinality()).isOne();
  }

  @Test
  void noStreamLeaksAndNoVectorIsWrong() throws InterruptedException, ExecutionException {
    store();
    DeletionVectorReader plain = DeletionVectorReader.builder(io).build();
    DeletionVectorReader caching =
        DeletionVectorReader.builder(io)
            .withVectorCache(DeletionVectorCache.ofMaxBytes(50_000))
            .withFooterCache(FooterCache.ofMaxBytes(50_000))
            .withParallelism(4)
            .build();
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(MILLIS);
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    try {
      List<Future<Integer>> reads = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        Random random = new Random(i);
        DeletionVectorReader reader = i % 2 == 0 ? plain : caching;
        reads.add(threads.submit(reading(reader, random, end)));
      }
      for (Future<Integer> read : reads) {
        assertThat(read.get()).isPositive();
      }
    } finally {
      threads.shutdown();
    }
    io.awaitClosedStreams();
  }

  private Callable<Integer> reading(DeletionVectorReader reader, Random random, long end) {
    return () -> {
      int vectors = 0;
      while (System.nanoTime() < end) {
        vectors += random.nextInt(4) == 0 ? readOne(reader, random) : readSome(reader, random);
      }
      return vectors;
    };
  }

  private int readOne(DeletionVectorReader reader, Random random) {
    DeleteFile entry = entries.get(random.nextInt(entries.size()));
    assertRight(entry, reader.read(entry));
    return 1;
  }

  private int readSome(DeletionVectorReader reader, Random random) throws IOException {
    int start = random.nextInt(entries.size());
    int stop = random.nextInt(entries.size());
    int vectors = 0;
    try (CloseableIterable<ReadVector> batch =
        reader.readAll(entries.subList(start, entries.size()))) {
      for (ReadVector vector : batch) {
        assertRight(vector.deleteFile(), vector.positions());
        if (vectors++ == stop) {
          break;
        }
      }
    }
    return vectors;
  }
}
