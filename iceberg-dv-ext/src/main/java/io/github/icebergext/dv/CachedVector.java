package io.github.icebergext.dv;

import java.util.List;
import org.apache.iceberg.puffin.BlobMetadata;

/**
 * A vector in a cache.
 *
 * @param positions the positions
 * @param blobs what the footer says of it, one blob or several at the very same bytes; empty if no
 *     footer was looked at
 */
record CachedVector(DeletedPositions positions, List<BlobMetadata> blobs) {
  /** Bytes of the key, the entry, and what the cache adds, about. */
  private static final int OVERHEAD = 400;

  long bytes() {
    return OVERHEAD
        + positions.retainedSizeInBytes()
        + blobs.stream().mapToLong(FooterIndex::bytes).sum();
  }
}
