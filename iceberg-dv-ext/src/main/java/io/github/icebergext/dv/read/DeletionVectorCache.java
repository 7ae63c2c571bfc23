package io.github.icebergext.dv.read;

import io.github.icebergext.dv.DeletionVectorIdentity;
import org.jspecify.annotations.Nullable;

/**
 * Vectors that were read and checked, by their identity, for readers that meet the same ones again.
 *
 * <p>Holds at most a given number of bytes, and drops what is used least. What is in it was checked
 * when it was read, and is compared with the entry at hand whenever it is used; what was only
 * checked against its entry never serves a {@link ReadCheck#FULL} read. Locations are taken to be
 * those of one storage, whose files do not change.
 *
 * <p>Needs Caffeine on the class path, which Iceberg brings unless it is shaded away. Thread-safe.
 */
public final class DeletionVectorCache {
  private final ByteWeightedCache<DeletionVectorIdentity, CachedVector> cache;

  private DeletionVectorCache(long maxBytes) {
    this.cache = new ByteWeightedCache<>(maxBytes, CachedVector::bytes);
  }

  /**
   * Creates an empty cache.
   *
   * @param maxBytes most bytes of memory that the vectors may hold, at least 0
   * @throws IllegalArgumentException if {@code maxBytes} is negative
   * @throws IllegalStateException if Caffeine is not on the class path
   */
  public static DeletionVectorCache ofMaxBytes(long maxBytes) {
    return new DeletionVectorCache(maxBytes);
  }

  /** Returns how the cache does. */
  public CacheStats figures() {
    return cache.figures();
  }

  /** Drops all vectors. */
  public void clear() {
    cache.clear();
  }

  /** Returns a vector that was checked as much as {@code check} says, or null. */
  @Nullable CachedVector find(DeletionVectorIdentity identity, ReadCheck check) {
    return cache.find(identity, vector -> check == ReadCheck.ENTRY || vector.facts() != null);
  }

  /** Adds a vector, unless the one there was checked more. */
  void put(DeletionVectorIdentity identity, CachedVector vector) {
    cache.put(identity, vector, (old, added) -> added.facts() == null ? old : added);
  }
}
