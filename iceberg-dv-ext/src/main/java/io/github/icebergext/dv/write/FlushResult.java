package io.github.icebergext.dv.write;

import io.github.icebergext.dv.DeletionVectorEntry;
import io.github.icebergext.dv.InvalidDeletionVectorException;
import io.github.icebergext.dv.commit.internal.LatePositionDeletes;
import io.github.icebergext.dv.commit.internal.LiveDataFiles;
import io.github.icebergext.dv.commit.internal.PendingVector;
import io.github.icebergext.dv.internal.FormatVersions;
import io.github.icebergext.dv.internal.TargetFile;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.RowDelta;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.exceptions.ValidationException;
import org.apache.iceberg.io.DeleteWriteResult;
import org.apache.iceberg.util.CharSequenceSet;
import org.jspecify.annotations.Nullable;

/**
 * What a flush wrote: for each data file its new deletion vector and the entries that one replaces.
 *
 * <p>It is open until it is committed, discarded or merged. {@link #commit} does all that a commit
 * takes. Callers with a commit of their own apply it to their {@link RowDelta}, and say afterwards
 * what became of it.
 *
 * <p>Not thread-safe.
 */
public final class FlushResult {
  private final WriteContext context;
  private final FlushOwner round;

  /** What the writer gets back. */
  private final List<FlushedVector> flushed;

  /** Files of attempts of unknown outcome, which may come true late. */
  private final Set<String> mayBeLive = new HashSet<>();

  private PreviousDeletes previous;
  private List<FlushedVector> files;
  private State state = State.OPEN;
  private final List<DroppedDeletes> dropped = new ArrayList<>();

  /** Whether a commit ended in a way that tells nothing. */
  private boolean maybeCommitted;

  private enum State {
    OPEN("open"),
    COMMITTED("committed"),
    DISCARDED("discarded"),
    MERGED("merged");

    private final String description;

    State(String description) {
      this.description = description;
    }
  }

  FlushResult(
      WriteContext context, PreviousDeletes previous, List<FlushedVector> files, FlushOwner round) {
    this.context = context;
    this.previous = previous;
    this.flushed = List.copyOf(files);
    this.files = flushed;
    this.round = round;
  }

  /**
   * Makes one result of several, for one commit: those of tasks that deleted rows of different data
   * files, or of a {@link ClusteredDeletionVectorWriter}. The merged ones cannot be used any more;
   * what becomes of the merged result becomes of them.
   *
   * @throws IllegalArgumentException if there are none, one is not open, two have vectors of the
   *     same data file, or previous deletes of different snapshots. Positions of the same data file
   *     have to be united before vectors are written: {@link DeletionVectorWriter#takePartial}
   */
  public static FlushResult merge(Collection<FlushResult> results) {
    checkMergeable(results);
    FlushResult first = results.iterator().next();
    List<FlushResult> parts = List.copyOf(results);
    List<FlushedVector> files = new ArrayList<>();
    for (FlushResult part : parts) {
      files.addAll(part.files);
      part.state = State.MERGED;
    }
    return new FlushResult(first.context, first.previous, files, new Parts(parts));
  }

  private static void checkMergeable(Collection<FlushResult> results) {
    if (results.isEmpty()) {
      throw new IllegalArgumentException("Cannot merge results: there are none");
    }
    OptionalLong snapshotId = results.iterator().next().snapshotId();
    Set<FlushResult> seen = new HashSet<>();
    Map<String, DeleteFile> vectors = new HashMap<>();
    for (FlushResult result : results) {
      if (result.state != State.OPEN || !seen.add(result)) {
        throw cannotMerge(
            result.state == State.OPEN ? "one is given twice" : "one is " + result.describe());
      }
      if (!result.snapshotId().equals(snapshotId)) {
        throw cannotMerge(
            "their previous deletes are of different snapshots, "
                + describe(snapshotId)
                + " and "
                + describe(result.snapshotId()));
      }
      for (FlushedVector flushed : result.vectors()) {
        DeleteFile other = vectors.put(flushed.referencedDataFile(), flushed.entry());
        if (other != null) {
          throw cannotMerge(
              "two have a "
                  + DeletionVectorEntry.describe(other)
                  + " and a "
                  + DeletionVectorEntry.describe(flushed.entry()));
        }
      }
    }
  }

  private static IllegalArgumentException cannotMerge(String reason) {
    return new IllegalArgumentException("Cannot merge results: " + reason);
  }

  private static String describe(OptionalLong snapshotId) {
    return snapshotId.isPresent() ? "" + snapshotId.getAsLong() : "none";
  }

  /** Tells whether there was nothing to write, in which case no file was. */
  public boolean isEmpty() {
    return files.isEmpty();
  }

  /** Returns the new vectors, in the order in which their data files were first given. */
  public List<FlushedVector> vectors() {
    return files;
  }

  /**
   * Returns the snapshot that the previous deletes were read from; empty if the table had none. A
   * commit validates what happened since.
   */
  public OptionalLong snapshotId() {
    return previous.snapshotId();
  }

  /**
   * Commits to the main branch, with retries. This result is committed then, or has been discarded
   * if the commit failed for good.
   *
   * @see DeletionVectorCommit#commit the exceptions
   */
  public CommittedVectors commit() {
    return newCommit().commit();
  }

  /** Starts a commit. */
  public DeletionVectorCommit newCommit() {
    return new DeletionVectorCommit(this);
  }

  /**
   * Adds the new vectors to {@code rowDelta}, removes what they replace, and turns on the
   * validation without which concurrent deletes are lost. Called last, before the commit.
   *
   * <p>The commit then fails with {@link ValidationException} if, since the previous deletes were
   * read, one of the data files got another vector or was removed. Do not set a {@link
   * RowDelta#conflictDetectionFilter} narrower than the data files here: it hides concurrent
   * vectors outside of it from that validation, and a table with two vectors for a data file cannot
   * be scanned. Do not replace the snapshot by a later one: what was deleted in between would be
   * lost.
   *
   * <p>Reads the data manifests of the snapshot that the previous deletes were read from, to be
   * sure of the data files. Branch, staging and transaction are those of {@code rowDelta}. Once it
   * is committed, {@link #committed} has to be called, and {@link #discard} if it never will be.
   *
   * @return {@code rowDelta}; unchanged if this result is empty
   * @throws IllegalStateException if this result is not open
   * @throws InvalidDeletionVectorException with {@link
   *     io.github.icebergext.puffin.Reason#FORMAT_VERSION} if the table's format version is not 3
   * @throws ValidationException if a data file is not live in that snapshot, or got position
   *     deletes of version 2 since, before the table was upgraded
   * @throws java.io.UncheckedIOException if the storage fails
   */
  public RowDelta applyTo(RowDelta rowDelta) {
    checkOpen("apply");
    if (isEmpty()) {
      return rowDelta;
    }
    FormatVersions.checkWritable(context.table());
    checkDataFilesLive();
    return addTo(rowDelta);
  }

  /** Adds all to {@code rowDelta}, the data files being known to be live. */
  RowDelta addTo(RowDelta rowDelta) {
    for (FlushedVector file : files) {
      rowDelta.addDeletes(file.entry());
      file.replaced().forEach(rowDelta::removeDeletes);
    }
    // Without a snapshot nothing is set: Iceberg then validates the whole history.
    snapshotId().ifPresent(rowDelta::validateFromSnapshot);
    return rowDelta.validateDataFilesExist(referencedDataFiles()).validateDeletedFiles();
  }

  private void checkDataFilesLive() {
    Table table = context.table();
    // Read from a table without snapshot, the deletes are none, and the data files came later.
    Snapshot snapshot =
        snapshotId().isPresent()
            ? table.snapshot(snapshotId().getAsLong())
            : table.currentSnapshot();
    if (snapshot == null) {
      throw new ValidationException(
          "%s",
          "Cannot commit deletion vectors to table "
              + table.name()
              + ": its snapshot "
              + describe(snapshotId())
              + ", which the previous deletes were read from, is unknown or expired");
    }
    LiveDataFiles.of(table, snapshot, targets()).check(pendingVectors());
    LatePositionDeletes.check(table, context.io(), snapshot, pendingVectors());
  }

  /**
   * Returns additions and removals as Iceberg's writers do, for callers that commit such results.
   * They have to validate from {@link #snapshotId()} themselves.
   */
  public DeleteWriteResult toDeleteWriteResult() {
    return new DeleteWriteResult(
        vectors().stream().map(FlushedVector::entry).toList(),
        CharSequenceSet.of(referencedDataFiles()),
        vectors().stream().flatMap(flushed -> flushed.replaced().stream()).toList());
  }

  /**
   * Says that this was committed, so that the writer can go on from there: its vectors are the
   * previous deletes of the next flush. Reads the delete manifests that the snapshot added; where
   * others have committed since the previous deletes were read, all delete manifests.
   *
   * @param committedId the snapshot that has these vectors
   * @throws IllegalStateException if this result is not open
   * @throws IllegalArgumentException if the table has no such snapshot, or it did not add these
   *     vectors
   * @throws java.io.UncheckedIOException if the storage fails
   */
  public void committed(long committedId) {
    checkOpen("settle");
    PreviousDeletes now = PreviousAfterCommit.after(previous, context, committedId, vectors());
    settle(() -> now);
  }

  /**
   * Deletes the Puffin files, as far as that works, and gives the positions back to the writer,
   * unless that is closed. Never to be called when it is not certain that the commit has failed.
   *
   * @throws IllegalStateException if this result is not open
   */
  public void discard() {
    discard(null);
  }

  /** Discards, and adds to {@code cause} what went wrong with that. */
  void discard(@Nullable RuntimeException cause) {
    checkOpen("discard");
    state = State.DISCARDED;
    context.deleteUnused(locations(), cause);
    round.discarded(flushed);
  }

  /**
   * Settles this result as committed.
   *
   * @param now finds the deletes there are now
   */
  void settle(Supplier<PreviousDeletes> now) {
    state = State.COMMITTED;
    round.committed(now);
  }

  /**
   * Takes vectors that were written anew upon later deletes, and deletes the others.
   *
   * @param conflicts why data files get none, by location
   */
  void renew(
      PreviousDeletes newPrevious, List<FlushedVector> newFiles, Map<String, String> conflicts) {
    for (FlushedVector file : files) {
      String cause = conflicts.get(file.file().location());
      if (cause != null) {
        dropped.add(new DroppedDeletes(file.file().location(), file.newPositions(), cause));
      }
    }
    Set<String> unused = locations();
    previous = newPrevious;
    files = List.copyOf(newFiles);
    unused.removeAll(locations());
    unused.removeAll(mayBeLive);
    context.deleteUnused(unused, null);
  }

  /** Stays open, as it may have been committed; returns what to say of that. */
  RuntimeException keep() {
    maybeCommitted = true;
    mayBeLive.addAll(locations());
    return new IllegalStateException(
        "Not deleted, as the commit may have succeeded: "
            + locations()
            + (dropped.isEmpty()
                ? ""
                : "; not part of it are the deletes of "
                    + dropped.stream().map(DroppedDeletes::dataFile).toList()));
  }

  /**
   * Returns the snapshot that has these vectors, if an earlier commit told nothing and has
   * succeeded. Where it has not, it is certain from here on that it has not.
   */
  OptionalLong findCommitted() {
    if (!maybeCommitted) {
      return OptionalLong.empty();
    }
    OptionalLong found = PreviousAfterCommit.find(context, vectors().get(0));
    maybeCommitted = found.isPresent();
    return found;
  }

  List<DroppedDeletes> dropped() {
    return List.copyOf(dropped);
  }

  void checkOpen(String action) {
    if (state != State.OPEN) {
      throw new IllegalStateException("Cannot " + action + " a result that is " + describe());
    }
  }

  private String describe() {
    return state.description;
  }

  WriteContext context() {
    return context;
  }

  PreviousDeletes previous() {
    return previous;
  }

  List<FlushedVector> files() {
    return files;
  }

  /** Returns the Puffin files that the vectors are in. */
  Set<String> locations() {
    return VectorFlush.locations(files);
  }

  List<PendingVector> pendingVectors() {
    return files.stream().map(FlushedVector::pendingVector).toList();
  }

  List<TargetFile> targets() {
    return files.stream().map(FlushedVector::file).toList();
  }

  private List<CharSequence> referencedDataFiles() {
    return files.stream().<CharSequence>map(file -> file.file().location()).toList();
  }

  @Override
  public String toString() {
    return files.size() + " deletion vectors in " + locations();
  }

  /** The writers of merged results. */
  private record Parts(List<FlushResult> parts) implements FlushOwner {
    @Override
    public void committed(Supplier<PreviousDeletes> now) {
      parts.forEach(part -> part.round.committed(now));
    }

    @Override
    public void discarded(List<FlushedVector> files) {
      parts.forEach(part -> part.round.discarded(part.flushed));
    }
  }
}
