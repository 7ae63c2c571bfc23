package io.github.icebergext.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.dv.commit.RewrittenFilePolicy;
import io.github.icebergext.dv.read.DeletionVectorReader;
import io.github.icebergext.dv.table.LiveDeletes;
import io.github.icebergext.dv.write.CommittedVectors;
import io.github.icebergext.dv.write.DeletionVectorWriter;
import io.github.icebergext.dv.write.DroppedDeletes;
import io.github.icebergext.dv.write.FlushResult;
import io.github.icebergext.testing.RecordingFileIO;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.RewriteFiles;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.exceptions.ValidationException;
import org.apache.iceberg.inmemory.InMemoryCatalog;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Writers that delete rows of the same data files, while vectors and data files are compacted, lose
 * no delete and leave nothing behind. Rows stand in a model only: a data file is a list of IDs.
 *
 * <p>A run takes {@code race.seconds}, 2 by default, and then as long as it takes to read every
 * snapshot that the race left.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class ConcurrentCommitsTest {
  private static final long SECONDS = Long.getLong("race.seconds", 2);
  private static final TableIdentifier NAME = TableIdentifier.of("db", "table");
  private static final int FILES = 4;
  private static final int ROWS = 5000;

  private final InMemoryCatalog catalog = new InMemoryCatalog();
  private final RecordingFileIO storage = RecordingFileIO.rangeReadable();
  private final Map<String, long[]> ids = new ConcurrentHashMap<>();
  private final Set<Long> deleted = ConcurrentHashMap.newKeySet();
  private final AtomicInteger commits = new AtomicInteger();
  private final AtomicInteger vectorCompactions = new AtomicInteger();
  private final AtomicInteger dataCompactions = new AtomicInteger();
  private volatile long end;

  @BeforeEach
  void createTable() {
    catalog.initialize("race", Map.of());
    catalog.createNamespace(Namespace.of("db"));
    catalog.createTable(
        NAME,
        new Schema(Types.NestedField.required(1, "id", Types.LongType.get())),
        PartitionSpec.unpartitioned(),
        Map.of(
            TableProperties.FORMAT_VERSION, "3",
            TableProperties.MANIFEST_MIN_MERGE_COUNT, "5",
            TableProperties.COMMIT_MIN_RETRY_WAIT_MS, "1",
            TableProperties.COMMIT_MAX_RETRY_WAIT_MS, "20",
            TableProperties.METADATA_DELETE_AFTER_COMMIT_ENABLED, "true",
            TableProperties.METADATA_PREVIOUS_VERSIONS_MAX, "2"));
    for (int i = 0; i < FILES; i++) {
      DataFile dataFile = StoredTable.append(open(), "data-" + i, ROWS);
      ids.put(dataFile.location(), LongStream.range((long) i * ROWS, (i + 1L) * ROWS).toArray());
    }
    end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
  }

  @AfterEach
  void closeCatalog() throws IOException {
    catalog.close();
  }

  private Table open() {
    return StoredTable.in(storage, catalog.loadTable(NAME));
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 8})
  void noDeleteIsLost(int committers) throws Exception {
    List<Runnable> actors = new ArrayList<>();
    for (int i = 0; i < committers; i++) {
      Random random = new Random(i);
      actors.add(() -> deleteRows(open(), random));
    }
    actors.add(() -> repeat(open(), new Random(100), this::compactVector));
    actors.add(() -> repeat(open(), new Random(200), this::compactData));
    run(actors);

    Table table = open();
    assertThat(liveIds(table)).isEqualTo(expectedIds());
    for (Snapshot snapshot : table.snapshots()) {
      LiveDeletes live = LiveDeletes.of(table, snapshot);
      assertThat(live.duplicateVectors()).isEmpty();
      assertThat(live.danglingVectors()).isEmpty();
    }
    assertThat(storage.locations().stream().filter(location -> location.endsWith(".puffin")))
        .containsExactlyInAnyOrderElementsOf(StoredTable.puffins(table));
    assertThat(commits.get()).isGreaterThan(committers);
    assertThat(vectorCompactions.get() + dataCompactions.get()).isPositive();
  }

  private static void run(List<Runnable> actors) throws InterruptedException, ExecutionException {
    ExecutorService threads = Executors.newFixedThreadPool(actors.size());
    try {
      List<Future<?>> running = new ArrayList<>();
      actors.forEach(actor -> running.add(threads.submit(actor)));
      for (Future<?> actor : running) {
        actor.get();
      }
    } finally {
      threads.shutdownNow();
    }
  }

  private void deleteRows(Table table, Random random) {
    try (DeletionVectorWriter writer = DeletionVectorWriter.of(table, LiveDeletes.of(table))) {
      while (System.nanoTime() < end) {
        table.refresh();
        Map<String, DeletedPositions> given = new HashMap<>();
        for (DataFile dataFile : dataFiles(table)) {
          if (random.nextBoolean()) {
            given.put(dataFile.location(), somePositions(dataFile, random));
            writer.delete(dataFile, given.get(dataFile.location()));
          }
        }
        if (!given.isEmpty()) {
          note(given, commit(writer).dropped());
          commits.incrementAndGet();
        }
      }
    }
  }

  /** Few of the first rows, which others delete too. */
  private static DeletedPositions somePositions(DataFile dataFile, Random random) {
    int bound = (int) Math.min(dataFile.recordCount(), 2000);
    return DeletedPositions.of(random.ints(4, 0, bound).asLongStream().toArray());
  }

  /** A writer that could not commit has its positions, and tries again. */
  private static CommittedVectors commit(DeletionVectorWriter writer) {
    while (true) {
      FlushResult result = writer.flush();
      try {
        return result.newCommit().withRewrittenFiles(RewrittenFilePolicy.DROP).commit();
      } catch (CommitFailedException | ValidationException e) {
        assertThat(e).hasMessageNotContaining("missing");
      }
    }
  }

  private void note(Map<String, DeletedPositions> given, List<DroppedDeletes> dropped) {
    Map<String, DeletedPositions> without = new HashMap<>();
    dropped.forEach(drop -> without.put(drop.dataFile(), drop.positions()));
    given.forEach(
        (location, positions) -> {
          long[] rows = ids.get(location);
          DeletedPositions left = without.getOrDefault(location, DeletedPositions.of());
          positions.difference(left).forEach(position -> deleted.add(rows[(int) position]));
        });
  }

  /** Does something to a random data file until it is time, whether or not it succeeds. */
  private void repeat(Table table, Random random, Compaction compaction) {
    while (System.nanoTime() < end) {
      table.refresh();
      List<DataFile> dataFiles = dataFiles(table);
      LiveDeletes live = LiveDeletes.of(table);
      DataFile dataFile = dataFiles.get(random.nextInt(dataFiles.size()));
      live.vector(dataFile.location()).ifPresent(vector -> compaction.run(table, dataFile, vector));
    }
  }

  @FunctionalInterface
  private interface Compaction {
    void run(Table table, DataFile dataFile, DeleteFile vector);
  }

  private void compactVector(Table table, DataFile dataFile, DeleteFile vector) {
    try (DeletionVectorWriter writer = DeletionVectorWriter.of(table, LiveDeletes.of(table))) {
      writer.delete(dataFile, DeletionVectorReader.of(table).read(vector));
      FlushResult result = writer.flush();
      DeleteFile compacted = result.vectors().get(0).entry();
      RewriteFiles rewrite = table.newRewrite();
      rewrite.deleteFile(vector).addFile(compacted, vector.dataSequenceNumber());
      try {
        rewrite.commit();
        vectorCompactions.incrementAndGet();
      } catch (ValidationException | CommitFailedException e) {
        result.discard();
      }
    }
  }

  private void compactData(Table table, DataFile dataFile, DeleteFile vector) {
    DeletedPositions gone = DeletionVectorReader.of(table).read(vector);
    long[] rows = ids.get(dataFile.location());
    long[] left =
        LongStream.range(0, rows.length)
            .filter(position -> !gone.isDeleted(position))
            .map(position -> rows[(int) position])
            .toArray();
    Snapshot snapshot = table.currentSnapshot();
    DataFile compacted = StoredTable.dataFile(table, "compacted-" + ids.size(), left.length);
    ids.put(compacted.location(), left);
    RewriteFiles rewrite = table.newRewrite().validateFromSnapshot(snapshot.snapshotId());
    rewrite.deleteFile(dataFile).deleteFile(vector).addFile(compacted);
    try {
      rewrite.commit();
      dataCompactions.incrementAndGet();
    } catch (ValidationException | CommitFailedException e) {
      // Deletes came in between.
    }
  }

  private static List<DataFile> dataFiles(Table table) {
    List<DataFile> dataFiles = new ArrayList<>();
    try (CloseableIterable<DataFile> live = LiveDeletes.of(table).dataFiles()) {
      live.forEach(dataFile -> dataFiles.add(dataFile.copy()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return dataFiles;
  }

  private Set<Long> liveIds(Table table) {
    Map<String, DeletedPositions> gone = StoredTable.deleted(table, table.currentSnapshot());
    Set<Long> live = new TreeSet<>();
    for (DataFile dataFile : dataFiles(table)) {
      long[] rows = ids.get(dataFile.location());
      DeletedPositions positions =
          Optional.ofNullable(gone.get(dataFile.location())).orElse(DeletedPositions.of());
      for (int i = 0; i < rows.length; i++) {
        if (!positions.isDeleted(i)) {
          live.add(rows[i]);
        }
      }
    }
    return live;
  }

  private Set<Long> expectedIds() {
    Set<Long> expected = new TreeSet<>();
    LongStream.range(0, (long) FILES * ROWS)
        .filter(id -> !deleted.contains(id))
        .forEach(expected::add);
    return expected;
  }
}
