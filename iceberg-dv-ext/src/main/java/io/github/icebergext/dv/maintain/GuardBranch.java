package io.github.icebergext.dv.maintain;

import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotRef;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.Transaction;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.util.PropertyUtil;
import org.apache.iceberg.util.SnapshotUtil;
import org.jspecify.annotations.Nullable;

/**
 * A branch that protects a table whose snapshots are expired by others than {@link PuffinGuard}: by
 * a service that calls {@code table.expireSnapshots()}, by Flink or by Trino.
 *
 * <p>Iceberg's expiry has two ways to find the files that it deletes. The incremental one deletes
 * Puffin files that hold live deletion vectors, see {@link PuffinGuard}. It is taken where all
 * snapshots of a table are in the history of main (in Iceberg 1.8 and 1.9: where main is the only
 * branch and there is no tag). The other one deletes only what no retained snapshot names. So a
 * table with one more branch, whose head is not in the history of main, is safe, whoever expires
 * its snapshots.
 *
 * <p>The branch is made in one commit of two snapshots. In the first every file of main is marked
 * as removed, which writes new manifests for all of them; it goes with the next expiry. The second
 * has no file at all; it does not expire, and keeps no other snapshot. So in the end the branch
 * costs one small manifest list, and time: each expiry reads all manifests of the retained
 * snapshots. Main itself does not change.
 *
 * <p>The branch is no copy of the data: whoever makes main an equal of it, for example by {@code
 * fastForwardBranch} or {@code replaceBranch}, empties the table.
 *
 * <p>On Iceberg 1.8 and 1.9 a branch that goes by its age in the middle of an expiry makes that one
 * delete live data files of main. This one cannot: the same commit that makes it says that it
 * stays.
 *
 * <p>Not thread-safe.
 */
public final class GuardBranch {
  /** The name of the branch. */
  public static final String NAME = "puffin-guard";

  /** Stands in the summary of the branch's snapshot, so that no other branch is taken for it. */
  private static final String MARK = "puffin-guard";

  private static final long NEVER = Long.MAX_VALUE;
  private static final int ATTEMPTS = 10;

  /** What a table has of the guard branch. */
  public enum State {
    /** The table has no branch and no tag of that name. */
    ABSENT,

    /** The table has the branch and is protected by it. */
    PROTECTING,

    /**
     * The table has the branch, but it does not protect: others let it expire, or main has its
     * snapshot in its history. {@link GuardBranch#create} mends it.
     */
    INEFFECTIVE,

    /** The table has a branch or tag of that name that this class did not make. */
    FOREIGN
  }

  private final Table table;
  private final TableOperations operations;

  private GuardBranch(Table table, TableOperations operations) {
    this.table = table;
    this.operations = operations;
  }

  /**
   * Returns the guard branch of {@code table}, which may not be there yet.
   *
   * @throws IllegalArgumentException if the table is not one that a catalog gave, such as a
   *     serialized or a metadata table
   */
  public static GuardBranch of(Table table) {
    if (table instanceof HasTableOperations withOperations) {
      return new GuardBranch(table, withOperations.operations());
    }
    throw new IllegalArgumentException(
        "Cannot make a guard branch of " + table.name() + ": load the table from its catalog");
  }

  /** Returns whether the table has the branch and is protected by it. */
  public boolean exists() {
    return state() == State.PROTECTING;
  }

  /** Returns what the table has of the branch now. */
  public State state() {
    TableMetadata metadata = operations.refresh();
    SnapshotRef ref = metadata.ref(NAME);
    if (ref == null) {
      return State.ABSENT;
    }
    if (!isMarked(metadata, ref)) {
      return State.FOREIGN;
    }
    return protects(metadata, NAME) ? State.PROTECTING : State.INEFFECTIVE;
  }

  /**
   * Makes the branch in one commit. Nothing happens if it {@linkplain #exists exists}.
   *
   * @return whether the branch was made
   * @throws IllegalStateException if main has no snapshot, or if there is a branch or tag of the
   *     same name that this class did not make
   * @throws CommitFailedException if others kept changing the table; it may be tried again
   */
  public boolean create() {
    if (exists()) {
      return false;
    }
    for (int attempt = 1; ; attempt++) {
      TableMetadata metadata = operations.current();
      if (metadata.currentSnapshot() == null) {
        throw new IllegalStateException(
            "Cannot protect " + table.name() + ": its main branch has no snapshot yet");
      }
      checkOurs(metadata, "protect");
      try {
        commit();
        return true;
      } catch (CommitFailedException e) {
        // A transaction does not try again by itself after a commit of others.
        if (attempt == ATTEMPTS) {
          throw e;
        }
        operations.refresh();
      }
    }
  }

  private void commit() {
    Transaction transaction = table.newTransaction();
    transaction
        .newDelete()
        .deleteFromRowFilter(Expressions.alwaysTrue())
        .set(MARK, "true")
        .toBranch(NAME)
        .commit();
    transaction.newAppend().set(MARK, "true").toBranch(NAME).commit();
    // Of the branch only its head stays: those before it have, or had, all files of main.
    transaction
        .manageSnapshots()
        .setMaxRefAgeMs(NAME, NEVER)
        .setMinSnapshotsToKeep(NAME, 1)
        .setMaxSnapshotAgeMs(NAME, 1)
        .commit();
    transaction.commitTransaction();
  }

  /**
   * Removes the branch. Its snapshot goes with the next expiry. Nothing happens if the table has no
   * such branch.
   *
   * <p>If {@link PuffinsAtRisk} finds files, expire snapshots once more before: the next plain
   * expiry would delete them.
   *
   * @return whether the branch was removed
   * @throws IllegalStateException if this class did not make the branch
   */
  public boolean remove() {
    TableMetadata metadata = operations.refresh();
    if (metadata.ref(NAME) == null) {
      return false;
    }
    checkOurs(metadata, "remove the protection of");
    table.manageSnapshots().removeBranch(NAME).commit();
    return true;
  }

  private void checkOurs(TableMetadata metadata, String action) {
    SnapshotRef ref = metadata.ref(NAME);
    if (ref != null && !isMarked(metadata, ref)) {
      throw new IllegalStateException(
          "Cannot "
              + action
              + " "
              + table.name()
              + ": its "
              + (ref.isBranch() ? "branch " : "tag ")
              + NAME
              + " is another one, at snapshot "
              + ref.snapshotId());
    }
  }

  private static boolean isMarked(TableMetadata metadata, SnapshotRef ref) {
    Snapshot snapshot = metadata.snapshot(ref.snapshotId());
    return ref.isBranch() && snapshot != null && isMarked(snapshot.summary());
  }

  private static boolean isMarked(@Nullable Map<String, String> summary) {
    return summary != null && Boolean.parseBoolean(summary.get(MARK));
  }

  /**
   * Returns the name of a branch or tag because of which every expiry of {@code table} is a safe
   * one, on every version of Iceberg: it does not expire, and its snapshot is not in the history of
   * main. {@link #NAME} if there are several and it is one of them.
   *
   * @throws IllegalArgumentException as for {@link #of}
   */
  public static Optional<String> protectingRef(Table table) {
    return protectingRef(of(table).operations.current());
  }

  static Optional<String> protectingRef(TableMetadata metadata) {
    if (protects(metadata, NAME)) {
      return Optional.of(NAME);
    }
    return metadata.refs().keySet().stream()
        .filter(name -> protects(metadata, name))
        .sorted()
        .findFirst();
  }

  private static boolean protects(TableMetadata metadata, String name) {
    SnapshotRef ref = metadata.ref(name);
    return ref != null && !mayExpire(metadata, ref) && !main(metadata).contains(ref.snapshotId());
  }

  private static boolean mayExpire(TableMetadata metadata, SnapshotRef ref) {
    Long age = ref.maxRefAgeMs();
    long most =
        age != null
            ? age
            : PropertyUtil.propertyAsLong(
                metadata.properties(),
                TableProperties.MAX_REF_AGE_MS,
                TableProperties.MAX_REF_AGE_MS_DEFAULT);
    return most != NEVER;
  }

  /** Returns the ids of the snapshots in the history of main that are not expired. */
  static Set<Long> main(TableMetadata metadata) {
    Set<Long> main = new HashSet<>();
    Snapshot head = metadata.currentSnapshot();
    if (head != null) {
      SnapshotUtil.ancestorsOf(head.snapshotId(), metadata::snapshot)
          .forEach(ancestor -> main.add(ancestor.snapshotId()));
    }
    return main;
  }
}
