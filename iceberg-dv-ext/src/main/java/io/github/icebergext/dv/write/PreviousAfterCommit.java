package io.github.icebergext.dv.write;

import io.github.icebergext.dv.DeletionVectorEntry;
import io.github.icebergext.dv.DeletionVectorIdentity;
import io.github.icebergext.dv.internal.TargetFile;
import io.github.icebergext.dv.table.LiveDeletes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.util.ContentFileUtil;

/** Previous deletes and the vectors that were committed right after them. */
final class PreviousAfterCommit extends PreviousDeletes {
  private final PreviousDeletes before;
  private final long snapshotId;
  private final Map<String, DeleteFile> vectors;

  private PreviousAfterCommit(
      PreviousDeletes before, long snapshotId, Map<String, DeleteFile> vectors) {
    this.before = before;
    this.snapshotId = snapshotId;
    this.vectors = vectors;
  }

  /**
   * Returns the deletes of a snapshot that was committed upon {@code before}: those and what it
   * added, if nothing came in between, and otherwise all that its manifests say.
   *
   * @param expected vectors that it must have added
   * @throws IllegalArgumentException if the table has no such snapshot, or it did not add them
   */
  static PreviousDeletes after(
      PreviousDeletes before, WriteContext context, long snapshotId, List<FlushedVector> expected) {
    Table table = context.table();
    table.refresh();
    Snapshot snapshot = table.snapshot(snapshotId);
    if (snapshot == null) {
      throw new IllegalArgumentException(
          "Cannot find snapshot " + snapshotId + " of table " + table.name());
    }
    List<DeleteFile> added = new ArrayList<>();
    snapshot.addedDeleteFiles(context.io()).forEach(added::add);
    checkAdded(added, snapshotId, expected);
    return isDirectly(before, snapshot)
            && added.stream().allMatch(DeletionVectorIdentity::isVector)
            && removedNothingElse(snapshot.removedDeleteFiles(context.io()), added)
        ? upon(before, snapshotId, added)
        : PreviousDeletes.of(LiveDeletes.of(table, snapshot));
  }

  private static boolean isDirectly(PreviousDeletes before, Snapshot snapshot) {
    Long parent = snapshot.parentId();
    return parent != null && before.snapshotId().equals(OptionalLong.of(parent));
  }

  /**
   * Finds the deletes of a snapshot that added {@code vectors} and nothing else. Nothing is read
   * for that if it was committed directly upon {@code before}, so that it may expire.
   */
  static Supplier<PreviousDeletes> afterOwn(
      PreviousDeletes before, WriteContext context, long snapshotId, List<FlushedVector> vectors) {
    Snapshot snapshot = context.table().snapshot(snapshotId);
    if (snapshot == null || !isDirectly(before, snapshot)) {
      return () -> after(before, context, snapshotId, vectors);
    }
    PreviousDeletes now =
        upon(before, snapshotId, vectors.stream().map(FlushedVector::entry).toList());
    return () -> now;
  }

  /** Returns the snapshot that added a vector, if there is one. */
  static OptionalLong find(WriteContext context, FlushedVector flushed) {
    context.table().refresh();
    DeletionVectorIdentity wanted = DeletionVectorIdentity.of(flushed.entry());
    for (Snapshot snapshot : context.table().snapshots()) {
      for (DeleteFile added : snapshot.addedDeleteFiles(context.io())) {
        if (DeletionVectorIdentity.isVector(added)
            && DeletionVectorIdentity.of(added).equals(wanted)) {
          return OptionalLong.of(snapshot.snapshotId());
        }
      }
    }
    return OptionalLong.empty();
  }

  /** Tells whether whatever lost its deletes got new ones, so that nothing old is out of date. */
  private static boolean removedNothingElse(Iterable<DeleteFile> removed, List<DeleteFile> added) {
    Set<String> renewed = new HashSet<>();
    added.forEach(vector -> renewed.add(vector.referencedDataFile()));
    for (DeleteFile deletes : removed) {
      if (!renewed.contains(ContentFileUtil.referencedDataFileLocation(deletes))) {
        return false;
      }
    }
    return true;
  }

  private static void checkAdded(
      List<DeleteFile> added, long snapshotId, List<FlushedVector> expected) {
    Set<DeletionVectorIdentity> identities = new HashSet<>();
    added.stream()
        .filter(DeletionVectorIdentity::isVector)
        .forEach(vector -> identities.add(DeletionVectorIdentity.of(vector)));
    for (FlushedVector flushed : expected) {
      if (!identities.contains(DeletionVectorIdentity.of(flushed.entry()))) {
        throw new IllegalArgumentException(
            "Snapshot "
                + snapshotId
                + " did not add the "
                + DeletionVectorEntry.describe(flushed.entry()));
      }
    }
  }

  private static PreviousAfterCommit upon(
      PreviousDeletes before, long snapshotId, List<DeleteFile> added) {
    Map<String, DeleteFile> vectors = new HashMap<>();
    PreviousDeletes base = before;
    if (before instanceof PreviousAfterCommit earlier) {
      vectors.putAll(earlier.vectors);
      base = earlier.before;
    }
    added.forEach(vector -> vectors.put(vector.referencedDataFile(), vector));
    return new PreviousAfterCommit(base, snapshotId, vectors);
  }

  @Override
  public OptionalLong snapshotId() {
    return OptionalLong.of(snapshotId);
  }

  @Override
  boolean isFromManifests() {
    return before.isFromManifests();
  }

  @Override
  PreviousEntries of(TargetFile file) {
    DeleteFile vector = vectors.get(file.location());
    return vector == null ? before.of(file) : PreviousEntries.of(file.location(), List.of(vector));
  }
}
