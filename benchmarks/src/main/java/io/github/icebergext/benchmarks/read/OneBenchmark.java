package io.github.icebergext.benchmarks.read;

import io.github.icebergext.benchmarks.ComparedBenchmark;
import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.dv.read.DeletionVectorReader;
import io.github.icebergext.dv.read.FooterCache;
import io.github.icebergext.dv.read.ReadCheck;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.data.BaseDeleteLoader;
import org.apache.iceberg.data.DeleteLoader;
import org.apache.iceberg.deletes.PositionDeleteIndex;
import org.apache.iceberg.io.FileIO;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Reads one vector of 2 KB, the first of as many in its file as the shape says: the one farthest
 * from the footer.
 */
@Warmup(iterations = 10, time = 500, timeUnit = TimeUnit.MILLISECONDS)
public abstract class OneBenchmark extends ComparedBenchmark {
  @Param({"1", "50"})
  public int shape;

  private FileIO io = SimulatedStore.of(Vectors.none().files());
  private DeletionVectorReader full = DeletionVectorReader.builder(io).build();
  private DeletionVectorReader unchecked = full;
  private DeletionVectorReader caching = full;
  private DeleteLoader loader = new BaseDeleteLoader(io::newInputFile);
  private List<DeleteFile> entries = List.of();

  /** Writes the file. */
  @Setup
  public void prepare() throws IOException {
    Vectors vectors = Vectors.of(folder(), 1, shape, Vectors.FEW_DELETED_ROWS).onlyFirst();
    entries = vectors.entries();
    io = storage(vectors);
    full = DeletionVectorReader.builder(io).build();
    unchecked = DeletionVectorReader.builder(io).withCheck(ReadCheck.ENTRY).build();
    caching =
        DeletionVectorReader.builder(io).withFooterCache(FooterCache.ofMaxBytes(1 << 20)).build();
    loader = new BaseDeleteLoader(io::newInputFile);
  }

  abstract String folder() throws IOException;

  abstract FileIO storage(Vectors vectors) throws IOException;

  /** Reads it with the full check. */
  @Benchmark
  public DeletedPositions ours() {
    return full.read(entries.get(0));
  }

  /** Reads it with the full check, its footer once for all times. */
  @Benchmark
  public DeletedPositions oursWithFooterCache() {
    return caching.read(entries.get(0));
  }

  /** Reads it without looking at the footer, as Iceberg does. */
  @Benchmark
  public DeletedPositions oursAgainstEntry() {
    return unchecked.read(entries.get(0));
  }

  /** Reads it and looks at nothing but its number of positions. */
  @Benchmark
  public PositionDeleteIndex iceberg() {
    return loader.loadPositionDeletes(entries, entries.get(0).referencedDataFile());
  }
}
