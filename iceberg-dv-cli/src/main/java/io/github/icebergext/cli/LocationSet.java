package io.github.icebergext.cli;

import java.util.Arrays;

/**
 * Locations of files, kept as 64 bits each, so that millions fit a small heap. Two locations of the
 * same bits are one in this set: of ten million against ten million others one pair in a hundred
 * thousand runs, and then a file seems to be in the set that is not, never the reverse.
 *
 * <p>Locations are equal when their paths are. Scheme and authority are left out, and several
 * slashes are one, so that no spelling of a location can make a file look unknown: {@code file:/x},
 * {@code file:///x} and {@code /x} are one, {@code s3://bucket/x} and {@code s3a://bucket/x}, and
 * also {@code hdfs://a/x} and {@code hdfs://b:8020/x}.
 *
 * <p>Thread-safe.
 */
final class LocationSet {
  private static final long EMPTY = 0;
  private static final long HASH_START = 0xcbf29ce484222325L;
  private static final long HASH_FACTOR = 0x100000001b3L;
  private static final int FIRST_SLOTS = 1 << 10;

  /** Open addressing by linear probing, at most two thirds full. */
  private long[] slots = new long[FIRST_SLOTS];

  private int size;

  /** Adds a location; nothing changes if it is there. */
  synchronized void add(String location) {
    if (3L * (size + 1) > 2L * slots.length) {
      grow();
    }
    if (put(slots, fingerprint(location))) {
      size++;
    }
  }

  synchronized boolean contains(String location) {
    long fingerprint = fingerprint(location);
    return slots[slot(slots, fingerprint)] == fingerprint;
  }

  synchronized int size() {
    return size;
  }

  /** Returns the location without scheme and authority, with one slash where several were. */
  static String path(String location) {
    return collapseSlashes(location.substring(pathStart(location)));
  }

  private static int pathStart(String location) {
    int start = 0;
    int colon = location.indexOf(':');
    if (colon > 0 && location.indexOf('/') == colon + 1) {
      start = colon + 1;
    }
    if (start > 0 && location.startsWith("//", start)) {
      int path = location.indexOf('/', start + 2);
      return path < 0 ? location.length() : path;
    }
    return start;
  }

  private static String collapseSlashes(String path) {
    if (!path.contains("//")) {
      return path;
    }
    StringBuilder collapsed = new StringBuilder(path.length());
    for (int i = 0; i < path.length(); i++) {
      char c = path.charAt(i);
      if (c != '/' || i == 0 || path.charAt(i - 1) != '/') {
        collapsed.append(c);
      }
    }
    return collapsed.toString();
  }

  private static long fingerprint(String location) {
    String path = path(location);
    long hash = HASH_START;
    for (int i = 0; i < path.length(); i++) {
      hash = (hash ^ path.charAt(i)) * HASH_FACTOR;
    }
    long mixed = mix(hash);
    return mixed == EMPTY ? 1 : mixed;
  }

  /** The low bits choose the slot, so that all others have to reach them. */
  private static long mix(long hash) {
    long mixed = (hash ^ (hash >>> 33)) * 0xff51afd7ed558ccdL;
    mixed = (mixed ^ (mixed >>> 33)) * 0xc4ceb9fe1a85ec53L;
    return mixed ^ (mixed >>> 33);
  }

  private void grow() {
    long[] larger = new long[2 * slots.length];
    Arrays.stream(slots).filter(slot -> slot != EMPTY).forEach(slot -> put(larger, slot));
    slots = larger;
  }

  private static boolean put(long[] slots, long fingerprint) {
    int slot = slot(slots, fingerprint);
    boolean added = slots[slot] == EMPTY;
    slots[slot] = fingerprint;
    return added;
  }

  private static int slot(long[] slots, long fingerprint) {
    int slot = (int) fingerprint & (slots.length - 1);
    while (slots[slot] != EMPTY && slots[slot] != fingerprint) {
      slot = (slot + 1) & (slots.length - 1);
    }
    return slot;
  }
}
