package io.github.icebergext.dv.read;

import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.dv.internal.FooterFacts;
import org.jspecify.annotations.Nullable;

/**
 * A vector in a cache.
 *
 * @param positions the positions
 * @param facts what the footer says of it; null if no footer was looked at, or there is none
 */
record CachedVector(DeletedPositions positions, @Nullable FooterFacts facts) {
  /** The key, the entry, and what the cache adds, about. */
  private static final int OVERHEAD = 400;

  /** Returns what the vector holds in memory, in bytes, about. */
  long bytes() {
    return OVERHEAD + positions.retainedSizeInBytes() + (facts == null ? 0 : facts.bytes());
  }
}
