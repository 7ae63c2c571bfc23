package io.github.icebergext.benchmarks.read;

import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.dv.read.DeletionVectorReader;
import io.github.icebergext.dv.read.ReadVector;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.data.BaseDeleteLoader;
import org.apache.iceberg.data.DeleteLoader;
import org.apache.iceberg.deletes.PositionDeleteIndex;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.FileIO;

/**
 * Both libraries' ways to read many vectors, each with eight threads. Ours starts them for every
 * batch, as it does for a caller who gives none. Iceberg's loader uses no threads for vectors, so
 * that it is called from eight, which wait for it.
 */
final class Readers implements AutoCloseable {
  private static final int THREADS = 8;

  private final List<DeleteFile> entries;
  private final DeletionVectorReader reader;
  private final DeleteLoader loader;
  private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);

  Readers(FileIO io, List<DeleteFile> entries) {
    this.entries = entries;
    this.reader = DeletionVectorReader.builder(io).withParallelism(THREADS).build();
    this.loader = new BaseDeleteLoader(io::newInputFile);
  }

  /** Reads all vectors with the full check. */
  List<DeletedPositions> ours() throws IOException {
    List<DeletedPositions> all = new ArrayList<>(entries.size());
    try (CloseableIterable<ReadVector> vectors = reader.readAll(entries)) {
      vectors.forEach(vector -> all.add(vector.positions()));
    }
    return all;
  }

  /** Reads all vectors, each when a thread is free. */
  List<PositionDeleteIndex> iceberg() throws InterruptedException, ExecutionException {
    List<Future<PositionDeleteIndex>> started = new ArrayList<>(entries.size());
    for (DeleteFile entry : entries) {
      started.add(threads.submit(() -> load(entry)));
    }
    List<PositionDeleteIndex> all = new ArrayList<>(entries.size());
    for (Future<PositionDeleteIndex> vector : started) {
      all.add(vector.get());
    }
    return all;
  }

  private PositionDeleteIndex load(DeleteFile entry) {
    return loader.loadPositionDeletes(List.of(entry), entry.referencedDataFile());
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
