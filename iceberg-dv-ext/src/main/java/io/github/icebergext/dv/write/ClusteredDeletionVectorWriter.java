package io.github.icebergext.dv.write;

import io.github.icebergext.dv.internal.TargetFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.iceberg.io.CloseableIterable;
import org.jspecify.annotations.Nullable;

/**
 * Writes deletion vectors as {@link DeletionVectorWriter} does, of rows that come data file by data
 * file. It holds the positions of one data file at a time, however many there are, and hands over
 * each Puffin file when that is complete.
 *
 * <pre>{@code
 * List<FlushResult> results = new ArrayList<>();
 * try (ClusteredDeletionVectorWriter writer =
 *     DeletionVectorWriter.builder(table, LiveDeletes.of(table)).buildClustered(results::add)) {
 *   // for each data file, all of its rows
 *   writer.delete(dataFile, position);
 *   writer.finish();
 * }
 * FlushResult.merge(results).commit();
 * }</pre>
 *
 * <p>A vector is written when the rows of another data file begin. What is handed over belongs to
 * whom it was handed to. After a failure, and when this is closed without being finished, the
 * Puffin file under way is deleted, and what was handed over before is not: neither is what a
 * consumer threw at.
 *
 * <p>A data file whose rows come twice is refused where the two meet in a Puffin file, and
 * otherwise when the results are merged or committed.
 *
 * <p>Not thread-safe.
 */
public final class ClusteredDeletionVectorWriter extends DeletesWriter {
  private final PreviousDeletes previous;
  private final RollingPuffinWriter puffins;
  private final Set<String> inCurrentFile = new HashSet<>();

  /** Previous vectors of successive data files are in the same Puffin file, mostly. */
  private @Nullable PendingDeletes current;

  private @Nullable Throwable failure;
  private boolean closed;

  ClusteredDeletionVectorWriter(
      WriteContext context, PreviousDeletes previous, Consumer<FlushResult> results) {
    super(context);
    this.previous = previous;
    this.puffins =
        new RollingPuffinWriter(
            context,
            files -> {
              inCurrentFile.clear();
              forgetPartitions();
              results.accept(new FlushResult(context, previous, files, new Round()));
            });
  }

  /**
   * Writes the vector of the last data file, completes the Puffin file under way, and hands it
   * over. After that, this writer takes no more rows.
   *
   * @throws IllegalStateException if this writer is finished or closed, or failed before
   * @see DeletionVectorWriter#flush the other exceptions
   */
  public void finish() {
    checkUsable("finish");
    guarded(
        () -> {
          writeCurrent();
          puffins.finish();
        });
    closed = true;
  }

  /** Abandons what was not handed over, if this is not finished. */
  @Override
  public void close() {
    forgetLast();
    current = null;
    closed = true;
    puffins.close();
  }

  @Override
  void checkTakes() {
    checkUsable("delete rows");
  }

  private void checkUsable(String action) {
    if (failure != null) {
      throw new IllegalStateException("Cannot " + action + ": an earlier call failed", failure);
    }
    if (closed) {
      throw new IllegalStateException("Cannot " + action + ": the writer is finished or closed");
    }
  }

  @Override
  PendingDeletes pending(TargetFile file) {
    PendingDeletes known = current;
    if (known != null && known.location().equals(file.location())) {
      known.checkSame(file);
      return known;
    }
    if (inCurrentFile.contains(file.location())) {
      throw new IllegalArgumentException(
          "Cannot delete more rows of "
              + file.location()
              + ": its vector is written; the rows of a data file have to come together");
    }
    guarded(this::writeCurrent);
    PendingDeletes next = new PendingDeletes(file);
    current = next;
    return next;
  }

  private void guarded(Runnable action) {
    forgetLast();
    try {
      action.run();
    } catch (RuntimeException | Error e) {
      failure = e;
      current = null;
      puffins.close();
      throw e;
    }
  }

  private void writeCurrent() {
    PendingDeletes deletes = current;
    current = null;
    if (deletes == null || deletes.isEmpty()) {
      return;
    }
    List<Replacement> one = List.of(Replacement.of(deletes, previous));
    try (CloseableIterable<VectorFlush.Previous> all = VectorFlush.read(context, one)) {
      all.forEach(read -> read.writeTo(puffins, context, Collections.emptyIterator()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    // Only now, as the file before may have been completed, and its vectors forgotten.
    inCurrentFile.add(deletes.location());
  }

  /** This writer needs not know. */
  private static final class Round implements FlushOwner {
    @Override
    public void committed(Supplier<PreviousDeletes> now) {}

    @Override
    public void discarded(List<FlushedVector> files) {}
  }
}
