package io.github.icebergext.dv.maintain;

import java.util.OptionalLong;

/**
 * A file that Iceberg's expiry wanted to delete and that the guard kept.
 *
 * <p>Immutable and thread-safe.
 */
public final class KeptFile {
  /** Why a file was kept. */
  public enum Cause {
    /** A live delete entry of a retained snapshot names the file: a deletion vector is in it. */
    LIVE_DELETES,

    /** A retained snapshot has the file as a live data file. */
    LIVE_DATA,

    /** The file is a manifest list or a manifest of a retained snapshot. */
    LIVE_METADATA,

    /** The retained metadata names the file as statistics of a table or of its partitions. */
    STATISTICS,

    /**
     * A manifest or manifest list of a retained snapshot cannot be read, so nobody knows whether
     * the file is needed.
     */
    NOT_KNOWN
  }

  private static final long NO_SNAPSHOT = -1;

  private final String location;
  private final Cause cause;
  private final long snapshotId;

  private KeptFile(String location, Cause cause, long snapshotId) {
    this.location = location;
    this.cause = cause;
    this.snapshotId = snapshotId;
  }

  static KeptFile liveIn(Cause cause, String location, long snapshotId) {
    return new KeptFile(location, cause, snapshotId);
  }

  static KeptFile because(Cause cause, String location) {
    return new KeptFile(location, cause, NO_SNAPSHOT);
  }

  /** Returns the location, as Iceberg gave it to the guard. */
  public String location() {
    return location;
  }

  /** Returns why the file was kept. */
  public Cause cause() {
    return cause;
  }

  /**
   * Returns a retained snapshot that needs the file; present for {@link Cause#LIVE_DELETES} and
   * {@link Cause#LIVE_DATA}. Where several do, it is the current one, or else the head of a branch
   * or a tag, or else the newest.
   */
  public OptionalLong snapshotId() {
    return snapshotId == NO_SNAPSHOT ? OptionalLong.empty() : OptionalLong.of(snapshotId);
  }

  @Override
  public String toString() {
    return location + " (" + cause + (snapshotId == NO_SNAPSHOT ? "" : " in " + snapshotId) + ")";
  }
}
