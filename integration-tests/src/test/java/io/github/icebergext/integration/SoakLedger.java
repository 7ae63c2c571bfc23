package io.github.icebergext.integration;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotRef;
import org.apache.iceberg.Table;
import org.jspecify.annotations.Nullable;

/**
 * The model of a soak: which rows each snapshot must have, by what was acknowledged.
 *
 * <p>Whoever commits notes under its snapshot what it appended or deleted; a snapshot of which
 * nothing is noted changes no rows. Whoever reads notes what it read of which snapshot. Both are
 * put together when nobody is at work: the rows of a snapshot are those of its parent with its own
 * changes. So what was read while others were committing is judged exactly.
 *
 * <p>All methods but {@link #settle} and {@link #tagged} are thread-safe.
 */
final class SoakLedger {
  private static final long NONE = -1;
  private static final long[] NO_ROWS = {};

  /** What was read of a snapshot: a list of rows in order, since a row may be read twice. */
  private record Reading(String reader, long snapshotId, List<Long> rows) {}

  /** The parents of all snapshots since the last settlement, also of some never committed. */
  private final Map<Long, Long> parents = new ConcurrentHashMap<>();

  private final Map<Long, long[]> appended = new ConcurrentHashMap<>();
  private final Map<Long, long[]> deleted = new ConcurrentHashMap<>();
  private final Queue<long[]> deletedBefore = new ConcurrentLinkedQueue<>();
  private final Queue<Reading> readings = new ConcurrentLinkedQueue<>();
  private final AtomicLong estimate = new AtomicLong();

  /** The rows of the snapshot that was current at the last settlement. */
  private final NavigableSet<Long> rows = new TreeSet<>();

  private long settled = NONE;
  private Map<Long, List<Long>> tagged = Map.of();

  /** Notes a snapshot that is about to be committed, by whomever. */
  void begin(Snapshot snapshot) {
    Long parent = snapshot.parentId();
    parents.put(snapshot.snapshotId(), parent == null ? NONE : parent);
  }

  void appended(long snapshotId, long[] ids) {
    appended.put(snapshotId, ids);
    estimate.addAndGet(ids.length);
  }

  /** Notes deletes whose commit was acknowledged; some may have been committed by others before. */
  void deleted(long snapshotId, long[] ids) {
    deleted.put(snapshotId, ids);
    estimate.addAndGet(-ids.length);
  }

  /** Notes deletes that were acknowledged without a snapshot, as others had made all of them. */
  void deletedBefore(long[] ids) {
    deletedBefore.add(ids);
  }

  void read(String reader, long snapshotId, List<Long> ids) {
    readings.add(new Reading(reader, snapshotId, ids));
  }

  /** Returns about how many rows there are now. */
  long estimate() {
    return estimate.get();
  }

  /**
   * Puts all that was noted together, and compares what was read with it. Nobody may be at work.
   *
   * @return the rows of the current snapshot, in order
   */
  List<Long> settle(Table table) {
    Set<Long> wanted = new HashSet<>(tags(table));
    readings.forEach(reading -> wanted.add(reading.snapshotId()));
    Map<Long, List<Long>> known = new HashMap<>(tagged);
    goTo(table.currentSnapshot().snapshotId(), wanted, known);
    for (Reading reading : readings) {
      check(
          reading.reader() + " of snapshot " + reading.snapshotId(),
          reading.rows(),
          known.get(reading.snapshotId()));
    }
    readings.clear();
    for (long[] ids : deletedBefore) {
      assertThat(LongStream.of(ids).filter(rows::contains))
          .as("rows whose delete was acknowledged without a commit, as they were deleted")
          .isEmpty();
    }
    deletedBefore.clear();
    known.keySet().retainAll(tags(table));
    tagged = known;
    estimate.set(rows.size());
    return List.copyOf(rows);
  }

  /** Returns the rows of a snapshot that was tagged at the last settlement, in order. */
  @Nullable List<Long> tagged(long snapshotId) {
    return tagged.get(snapshotId);
  }

  private void goTo(long snapshotId, Set<Long> wanted, Map<Long, List<Long>> known) {
    Deque<Long> since = new ArrayDeque<>();
    for (long id = snapshotId; id != settled; id = parents.get(id)) {
      assertThat(parents).as("snapshots since the last settlement").containsKey(id);
      since.push(id);
    }
    remember(settled, wanted, known);
    for (long id : since) {
      LongStream.of(appended.getOrDefault(id, NO_ROWS)).forEach(rows::add);
      LongStream.of(deleted.getOrDefault(id, NO_ROWS)).forEach(rows::remove);
      remember(id, wanted, known);
    }
    settled = snapshotId;
    parents.clear();
    appended.clear();
    deleted.clear();
  }

  private void remember(long snapshotId, Set<Long> wanted, Map<Long, List<Long>> known) {
    if (wanted.contains(snapshotId)) {
      known.put(snapshotId, List.copyOf(rows));
    }
  }

  /** Compares rows that were read, in order, with those that must be there. */
  static void check(String reading, List<Long> actual, @Nullable List<Long> expected) {
    assertThat(expected).as("what the model knows for the %s", reading).isNotNull();
    if (!actual.equals(expected)) {
      Set<Long> lost = new TreeSet<>(expected);
      actual.forEach(lost::remove);
      Set<Long> back = new TreeSet<>(actual);
      expected.forEach(back::remove);
      throw new AssertionError(
          "%s: %d rows instead of %d; lost: %s; back although deleted: %s"
              .formatted(reading, actual.size(), expected.size(), lost, back));
    }
  }

  private static Set<Long> tags(Table table) {
    Set<Long> tags = new HashSet<>();
    table.refs().values().stream()
        .filter(SnapshotRef::isTag)
        .forEach(tag -> tags.add(tag.snapshotId()));
    return tags;
  }
}
