package io.github.icebergext.dv.table;

import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.dv.DeletionVectorIdentity;
import io.github.icebergext.dv.InvalidDeletionVectorException;
import io.github.icebergext.dv.read.DeletionVectorReader;
import io.github.icebergext.dv.read.ReadVector;
import io.github.icebergext.puffin.Reason;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.util.SnapshotUtil;
import org.jspecify.annotations.Nullable;

/**
 * What changed in the deletes by position between two snapshots of a table: for each data file that
 * both have the rows that were deleted, data files that came with deletes, and those that vanished.
 *
 * <p>Vectors are told apart by their identity. Data files whose vector and position-delete files
 * are the same in both snapshots are not reported, and nothing of them is read; nor are those whose
 * vector was rewritten with the same positions. Equality deletes are left out.
 *
 * <p>Holds the delete entries of both snapshots, and the data files with a change. Vectors are read
 * while {@linkplain #changes() changes} are iterated, and not kept. Immutable and thread-safe.
 */
public final class DeletesBetween {
  private final Table table;
  private final LiveDeletes before;
  private final LiveDeletes after;
  private final boolean fromIsAncestor;
  private final List<UnreadChange> changes;

  private DeletesBetween(Table table, Snapshot from, Snapshot to) {
    this.table = table;
    this.before = LiveDeletes.of(table, from);
    this.after = LiveDeletes.of(table, to);
    this.fromIsAncestor = SnapshotUtil.isAncestorOf(table, to.snapshotId(), from.snapshotId());
    SnapshotComparison comparison =
        new SnapshotComparison(new DataFileComparison(before, after, fromIsAncestor));
    this.changes = new ArrayList<>(comparison.changes());
    addRemoved(from, to, comparison.removed());
  }

  private void addRemoved(Snapshot from, Snapshot to, List<DataFile> removed) {
    Map<String, Snapshot> removals =
        fromIsAncestor ? Removals.between(table, from, to, removed) : Map.of();
    for (DataFile dataFile : removed) {
      Optional<Snapshot> removedBy = Optional.ofNullable(removals.get(dataFile.location()));
      changes.add(UnreadChange.known(new DeletesChange.DataFileRemoved(dataFile, removedBy)));
    }
  }

  /**
   * Compares two snapshots by their metadata.
   *
   * @param fromSnapshotId the first snapshot, most often an ancestor of the second: see {@link
   *     #fromIsAncestor()}
   * @param toSnapshotId the second snapshot
   * @throws IllegalArgumentException if the table does not have one of the snapshots, or not any
   *     more
   * @throws InvalidDeletionVectorException with {@link Reason#FORMAT_VERSION} if the table's format
   *     version is more than 3
   * @throws InvalidDeletionVectorException with {@link Reason#ENTRY_COORDINATES} if a live vector's
   *     entry lacks a coordinate or has an impossible one
   * @throws InvalidDeletionVectorException with {@link Reason#PARTITION}, {@link
   *     Reason#SEQUENCE_NUMBER} or {@link Reason#POSITION_RANGE} if a vector that changed does not
   *     fit its data file, or with the first of them if a manifest is of a partition spec that the
   *     table does not have
   * @throws UncheckedIOException if the storage fails
   */
  public static DeletesBetween of(Table table, long fromSnapshotId, long toSnapshotId) {
    return new DeletesBetween(
        table, snapshot(table, fromSnapshotId), snapshot(table, toSnapshotId));
  }

  private static Snapshot snapshot(Table table, long snapshotId) {
    Snapshot snapshot = table.snapshot(snapshotId);
    if (snapshot == null) {
      throw new IllegalArgumentException(
          "Cannot compare snapshots of table "
              + table.name()
              + ": it has no snapshot "
              + snapshotId
              + ", which has expired or never was one of this table");
    }
    return snapshot;
  }

  /**
   * Tells whether the first snapshot is the second one or an ancestor of it. If not, as when it is
   * the later one or of another branch, deleted rows may well be back, and nothing is known of who
   * removed a data file. Also false where a snapshot between the two has expired.
   */
  public boolean fromIsAncestor() {
    return fromIsAncestor;
  }

  /** Returns the live deletes of the first snapshot. */
  public LiveDeletes before() {
    return before;
  }

  /** Returns the live deletes of the second snapshot. */
  public LiveDeletes after() {
    return after;
  }

  /**
   * Returns the changes, at most one for each data file, with the vectors that they need read with
   * the full check through the table's storage and encryption.
   *
   * @see #changes(DeletionVectorReader)
   */
  public CloseableIterable<DeletesChange> changes() {
    return changes(DeletionVectorReader.of(table));
  }

  /**
   * Returns the changes, at most one for each data file, as {@code reader} reads the vectors that
   * they need, anew by every iterator: first what needs none, then in the order of the Puffin files
   * of the second snapshot, and data files that were removed last. The caller closes it.
   *
   * <p>Iterators throw what {@code reader} throws on a vector that breaks a rule, and {@link
   * InvalidDeletionVectorException} with {@link Reason#POSITION_RANGE} if a vector of the second
   * snapshot deletes rows that its data file does not have.
   */
  public CloseableIterable<DeletesChange> changes(DeletionVectorReader reader) {
    Iterable<DeleteFile> vectors =
        () -> changes.stream().flatMap(change -> change.vectors().stream()).iterator();
    CloseableIterable<ReadVector> read = reader.readAll(vectors);
    return CloseableIterable.combine(() -> new Changes(changes.iterator(), read.iterator()), read);
  }

  /** Completes changes with vectors, which come in the order in which they were asked for. */
  private static final class Changes implements Iterator<DeletesChange> {
    private final Iterator<UnreadChange> pending;
    private final Iterator<ReadVector> vectors;
    private @Nullable DeletesChange next;

    private Changes(Iterator<UnreadChange> pending, Iterator<ReadVector> vectors) {
      this.pending = pending;
      this.vectors = vectors;
    }

    @Override
    public boolean hasNext() {
      while (next == null && pending.hasNext()) {
        next = complete(pending.next()).orElse(null);
      }
      return next != null;
    }

    private Optional<DeletesChange> complete(UnreadChange change) {
      List<DeletedPositions> positions = new ArrayList<>();
      for (DeleteFile vector : change.vectors()) {
        positions.add(read(vector));
      }
      return change.completion().apply(positions);
    }

    private DeletedPositions read(DeleteFile vector) {
      ReadVector read = vectors.next();
      DeletionVectorIdentity expected = DeletionVectorIdentity.of(vector);
      if (!read.identity().equals(expected)) {
        throw new IllegalStateException("Read " + read.identity() + " instead of " + expected);
      }
      return read.positions();
    }

    @Override
    public DeletesChange next() {
      if (!hasNext() || next == null) {
        throw new NoSuchElementException();
      }
      DeletesChange change = next;
      next = null;
      return change;
    }
  }
}
