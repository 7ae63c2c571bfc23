package io.github.icebergext.dv.maintain;

import io.github.icebergext.dv.InvalidDeletionVectorException;
import io.github.icebergext.dv.internal.FormatVersions;
import io.github.icebergext.puffin.Reason;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.ExpireSnapshots;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.ManifestContent;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.encryption.EncryptingFileIO;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.exceptions.CommitStateUnknownException;
import org.apache.iceberg.exceptions.NotFoundException;
import org.apache.iceberg.exceptions.ValidationException;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.SupportsBulkOperations;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Expires snapshots of a table and keeps every Puffin file that is still needed.
 *
 * <pre>{@code
 * ExpiryResult result = PuffinGuard.of(table).expire(e -> e.expireOlderThan(timestamp).retainLast(10));
 * }</pre>
 *
 * <p>Iceberg's own {@code table.expireSnapshots()} deletes the file of each deletion vector that an
 * expired snapshot removed, even if the same file holds live vectors of other data files. Their
 * deletes are lost then: a scan fails, and no metadata can bring them back. The guard decides
 * instead: after the expiry is committed, it reads the live delete entries of all retained
 * snapshots, whether they are in the history of a branch, tagged or staged, and keeps each file
 * that one of them names. Their manifests and manifest lists are kept too, which Iceberg deletes if
 * it cannot read a manifest list for some seconds, and the statistics files that the table has.
 * Where a snapshot outside the history of main expires, such as one that only a tag had, the guard
 * reads the live data entries as well: Iceberg 1.8 and 1.9 delete live data files then. Files are
 * compared by path, without scheme and authority; a file that is kept without need costs its bytes.
 *
 * <p>Iceberg makes the plan, and the guard only takes files out of it. What Iceberg's settings keep
 * stays, and so does all that {@code cleanExpiredFiles(false)} and the clean-up levels of newer
 * versions keep.
 *
 * <p>A guard serves one expiry:
 *
 * <pre>
 *   new ── expire ──► expiring ──► done         what Iceberg wants to delete is collected, then judged
 *    │                                          at once and deleted in bulk where the storage can
 *    └─── accept ──► deleting                   as a plain deleteWith: judged and deleted file by file
 * </pre>
 *
 * <p>Nothing is deleted before the expiry is committed. If the expiry fails, or nobody knows
 * whether it was committed, nothing is deleted at all. If this process ends while files are being
 * deleted, the rest stays in the storage and nothing refers to it.
 *
 * <p>As a plain {@code table.expireSnapshots().deleteWith(guard)}, {@link #accept} may be called by
 * several threads at once. Everything else is not thread-safe.
 */
public final class PuffinGuard implements Consumer<String> {
  private static final Logger LOG = LoggerFactory.getLogger(PuffinGuard.class);

  private final Table table;
  private final TableOperations operations;

  /** The metadata before the expiry. */
  private TableMetadata before;

  private boolean used;

  /** The metadata that {@link #retained} was read from; null before that. */
  private @Nullable TableMetadata readFrom;

  private @Nullable RetainedFiles retained;
  private @Nullable RuntimeException unreadable;
  private final Set<String> deleted = new LinkedHashSet<>();
  private final Map<String, KeptFile> kept = new LinkedHashMap<>();
  private final Map<String, RuntimeException> failed = new LinkedHashMap<>();

  private PuffinGuard(Table table, TableOperations operations) {
    this.table = table;
    this.operations = operations;
    this.before = operations.current();
  }

  /**
   * Returns a guard for one expiry of {@code table}.
   *
   * @throws IllegalArgumentException if the table is not one that a catalog gave, such as a
   *     serialized or a metadata table
   */
  public static PuffinGuard of(Table table) {
    if (table instanceof HasTableOperations withOperations) {
      return new PuffinGuard(table, withOperations.operations());
    }
    throw new IllegalArgumentException(
        "Cannot guard an expiry of "
            + table.name()
            + ": it has no table operations; load the table from its catalog");
  }

  /**
   * Expires snapshots: commits the expiry, and then deletes what is not needed any more.
   *
   * @param settings says which snapshots expire, and how files are found; a {@code deleteWith} that
   *     it sets is replaced by this guard. It must not commit.
   * @return what was expired, deleted and kept, and what could not be deleted
   * @throws IllegalStateException if this guard was used before
   * @throws InvalidDeletionVectorException with {@link Reason#FORMAT_VERSION} if the table's format
   *     version is more than 3
   * @throws RuntimeException what Iceberg throws if the expiry cannot be committed; no file is
   *     deleted then. What it throws after the commit, because it cannot read which files are not
   *     needed, is {@link ExpiryResult#unreadable} instead
   */
  public ExpiryResult expire(Consumer<ExpireSnapshots> settings) {
    if (used) {
      throw new IllegalStateException(
          "Cannot expire snapshots of " + table.name() + ": the guard was used before");
    }
    used = true;
    before = operations.refresh();
    Collection<String> unneeded = commit(settings);
    if (unreadable == null) {
      read();
    }
    delete(judge(unneeded));
    return result(readFrom == null ? before : readFrom);
  }

  /**
   * Returns what {@link #expire} would do now, and changes nothing. {@link ExpiryResult#kept} are
   * the files that the expiry without a guard would destroy. May be called any number of times.
   *
   * @param settings as for {@link #expire}
   * @throws InvalidDeletionVectorException with {@link Reason#FORMAT_VERSION} if the table's format
   *     version is more than 3
   */
  public ExpiryResult plan(Consumer<ExpireSnapshots> settings) {
    UncommittedOperations uncommitted = new UncommittedOperations(operations, operations.refresh());
    PuffinGuard guard = new PuffinGuard(new BaseTable(uncommitted, table.name()), uncommitted);
    Collection<String> unneeded = guard.commit(settings);
    if (guard.unreadable == null) {
      guard.read();
    }
    guard.deleted.addAll(guard.judge(unneeded));
    return guard.result(uncommitted.current());
  }

  /**
   * Commits the expiry and returns the files that Iceberg would delete then, without repeats. None,
   * and {@link #unreadable} is set, if it cannot tell after the commit which these are.
   */
  private Collection<String> commit(Consumer<ExpireSnapshots> settings) {
    FormatVersions.checkReadable(table);
    Collection<String> unneeded = new ConcurrentLinkedQueue<>();
    ExpireSnapshots expiry = table.expireSnapshots();
    settings.accept(expiry);
    try {
      expiry.deleteWith(unneeded::add).commit();
    } catch (CommitFailedException | CommitStateUnknownException | ValidationException e) {
      throw e;
    } catch (RuntimeException e) {
      readFrom = operations.refresh();
      if (expired(readFrom).isEmpty()) {
        throw e;
      }
      LOG.warn("Cannot find the files of {} that are not needed any more", table.name(), e);
      unreadable = e;
      return List.of();
    }
    return new LinkedHashSet<>(unneeded);
  }

  /**
   * Deletes a file that Iceberg's expiry says is not needed any more, unless it is: for {@code
   * table.expireSnapshots().deleteWith(guard)}. The first call reads what the retained snapshots
   * need. If that cannot be read, this and every further file is kept.
   *
   * @throws IllegalStateException if this guard {@linkplain #expire expires} snapshots itself
   * @throws RuntimeException what the storage throws; Iceberg tries again, and logs the failure
   */
  @Override
  public void accept(String location) {
    Optional<KeptFile> needed;
    synchronized (this) {
      if (used) {
        throw new IllegalStateException(
            "Cannot delete " + location + ": the guard has expired snapshots itself");
      }
      // Another metadata file since the last call: what was read of the table may be outdated.
      if (readFrom == null || readFrom != operations.current()) {
        read();
      }
      needed = keeps(location);
      needed.ifPresent(file -> kept.put(location, file));
    }
    if (needed.isEmpty()) {
      deleteNow(location);
    }
  }

  private void deleteNow(String location) {
    RuntimeException failure = null;
    try {
      table.io().deleteFile(location);
    } catch (NotFoundException e) {
      // Gone already, which is what was wanted.
    } catch (RuntimeException e) {
      failure = e;
    }
    synchronized (this) {
      if (failure == null) {
        deleted.add(location);
        failed.remove(location);
      } else {
        failed.put(location, failure);
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  /**
   * Returns what a guard that was given to Iceberg as a plain {@code deleteWith} deleted and kept
   * so far.
   */
  public synchronized ExpiryResult result() {
    return result(List.of(), List.of());
  }

  /** Reads what the table needs now, after the commit of the expiry. */
  private void read() {
    retained = null;
    unreadable = null;
    try {
      TableMetadata metadata = operations.refresh();
      readFrom = metadata;
      FormatVersions.checkReadable(table.name(), metadata.formatVersion());
      FileIO io = EncryptingFileIO.combine(table.io(), table.encryption());
      retained = RetainedFiles.of(metadata, io, contents(metadata));
    } catch (RuntimeException e) {
      LOG.warn(
          "Cannot read what the retained snapshots of {} need; no file is deleted",
          table.name(),
          e);
      unreadable = e;
    }
  }

  /** Returns which manifests have to be read. */
  private Set<ManifestContent> contents(TableMetadata after) {
    Set<Long> main = GuardBranch.main(before);
    boolean onlyOfMain = expired(after).stream().map(Snapshot::snapshotId).allMatch(main::contains);
    return onlyOfMain ? EnumSet.of(ManifestContent.DELETES) : EnumSet.allOf(ManifestContent.class);
  }

  private Optional<KeptFile> keeps(String location) {
    return retained == null
        ? Optional.of(KeptFile.because(KeptFile.Cause.NOT_KNOWN, location))
        : retained.keeps(location);
  }

  /** Returns the files that may be deleted, and notes the others. */
  private List<String> judge(Collection<String> unneeded) {
    List<String> deletable = new ArrayList<>();
    for (String location : unneeded) {
      keeps(location)
          .ifPresentOrElse(file -> kept.put(location, file), () -> deletable.add(location));
    }
    return deletable;
  }

  private void delete(List<String> locations) {
    if (table.io() instanceof SupportsBulkOperations bulk && !locations.isEmpty()) {
      try {
        bulk.deleteFiles(locations);
        deleted.addAll(locations);
        return;
      } catch (RuntimeException e) {
        // It says how many failed, not which. Deleting a file again does no harm.
        LOG.warn("Cannot delete files of {} in bulk, deleting them one by one", table.name(), e);
      }
    }
    for (String location : locations) {
      try {
        deleteNow(location);
      } catch (RuntimeException e) {
        LOG.warn("Cannot delete {}, which nothing refers to", location, e);
      }
    }
  }

  /** Returns the snapshots that the table had before the expiry and lacks after it. */
  private List<Snapshot> expired(TableMetadata after) {
    return before.snapshots().stream()
        .filter(snapshot -> after.snapshot(snapshot.snapshotId()) == null)
        .sorted(Comparator.comparingLong(Snapshot::timestampMillis))
        .toList();
  }

  private ExpiryResult result(TableMetadata after) {
    List<String> removedRefs =
        before.refs().keySet().stream()
            .filter(name -> !after.refs().containsKey(name))
            .sorted()
            .toList();
    return result(expired(after), removedRefs);
  }

  private ExpiryResult result(List<Snapshot> expiredSnapshots, List<String> removedRefs) {
    return new ExpiryResult(
        expiredSnapshots,
        removedRefs,
        deleted.stream().sorted().toList(),
        kept.values().stream().sorted(Comparator.comparing(KeptFile::location)).toList(),
        failed,
        Optional.ofNullable(unreadable));
  }
}
