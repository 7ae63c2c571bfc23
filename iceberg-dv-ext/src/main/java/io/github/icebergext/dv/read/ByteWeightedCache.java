package io.github.icebergext.dv.read;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.OptionalLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BinaryOperator;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** A cache that holds at most a number of bytes, and counts. Thread-safe. */
final class ByteWeightedCache<K, V> {
  private final Cache<K, V> cache;
  private final LongAdder hits = new LongAdder();
  private final LongAdder misses = new LongAdder();

  /**
   * Creates an empty cache.
   *
   * @param bytes what a value holds in memory, with its key
   * @throws IllegalArgumentException if {@code maxBytes} is negative
   * @throws IllegalStateException if Caffeine is not on the class path
   */
  ByteWeightedCache(long maxBytes, ToLongFunction<V> bytes) {
    if (maxBytes < 0) {
      throw new IllegalArgumentException("Invalid maxBytes: " + maxBytes + ", expected at least 0");
    }
    try {
      this.cache = create(maxBytes, bytes);
    } catch (NoClassDefFoundError e) {
      throw new IllegalStateException(
          "Cannot create a cache: com.github.ben-manes.caffeine:caffeine is not on the class path",
          e);
    }
  }

  /** Has the threads that use the cache maintain it, not the pool that all of the host shares. */
  private static <K, V> Cache<K, V> create(long maxBytes, ToLongFunction<V> bytes) {
    return Caffeine.newBuilder()
        .maximumWeight(maxBytes)
        .<K, V>weigher((key, value) -> (int) Math.min(Integer.MAX_VALUE, bytes.applyAsLong(value)))
        .executor(Runnable::run)
        .recordStats()
        .build();
  }

  /** Returns a value that will do, or null. */
  @Nullable V find(K key, Predicate<V> condition) {
    V found = cache.getIfPresent(key);
    if (found != null && condition.test(found)) {
      hits.increment();
      return found;
    }
    misses.increment();
    return null;
  }

  /**
   * Adds a value.
   *
   * @param choice chooses between the value there and the one to be added
   */
  void put(K key, V value, BinaryOperator<V> choice) {
    cache.asMap().merge(key, value, choice);
  }

  void clear() {
    cache.invalidateAll();
  }

  CacheStats figures() {
    cache.cleanUp();
    OptionalLong bytes =
        cache
            .policy()
            .eviction()
            .map(eviction -> eviction.weightedSize())
            .orElse(OptionalLong.empty());
    return new CacheStats(
        hits.sum(),
        misses.sum(),
        cache.stats().evictionCount(),
        cache.estimatedSize(),
        bytes.orElse(0));
  }
}
