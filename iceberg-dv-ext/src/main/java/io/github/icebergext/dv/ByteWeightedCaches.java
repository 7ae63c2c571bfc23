package io.github.icebergext.dv;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.stats.CacheStats;
import java.util.OptionalLong;
import java.util.function.ToLongFunction;

/** Caches that hold at most a number of bytes, and count. */
final class ByteWeightedCaches {
  private ByteWeightedCaches() {}

  static <K, V> Cache<K, V> create(long maxBytes, ToLongFunction<V> bytes) {
    if (maxBytes < 0) {
      throw new IllegalArgumentException("Invalid maxBytes: " + maxBytes + ", expected at least 0");
    }
    try {
      return build(maxBytes, bytes);
    } catch (NoClassDefFoundError e) {
      throw new IllegalStateException(
          "Cannot create a cache: com.github.ben-manes.caffeine:caffeine is not on the class path",
          e);
    }
  }

  /**
   * Maintains the cache in the threads that use it, not in the pool that all of the host shares.
   */
  private static <K, V> Cache<K, V> build(long maxBytes, ToLongFunction<V> bytes) {
    return Caffeine.newBuilder()
        .maximumWeight(maxBytes)
        .<K, V>weigher((key, value) -> (int) Math.min(Integer.MAX_VALUE, bytes.applyAsLong(value)))
        .executor(Runnable::run)
        .recordStats()
        .build();
  }

  static CacheFigures figures(Cache<?, ?> cache) {
    cache.cleanUp();
    CacheStats stats = cache.stats();
    OptionalLong bytes =
        cache.policy().eviction().map(e -> e.weightedSize()).orElse(OptionalLong.empty());
    return new CacheFigures(
        stats.hitCount(),
        stats.missCount(),
        stats.evictionCount(),
        cache.estimatedSize(),
        bytes.orElse(0));
  }
}
