package io.github.icebergext.dv.write;

import io.github.icebergext.dv.InvalidDeletionVectorException;
import io.github.icebergext.dv.commit.RewrittenFilePolicy;
import io.github.icebergext.dv.commit.internal.ConcurrentChanges;
import io.github.icebergext.dv.commit.internal.LiveDataFiles;
import io.github.icebergext.dv.internal.FormatVersions;
import io.github.icebergext.dv.table.LiveDeletes;
import io.github.icebergext.puffin.Reason;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.apache.iceberg.RowDelta;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotRef;
import org.apache.iceberg.Table;
import org.apache.iceberg.events.CreateSnapshotEvent;
import org.apache.iceberg.exceptions.CleanableFailure;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.exceptions.ValidationException;
import org.apache.iceberg.util.SnapshotUtil;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Commits what a flush wrote, again and again while others commit to the same data files.
 *
 * <p>Each attempt begins at the branch's last snapshot. Its live deletes and data files are read
 * from the manifests, and where a data file has other deletes than the vector was written upon,
 * they are united with the new ones in a new Puffin file. Deletes that were read before and are not
 * there any more are an error, as rows would have come back. So no attempt ever makes two live
 * vectors, a vector of no data file, or one that lacks deletes.
 *
 * <p>A data file that was removed since the previous deletes were read, or got deletes from a
 * commit that also added rows (operation {@code overwrite}), is a conflict: such a commit moves
 * rows, and may have moved the very rows to be deleted here. Where part of the history since then
 * has expired, every data file that got deletes is a conflict.
 *
 * <p>Not thread-safe, and for one commit.
 */
public final class DeletionVectorCommit {
  private static final Logger LOG = LoggerFactory.getLogger(DeletionVectorCommit.class);
  private static final int DEFAULT_ATTEMPTS = 20;
  private static final int MAX_PAUSE_MILLIS = 1000;

  private final FlushResult result;
  private final WriteContext context;
  private final Table table;
  private final Map<String, String> summary = new LinkedHashMap<>();
  private String branch = SnapshotRef.MAIN_BRANCH;
  private RewrittenFilePolicy rewrittenFiles = RewrittenFilePolicy.FAIL;
  private int maxAttempts = DEFAULT_ATTEMPTS;

  DeletionVectorCommit(FlushResult result) {
    this.result = result;
    this.context = result.context();
    this.table = context.table();
  }

  /** Commits to {@code newBranch}, which exists; to the main one by default. */
  public DeletionVectorCommit toBranch(String newBranch) {
    this.branch = newBranch;
    return this;
  }

  /**
   * Says what to do about data files that were removed or overwritten meanwhile; {@link
   * RewrittenFilePolicy#FAIL} by default.
   */
  public DeletionVectorCommit withRewrittenFiles(RewrittenFilePolicy newRewrittenFiles) {
    this.rewrittenFiles = newRewrittenFiles;
    return this;
  }

  /**
   * Makes at most so many attempts, 20 by default. Each of them may repeat the mere swap of the
   * table's metadata as often as the table's properties say.
   *
   * @throws IllegalArgumentException if it is less than 1
   */
  public DeletionVectorCommit withMaxAttempts(int attempts) {
    if (attempts < 1) {
      throw new IllegalArgumentException("Invalid number of attempts: " + attempts);
    }
    this.maxAttempts = attempts;
    return this;
  }

  /** Sets a property in the summary of the snapshot. */
  public DeletionVectorCommit set(String property, String value) {
    summary.put(property, value);
    return this;
  }

  /**
   * Commits.
   *
   * <p>After an exception that is a {@link CleanableFailure}, which says that nothing was
   * committed, the result has been {@linkplain FlushResult#discard discarded}: its Puffin files are
   * deleted, and its positions are with the writer again. After any other the result is open, and
   * nothing is deleted: where it came from the commit itself, as {@link
   * org.apache.iceberg.exceptions.CommitStateUnknownException} does, the vectors may be live, and a
   * suppressed exception names their files. Committing again finds out whether they are: if so,
   * that is what it returns. Only if it is certain that they are not may the result be discarded.
   *
   * @return what was committed; of an empty result, nothing
   * @throws IllegalStateException if the result is not open
   * @throws InvalidDeletionVectorException with {@link Reason#FORMAT_VERSION} if the table's format
   *     version is not 3
   * @throws IllegalStateException if the branch does not exist
   * @throws InvalidDeletionVectorException with {@link Reason#SHRUNK_VECTOR} if rows came back
   *     since the previous deletes were read, or with another reason if a data file has several
   *     live vectors or one that breaks a rule
   * @throws ValidationException if data files were removed or overwritten, or are not as they were
   *     given, and that is not to be dropped, or Iceberg refuses the commit for another reason than
   *     concurrent deletes
   * @throws CommitFailedException if all attempts failed
   * @throws java.io.UncheckedIOException if the storage fails
   */
  public CommittedVectors commit() {
    result.checkOpen("commit");
    if (result.isEmpty()) {
      return new CommittedVectors(OptionalLong.empty(), List.of(), List.of());
    }
    OptionalLong earlier = result.findCommitted();
    if (earlier.isPresent()) {
      return committed(earlier);
    }
    try {
      return commitUponHead();
    } catch (RuntimeException e) {
      if (e instanceof CleanableFailure) {
        result.discard(e);
      }
      throw e;
    }
  }

  private CommittedVectors commitUponHead() {
    OptionalLong start = result.snapshotId();
    Snapshot head = head();
    for (int attempt = 1; ; attempt++) {
      prepare(head, start);
      try {
        return commitPrepared();
      } catch (ValidationException | CommitFailedException e) {
        head = nextHead(e, head, attempt);
      }
    }
  }

  /** Returns what to try upon after a failure, or throws that. */
  private Snapshot nextHead(RuntimeException failure, Snapshot failedUpon, int attempt) {
    if (attempt >= maxAttempts || !pause(attempt)) {
      throw failure;
    }
    Snapshot head = head();
    // The very same attempt would fail once more.
    if (failure instanceof ValidationException && head.snapshotId() == failedUpon.snapshotId()) {
      throw failure;
    }
    return head;
  }

  private Snapshot head() {
    table.refresh();
    FormatVersions.checkWritable(table);
    Snapshot head = SnapshotUtil.latestSnapshot(table, branch);
    if (head == null) {
      throw new IllegalStateException(
          "Cannot commit deletes to table "
              + table.name()
              + ": its branch "
              + branch
              + " does not exist or has no snapshot");
    }
    return head;
  }

  /** Makes room for others after an attempt; tells whether to go on. */
  private static boolean pause(int attempt) {
    long most = Math.min(MAX_PAUSE_MILLIS, 4L << Math.min(attempt, 10));
    try {
      Thread.sleep(ThreadLocalRandom.current().nextLong(most));
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** Brings the result up to the last snapshot. */
  private void prepare(Snapshot head, OptionalLong start) {
    PreviousDeletes live = liveDeletes(head);
    Map<String, String> conflicts = conflicts(head, start, live);
    List<FlushedVector> kept =
        result.files().stream()
            .filter(file -> !conflicts.containsKey(file.file().location()))
            .toList();
    List<FlushedVector> stale =
        kept.stream()
            .filter(
                file -> !file.previous().deletes().isSameByPosition(live.of(file.file()).deletes()))
            .toList();
    result.renew(live, stale.isEmpty() ? kept : rewrite(kept, stale, live), conflicts);
  }

  private PreviousDeletes liveDeletes(Snapshot head) {
    PreviousDeletes known = result.previous();
    boolean isUpToDate =
        known.isFromManifests() && known.snapshotId().equals(OptionalLong.of(head.snapshotId()));
    return isUpToDate ? known : PreviousDeletes.of(LiveDeletes.of(table, head));
  }

  private List<FlushedVector> rewrite(
      List<FlushedVector> kept, List<FlushedVector> stale, PreviousDeletes live) {
    Map<String, FlushedVector> byLocation = new LinkedHashMap<>();
    kept.forEach(file -> byLocation.put(file.file().location(), file));
    List<FlushedVector> written = VectorFlush.rewrite(context, stale, live);
    // Nothing is written where nothing is new any more, if that was asked for.
    Set<String> writtenLocations = new HashSet<>();
    for (FlushedVector file : written) {
      byLocation.put(file.file().location(), file);
      writtenLocations.add(file.file().location());
    }
    for (FlushedVector file : stale) {
      if (!writtenLocations.contains(file.file().location())) {
        byLocation.remove(file.file().location());
      }
    }
    return List.copyOf(byLocation.values());
  }

  private Map<String, String> conflicts(Snapshot head, OptionalLong start, PreviousDeletes live) {
    LiveDataFiles dataFiles = LiveDataFiles.of(table, head, result.targets());
    Map<String, String> conflicts =
        new ConcurrentChanges(table, context.io(), head, start)
            .conflicts(result.pendingVectors(), dataFiles, file -> live.of(file).deletes());
    if (!conflicts.isEmpty() && rewrittenFiles == RewrittenFilePolicy.FAIL) {
      throw new ValidationException("%s", describe(conflicts));
    }
    return conflicts;
  }

  private static String describe(Map<String, String> conflicts) {
    Map.Entry<String, String> first = conflicts.entrySet().iterator().next();
    return "Cannot commit deletes of "
        + (conflicts.size() == 1
            ? "data file "
            : conflicts.size() + " data files, the first of them ")
        + first.getKey()
        + ": "
        + first.getValue();
  }

  private CommittedVectors commitPrepared() {
    if (result.isEmpty()) {
      PreviousDeletes now = result.previous();
      result.settle(() -> now);
      return new CommittedVectors(OptionalLong.empty(), List.of(), result.dropped());
    }
    RowDelta rowDelta = table.newRowDelta().toBranch(branch);
    summary.forEach(rowDelta::set);
    result.addTo(rowDelta);
    try {
      rowDelta.commit();
    } catch (RuntimeException e) {
      if (!(e instanceof CleanableFailure)) {
        e.addSuppressed(result.keep());
      }
      throw e;
    }
    return committed(snapshotId(rowDelta));
  }

  /** From here on, nothing may look as if the commit had failed. */
  private CommittedVectors committed(OptionalLong snapshotId) {
    List<FlushedVector> vectors = result.vectors();
    result.settle(
        snapshotId.isPresent()
            ? PreviousAfterCommit.afterOwn(
                result.previous(), context, snapshotId.getAsLong(), vectors)
            : DeletionVectorCommit::unknown);
    return new CommittedVectors(snapshotId, vectors, result.dropped());
  }

  private static PreviousDeletes unknown() {
    throw new IllegalStateException(
        "Cannot tell the previous deletes: the last commit succeeded, but the catalog did not say"
            + " which snapshot it made; give what was added since to a new writer");
  }

  private OptionalLong snapshotId(RowDelta rowDelta) {
    try {
      return rowDelta.updateEvent() instanceof CreateSnapshotEvent event
          ? OptionalLong.of(event.snapshotId())
          : OptionalLong.empty();
    } catch (RuntimeException e) {
      LOG.warn("Cannot tell the snapshot that was committed to {}", table.name(), e);
      return OptionalLong.empty();
    }
  }
}
