package io.github.icebergext.dv.read;

import io.github.icebergext.dv.internal.FooterIndex;
import org.jspecify.annotations.Nullable;

/**
 * Puffin footers by the location and length of their files, for readers that read vectors of the
 * same files one by one under {@link ReadCheck#FULL}.
 *
 * <p>Holds at most a given number of bytes, and drops what is used least. Locations are taken to be
 * those of one storage.
 *
 * <p>Needs Caffeine on the class path, which Iceberg brings unless it is shaded away. Thread-safe.
 */
public final class FooterCache {
  private final ByteWeightedCache<Key, FooterIndex> cache;

  private record Key(String location, long length) {}

  private FooterCache(long maxBytes) {
    this.cache = new ByteWeightedCache<>(maxBytes, FooterIndex::bytes);
  }

  /**
   * Creates an empty cache.
   *
   * @param maxBytes most bytes of memory that the footers may hold, at least 0; a footer holds
   *     about 1 KiB for each blob
   * @throws IllegalArgumentException if {@code maxBytes} is negative
   * @throws IllegalStateException if Caffeine is not on the class path
   */
  public static FooterCache ofMaxBytes(long maxBytes) {
    return new FooterCache(maxBytes);
  }

  /** Returns how the cache does. */
  public CacheStats figures() {
    return cache.figures();
  }

  /** Drops all footers. */
  public void clear() {
    cache.clear();
  }

  @Nullable FooterIndex find(String location, long length) {
    return cache.find(new Key(location, length), footer -> true);
  }

  void put(String location, long length, FooterIndex footer) {
    cache.put(new Key(location, length), footer, (old, added) -> added);
  }
}
