package io.github.icebergext.dv.commit.internal;

import io.github.icebergext.dv.DeletionVectorIdentity;
import io.github.icebergext.dv.internal.AppliedDeletes;
import io.github.icebergext.dv.internal.TargetFile;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataOperations;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.io.FileIO;

/**
 * What others did to data files that are about to get vectors.
 *
 * <p>Further deletes do no harm, and neither does another vector of the same deletes: all of them
 * are united. A row that was overwritten may live on in another data file, so that what deletes it
 * here would miss it there.
 */
public final class ConcurrentChanges {
  private static final Set<String> HARMLESS =
      Set.of(DataOperations.APPEND, DataOperations.DELETE, DataOperations.REPLACE);

  private final FileIO io;
  private final List<Snapshot> since = new ArrayList<>();

  /** False if some of the history has expired, and may have been anything. */
  private final boolean complete;

  /**
   * Looks at the snapshots of a history that another one does not have.
   *
   * @param head the last one of the history
   * @param start the last one of the other, which need not be there any more; empty if the table
   *     had none
   */
  public ConcurrentChanges(Table table, FileIO io, Snapshot head, OptionalLong start) {
    this.io = io;
    Set<Long> known = start.isPresent() ? history(table, start.getAsLong()) : Set.of();
    Long id = head.snapshotId();
    Snapshot snapshot = head;
    while (snapshot != null && !known.contains(id)) {
      since.add(snapshot);
      id = snapshot.parentId();
      snapshot = id == null ? null : table.snapshot(id);
    }
    this.complete = id == null || known.contains(id);
  }

  /** Returns a snapshot and those before it, the last of them perhaps expired. */
  private static Set<Long> history(Table table, long start) {
    Set<Long> history = new HashSet<>();
    Long id = start;
    while (id != null && history.add(id)) {
      Snapshot snapshot = table.snapshot(id);
      id = snapshot == null ? null : snapshot.parentId();
    }
    return history;
  }

  /**
   * Returns what happened to those data files that cannot get their vectors, by location.
   *
   * @param dataFiles those of the last snapshot
   * @param deletes gives those of a data file in the last snapshot
   */
  public Map<String, String> conflicts(
      Collection<PendingVector> vectors,
      LiveDataFiles dataFiles,
      Function<TargetFile, AppliedDeletes> deletes) {
    Map<String, String> conflicts = new LinkedHashMap<>();
    Set<String> doubtful = new HashSet<>();
    for (PendingVector vector : vectors) {
      String location = vector.location();
      dataFiles
          .complaint(vector)
          .ifPresentOrElse(
              complaint -> conflicts.put(location, complaint),
              () -> unknown(vector, deletes).ifPresent(cause -> conflicts.put(location, cause)));
      if (conflicts.containsKey(location) || wasAdded(location, dataFiles)) {
        doubtful.add(location);
      }
    }
    if (!doubtful.isEmpty()) {
      conflicts.putAll(removals(doubtful));
    }
    Map<String, String> overwritten = overwritten();
    overwritten.keySet().retainAll(vectors.stream().map(PendingVector::location).toList());
    overwritten.forEach(conflicts::putIfAbsent);
    return conflicts;
  }

  private Optional<String> unknown(
      PendingVector vector, Function<TargetFile, AppliedDeletes> deletes) {
    return complete || vector.upon().isSameByPosition(deletes.apply(vector.file()))
        ? Optional.empty()
        : Optional.of(
            "it got other deletes in snapshots that have expired, and its rows may live on in"
                + " another data file");
  }

  /** Tells whether a live data file was added, perhaps in the place of another one. */
  private boolean wasAdded(String location, LiveDataFiles dataFiles) {
    return !since.isEmpty()
        && dataFiles.isAddedAt(location, since.get(since.size() - 1).sequenceNumber());
  }

  private Map<String, String> removals(Set<String> gone) {
    Map<String, String> removals = new HashMap<>();
    for (Snapshot snapshot : since) {
      if (!DataOperations.APPEND.equals(snapshot.operation())) {
        for (DataFile removed : snapshot.removedDataFiles(io)) {
          if (gone.contains(removed.location())) {
            removals.putIfAbsent(removed.location(), describe(snapshot) + " removed it");
          }
        }
      }
    }
    return removals;
  }

  private Map<String, String> overwritten() {
    Map<String, String> overwritten = new HashMap<>();
    for (Snapshot snapshot : since) {
      if (!isHarmless(snapshot)) {
        for (DeleteFile added : snapshot.addedDeleteFiles(io)) {
          if (DeletionVectorIdentity.isVector(added) && added.referencedDataFile() != null) {
            overwritten.put(
                added.referencedDataFile(),
                describe(snapshot) + " deleted rows of it that may live on in another data file");
          }
        }
      }
    }
    return overwritten;
  }

  private static boolean isHarmless(Snapshot snapshot) {
    String operation = snapshot.operation();
    return operation != null && HARMLESS.contains(operation);
  }

  private static String describe(Snapshot snapshot) {
    return "snapshot " + snapshot.snapshotId() + " (" + snapshot.operation() + ")";
  }
}
