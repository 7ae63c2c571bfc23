package io.github.icebergext.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.dv.table.LiveDeletes;
import io.github.icebergext.dv.write.CommittedVectors;
import io.github.icebergext.dv.write.DeletionVectorWriter;
import io.github.icebergext.dv.write.FlushResult;
import io.github.icebergext.testing.RecordingFileIO;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.exceptions.CommitStateUnknownException;
import org.apache.iceberg.inmemory.InMemoryCatalog;
import org.apache.iceberg.types.Types;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Every single call that a flush and a commit make to storage and catalog is made to fail, each in
 * a run of its own: the table reads as before or after, no delete is lost, and no file is left.
 */
class CommitFailureTest {
  private static final Set<Long> BEFORE = Set.of(1L, 2L);
  private static final Set<Long> MEANWHILE = Set.of(1L, 2L, 7L);
  private static final Set<Long> ALL = Set.of(1L, 2L, 3L, 7L);
  private static final String CATALOG = "commit to the catalog";

  /** A table with deletes, a flush with others upon it, and deletes that come in between. */
  private static final class Run implements AutoCloseable {
    private final InMemoryCatalog catalog = new InMemoryCatalog();
    private final RecordingFileIO storage = RecordingFileIO.rangeReadable();
    private final FailingStorage failing = new FailingStorage(storage);
    private final Table sound;
    private final Table table;
    private final DataFile data;
    private final DeletionVectorWriter writer;

    Run() {
      catalog.initialize("failures", Map.of());
      catalog.createNamespace(Namespace.of("db"));
      Table created =
          catalog.createTable(
              TableIdentifier.of("db", "table"),
              new Schema(Types.NestedField.required(1, "id", Types.LongType.get())),
              PartitionSpec.unpartitioned(),
              Map.of(
                  TableProperties.FORMAT_VERSION, "3",
                  TableProperties.COMMIT_MIN_RETRY_WAIT_MS, "0",
                  TableProperties.COMMIT_MAX_RETRY_WAIT_MS, "1"));
      sound = StoredTable.in(storage, created);
      table = StoredTable.in(failing, created, commit -> failing.run(CATALOG, commit));
      data = StoredTable.append(sound, "data", 100);
      deleteByAnother(1, 2);
      table.refresh();
      writer = DeletionVectorWriter.of(table, LiveDeletes.of(table));
      writer.delete(data, new long[] {2, 3});
      failing.heal();
    }

    void deleteByAnother(long... positions) {
      sound.refresh();
      try (DeletionVectorWriter other = DeletionVectorWriter.of(sound, LiveDeletes.of(sound))) {
        other.delete(data, positions);
        other.flush().commit();
      }
    }

    /** Returns a flush of which the vectors have to be written anew in the commit. */
    FlushResult flushed() {
      FlushResult result = writer.flush();
      deleteByAnother(7);
      failing.heal();
      return result;
    }

    Set<Long> deleted() {
      sound.refresh();
      DeletedPositions positions =
          StoredTable.deleted(sound, sound.currentSnapshot()).get(data.location());
      Set<Long> deleted = new TreeSet<>();
      positions.forEach(deleted::add);
      return deleted;
    }

    Set<String> puffins() {
      return storage.locations().stream()
          .filter(location -> location.endsWith(".puffin"))
          .collect(Collectors.toCollection(TreeSet::new));
    }

    Set<String> unreferencedPuffins() {
      sound.refresh();
      Set<String> puffins = puffins();
      puffins.removeAll(StoredTable.puffins(sound));
      return puffins;
    }

    @Override
    public void close() throws IOException {
      writer.close();
      catalog.close();
    }
  }

  private static RuntimeException timeout() {
    return new UncheckedIOException(new IOException("timeout"));
  }

  @Test
  void aFlushFailsCleanlyWhereverItDoes() throws IOException {
    List<String> calls;
    try (Run counted = new Run()) {
      counted.writer.flush();
      calls = counted.failing.calls();
    }
    assertThat(calls).hasSizeGreaterThan(4);
    for (int i = 0; i < calls.size(); i++) {
      failFlush(i, false);
      if (hasEffect(calls.get(i))) {
        failFlush(i, true);
      }
    }
  }

  private static void failFlush(int call, boolean after) throws IOException {
    try (Run run = new Run()) {
      arm(run.failing, call, after, timeout());
      Throwable thrown = catchThrowable(run.writer::flush);
      String name = run.failing.calls().get(call);
      run.failing.heal();
      if (thrown != null) {
        assertThat(run.unreferencedPuffins()).as("after a failed %s", name).isEmpty();
        assertThat(run.deleted()).isEqualTo(BEFORE);
        run.writer.flush().commit();
      }
    }
  }

  private static void arm(
      FailingStorage storage, int call, boolean after, RuntimeException failure) {
    if (after) {
      storage.failAfter(call, failure);
    } else {
      storage.failBefore(call, failure);
    }
  }

  @Test
  void aCommitFailsCleanlyWhereverItDoes() throws IOException {
    List<String> calls;
    try (Run counted = new Run()) {
      counted.flushed().commit();
      calls = counted.failing.calls();
    }
    assertThat(calls).contains(CATALOG);
    for (int i = 0; i < calls.size(); i++) {
      failCommit(i, false, CommitFailureTest::timeout);
      if (hasEffect(calls.get(i))) {
        failCommit(i, true, CommitFailureTest::timeout);
      }
      if (calls.get(i).equals(CATALOG)) {
        failCommit(i, false, CommitFailureTest::unknown);
        failCommit(i, true, CommitFailureTest::unknown);
        failCommit(i, false, () -> new CommitFailedException("somebody else was first"));
      }
    }
  }

  /** A call that only reads is the same whether it fails before or after. */
  private static boolean hasEffect(String call) {
    return Stream.of("create ", "write ", "close ", "delete ", CATALOG).anyMatch(call::startsWith);
  }

  private static RuntimeException unknown() {
    return new CommitStateUnknownException(new IOException("timeout"));
  }

  private static void failCommit(int call, boolean after, Supplier<RuntimeException> failure)
      throws IOException {
    try (Run run = new Run()) {
      FlushResult result = run.flushed();
      arm(run.failing, call, after, failure.get());
      RuntimeException thrown = commit(result);
      List<String> calls = run.failing.calls();
      String name = calls.get(call) + (after ? " afterwards" : "");
      run.failing.heal();

      assertThat(run.deleted()).as("after a failed %s", name).isIn(MEANWHILE, ALL);
      if (thrown == null) {
        assertThat(run.deleted()).as("after a failed %s", name).isEqualTo(ALL);
      } else {
        retry(run, result);
      }
      assertThat(run.deleted()).as("retried after a failed %s", name).isEqualTo(ALL);
      if (!calls.get(call).startsWith("delete ")) {
        assertThat(run.unreferencedPuffins()).as("left by a failed %s", name).isEmpty();
      }
    }
  }

  private static @Nullable RuntimeException commit(FlushResult result) {
    try {
      result.commit();
      return null;
    } catch (RuntimeException e) {
      return e;
    }
  }

  /** The result is open, or the writer has its positions. */
  private static void retry(Run run, FlushResult result) {
    RuntimeException thrown = commit(result);
    if (thrown != null) {
      assertThat(thrown).hasMessage("Cannot commit a result that is discarded");
      CommittedVectors committed = run.writer.flush().commit();
      assertThat(committed.dropped()).isEmpty();
    }
  }
}
