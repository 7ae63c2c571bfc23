package io.github.icebergext.dv.write;

import io.github.icebergext.dv.commit.RewrittenFilePolicy;
import java.util.List;
import java.util.OptionalLong;

/**
 * What was committed.
 *
 * @param snapshotId the new snapshot; empty if there was nothing to commit, or if the catalog
 *     failed when it was asked right after the commit had succeeded
 * @param vectors the vectors that are live now; others than were flushed where those had to be
 *     united with concurrent ones
 * @param dropped deletes that were not committed; only under {@link RewrittenFilePolicy#DROP}
 */
public record CommittedVectors(
    OptionalLong snapshotId, List<FlushedVector> vectors, List<DroppedDeletes> dropped) {
  /** Copies the lists. */
  public CommittedVectors {
    vectors = List.copyOf(vectors);
    dropped = List.copyOf(dropped);
  }
}
