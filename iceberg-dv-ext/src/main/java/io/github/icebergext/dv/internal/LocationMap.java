package io.github.icebergext.dv.internal;

/**
 * Locations of files, each with a number. A location is kept as 64 bits, so millions of them fit a
 * small heap. Two locations of the same bits are one in this map: of ten million against ten
 * million others one pair in a hundred thousand runs. Then a file seems to be in the map that is
 * not; the reverse never happens.
 *
 * <p>Locations are equal when their {@linkplain Location#path paths} are. No spelling of a location
 * makes a file look unknown.
 *
 * <p>Thread-safe.
 */
public final class LocationMap {
  /** What {@link #get} returns for a location that is not in the map. */
  public static final int ABSENT = -1;

  private static final long EMPTY = 0;
  private static final long HASH_START = 0xcbf29ce484222325L;
  private static final long HASH_FACTOR = 0x100000001b3L;
  private static final int FIRST_SLOTS = 1 << 10;

  /** Open addressing by linear probing, at most two thirds full. */
  private long[] slots = new long[FIRST_SLOTS];

  private int[] numbers = new int[FIRST_SLOTS];
  private int size;

  /** Adds a location with the number 0. Nothing changes if the location is there. */
  public void add(String location) {
    putLeast(location, 0);
  }

  /**
   * Adds a location. If it is there, the lesser of both numbers stays.
   *
   * @param number at least 0
   */
  public synchronized void putLeast(String location, int number) {
    if (3L * (size + 1) > 2L * slots.length) {
      grow();
    }
    long fingerprint = fingerprint(location);
    int slot = slot(fingerprint);
    if (slots[slot] == EMPTY) {
      size++;
      slots[slot] = fingerprint;
      numbers[slot] = number;
    } else {
      numbers[slot] = Math.min(numbers[slot], number);
    }
  }

  /** Returns the number of a location, or {@link #ABSENT}. */
  public synchronized int get(String location) {
    int slot = slot(fingerprint(location));
    return slots[slot] == EMPTY ? ABSENT : numbers[slot];
  }

  /** Returns whether the location is in the map. */
  public boolean contains(String location) {
    return get(location) != ABSENT;
  }

  /** Returns how many locations are in the map. */
  public synchronized int size() {
    return size;
  }

  private static long fingerprint(String location) {
    String path = Location.path(location);
    long hash = HASH_START;
    for (int i = 0; i < path.length(); i++) {
      hash = (hash ^ path.charAt(i)) * HASH_FACTOR;
    }
    long mixed = mix(hash);
    return mixed == EMPTY ? 1 : mixed;
  }

  /** The low bits choose the slot, so all others have to reach them. */
  private static long mix(long hash) {
    long mixed = (hash ^ (hash >>> 33)) * 0xff51afd7ed558ccdL;
    mixed = (mixed ^ (mixed >>> 33)) * 0xc4ceb9fe1a85ec53L;
    return mixed ^ (mixed >>> 33);
  }

  private void grow() {
    long[] oldSlots = slots;
    int[] oldNumbers = numbers;
    slots = new long[2 * oldSlots.length];
    numbers = new int[2 * oldSlots.length];
    for (int old = 0; old < oldSlots.length; old++) {
      if (oldSlots[old] != EMPTY) {
        int slot = slot(oldSlots[old]);
        slots[slot] = oldSlots[old];
        numbers[slot] = oldNumbers[old];
      }
    }
  }

  private int slot(long fingerprint) {
    int slot = (int) fingerprint & (slots.length - 1);
    while (slots[slot] != EMPTY && slots[slot] != fingerprint) {
      slot = (slot + 1) & (slots.length - 1);
    }
    return slot;
  }
}
