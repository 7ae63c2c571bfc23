package io.github.icebergext.dv.read;

/**
 * How a cache does since it was made.
 *
 * @param hits number of look-ups that found what they asked for
 * @param misses number of look-ups that did not
 * @param evictions number of entries dropped to stay under the most bytes
 * @param entries number of entries, about
 * @param bytes what the entries hold in memory, in bytes, about
 */
public record CacheStats(long hits, long misses, long evictions, long entries, long bytes) {}
