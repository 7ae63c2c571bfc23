package io.github.icebergext.dv.maintain;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.iceberg.Snapshot;

/**
 * What a guarded expiry of snapshots did, or, if it is a {@linkplain PuffinGuard#plan plan}, would
 * do.
 *
 * <p>Immutable and thread-safe.
 */
public final class ExpiryResult {
  private final List<Snapshot> expiredSnapshots;
  private final List<String> removedRefs;
  private final List<String> deleted;
  private final List<KeptFile> kept;
  private final Map<String, RuntimeException> failed;
  private final Optional<RuntimeException> unreadable;

  ExpiryResult(
      List<Snapshot> expiredSnapshots,
      List<String> removedRefs,
      List<String> deleted,
      List<KeptFile> kept,
      Map<String, RuntimeException> failed,
      Optional<RuntimeException> unreadable) {
    this.expiredSnapshots = List.copyOf(expiredSnapshots);
    this.removedRefs = List.copyOf(removedRefs);
    this.deleted = List.copyOf(deleted);
    this.kept = List.copyOf(kept);
    this.failed = Map.copyOf(failed);
    this.unreadable = unreadable;
  }

  /**
   * Returns the snapshots that the table had before the expiry and lacks after it, oldest first.
   * Empty where the guard was given to Iceberg as a plain {@code deleteWith}.
   */
  public List<Snapshot> expiredSnapshots() {
    return expiredSnapshots;
  }

  /** Returns the names of the branches and tags that the expiry removed because of their age. */
  public List<String> removedRefs() {
    return removedRefs;
  }

  /**
   * Returns the locations of the files that were deleted, or would be, in order: data files, delete
   * files, manifests, manifest lists and statistics files.
   */
  public List<String> deleted() {
    return deleted;
  }

  /**
   * Returns the files that Iceberg's own expiry would have deleted although they are needed, or may
   * be. A later expiry deletes them when nothing needs them any more.
   */
  public List<KeptFile> kept() {
    return kept;
  }

  /**
   * Returns the files whose deletion failed, by location, with the last failure. They are in the
   * storage still, most likely, and nothing refers to them.
   */
  public Map<String, RuntimeException> failed() {
    return failed;
  }

  /**
   * Returns why the snapshots could not be read. If present, no file was deleted: those that
   * Iceberg would have deleted were kept with {@link KeptFile.Cause#NOT_KNOWN}, as far as it could
   * tell which these are.
   */
  public Optional<RuntimeException> unreadable() {
    return unreadable;
  }

  @Override
  public String toString() {
    return "expired snapshots: "
        + expiredSnapshots.size()
        + ", deleted files: "
        + deleted.size()
        + ", kept: "
        + kept.size()
        + ", failed: "
        + failed.size();
  }
}
