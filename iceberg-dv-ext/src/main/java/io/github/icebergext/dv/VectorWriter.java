package io.github.icebergext.dv;

import static io.github.icebergext.dv.ContainerView.plainBytes;
import static io.github.icebergext.dv.ContainerView.runBytes;
import static io.github.icebergext.dv.LittleEndian.putI32;
import static io.github.icebergext.dv.LittleEndian.putI64;
import static io.github.icebergext.dv.LittleEndian.putU16;
import static io.github.icebergext.dv.VectorParser.COOKIE;
import static io.github.icebergext.dv.VectorParser.COOKIE_WITH_RUNS;
import static io.github.icebergext.dv.VectorParser.COUNT_BYTES;
import static io.github.icebergext.dv.VectorParser.KEY_BYTES;
import static io.github.icebergext.dv.VectorParser.MIN_CONTAINERS_WITH_OFFSETS;

import java.util.Arrays;

/**
 * Writes a vector from its containers in ascending order. Each takes the smallest kind, runs only
 * where strictly smaller than the others, so that the same positions always give the same bytes:
 * those that Iceberg writes for positions added one by one.
 */
final class VectorWriter {
  /** Largest array that every JVM allocates. */
  static final int MAX_BYTES = Integer.MAX_VALUE - 8;

  /** Most full containers that a vector holds: descriptor, offset and one run each. */
  static final int MAX_CONTAINERS = MAX_BYTES / (4 + 4 + runBytes(1));

  private final Containers.Builder directory = new Containers.Builder();
  private byte[] contents;
  private int size;

  VectorWriter(int expectedBytes) {
    this.contents = new byte[expectedBytes];
  }

  /** Returns the containers of {@code source} in a vector of their own, as this class writes it. */
  static Containers write(Containers source) {
    VectorWriter writer = new VectorWriter(source.bytes.length);
    for (int i = 0; i < source.count; i++) {
      writer.append(source, i);
    }
    return writer.finish();
  }

  /** Tells whether a vector is as this class writes it. */
  static boolean isCanonical(Containers vector) {
    if (vector.origin != Containers.Origin.READ) {
      return vector.origin == Containers.Origin.WRITTEN;
    }
    for (int i = 0; i < vector.count; i++) {
      if (!isSmallest(vector, i, vector.view(i))) {
        return false;
      }
    }
    return true;
  }

  /** Tells whether runs are the smallest kind of container. */
  static boolean runsAreSmallest(int cardinality, int runs) {
    return runBytes(runs) < plainBytes(cardinality);
  }

  /** Appends the values that are set in {@code words}; nothing when there are none. */
  void append(long prefix, long[] words) {
    int cardinality = 0;
    int runs = 0;
    long carry = 0;
    for (long word : words) {
      cardinality += Long.bitCount(word);
      runs += Long.bitCount(word & ~(word << 1 | carry));
      carry = word >>> 63;
    }
    if (cardinality == 0) {
      return;
    }
    if (runsAreSmallest(cardinality, runs)) {
      begin(prefix, true, cardinality, runBytes(runs));
      putRuns(words, runs);
    } else {
      begin(prefix, false, cardinality, plainBytes(cardinality));
      putPlain(words, cardinality);
    }
  }

  /** Appends strictly ascending values; nothing when there are none. */
  void append(long prefix, char[] values, int count) {
    int runs = 0;
    int previous = -2;
    for (int i = 0; i < count; i++) {
      runs += (previous + 1 - values[i]) >>> 31;
      previous = values[i];
    }
    append(prefix, values, count, runs);
  }

  /**
   * Appends strictly ascending values; nothing when there are none.
   *
   * @param runs number of runs that they make up
   */
  void append(long prefix, char[] values, int count, int runs) {
    if (count == 0) {
      return;
    }
    if (runsAreSmallest(count, runs)) {
      begin(prefix, true, count, runBytes(runs));
      putRuns(values, count, runs);
    } else {
      begin(prefix, false, count, plainBytes(count));
      LittleEndian.putU16s(contents, size, values, count);
      size += plainBytes(count);
    }
  }

  /** Appends runs. */
  void append(long prefix, RunList runs) {
    int cardinality = runs.cardinality();
    if (runsAreSmallest(cardinality, runs.size())) {
      begin(prefix, true, cardinality, runBytes(runs.size()));
      put(runs.size());
      for (int i = 0; i < runs.size(); i++) {
        putRun(runs.first(i), runs.last(i));
      }
    } else {
      long[] words = new long[Bits.CONTAINER_WORDS];
      for (int i = 0; i < runs.size(); i++) {
        Bits.set(words, runs.first(i), runs.last(i) + 1);
      }
      append(prefix, words);
    }
  }

  /** Appends a container of another vector. */
  void append(Containers source, int index) {
    ContainerView view = source.view(index);
    if (isSmallest(source, index, view)) {
      int bytes = view.sizeInBytes();
      begin(source.prefix(index), source.isRun(index), source.cardinality(index), bytes);
      System.arraycopy(source.bytes, source.offset(index), contents, size, bytes);
      size += bytes;
    } else {
      long[] words = new long[Bits.CONTAINER_WORDS];
      view.flip(0, Containers.SPAN, words, 0);
      append(source.prefix(index), words);
    }
  }

  /**
   * Appends a bitset of another vector with further values, if it is sure to stay one.
   *
   * @param values what to add, of which the bitset has none
   * @return whether it was appended
   */
  boolean appendBitset(Containers source, int index, char[] values, int count) {
    int cardinality = source.cardinality(index) + count;
    // A value joins two runs at most.
    int tooMany = ContainerView.tooManyRuns(cardinality) + count;
    if (source.view(index).runs(tooMany) < tooMany) {
      return false;
    }
    begin(source.prefix(index), false, cardinality, ContainerView.BITSET_BYTES);
    System.arraycopy(
        source.bytes, source.offset(index), contents, size, ContainerView.BITSET_BYTES);
    for (int i = 0; i < count; i++) {
      contents[size + (values[i] >>> 3)] |= (byte) (1 << (values[i] & 7));
    }
    size += ContainerView.BITSET_BYTES;
    return true;
  }

  /** Tells whether a container is as this class writes it. */
  private static boolean isSmallest(Containers source, int index, ContainerView view) {
    int runs = view.runs(ContainerView.tooManyRuns(source.cardinality(index)));
    boolean smallest = runsAreSmallest(source.cardinality(index), runs);
    return source.isRun(index) == smallest && (!smallest || view.sizeInBytes() == runBytes(runs));
  }

  private void begin(long prefix, boolean run, int cardinality, int bytes) {
    directory.add(prefix, run, cardinality, size);
    if (bytes > contents.length - size) {
      long capacity = Math.max(2L * contents.length, (long) size + bytes);
      contents =
          Arrays.copyOf(
              contents, array(Math.min(capacity, Math.max(MAX_BYTES, (long) size + bytes))));
    }
  }

  private static int array(long bytes) {
    if (bytes > MAX_BYTES) {
      throw new IllegalStateException(
          "Cannot encode deletion vector: it takes "
              + bytes
              + " bytes, at most "
              + MAX_BYTES
              + " are possible");
    }
    return (int) bytes;
  }

  private void put(int value) {
    putU16(contents, size, value);
    size += Short.BYTES;
  }

  private void putRun(int start, int last) {
    put(start);
    put(last - start);
  }

  private void putRuns(long[] words, int runs) {
    put(runs);
    int end = 0;
    for (int i = 0; i < runs; i++) {
      int start = Bits.next(words, end);
      end = Bits.nextAbsent(words, start);
      putRun(start, end - 1);
    }
  }

  private void putRuns(char[] values, int count, int runs) {
    put(runs);
    for (int i = 0; i < count; ) {
      int first = i;
      do {
        i++;
      } while (i < count && values[i] == values[i - 1] + 1);
      putRun(values[first], values[i - 1]);
    }
  }

  private void putPlain(long[] words, int cardinality) {
    if (cardinality > ContainerView.MAX_ARRAY_CARDINALITY) {
      LittleEndian.putI64s(contents, size, words);
      size += ContainerView.BITSET_BYTES;
      return;
    }
    byte[] target = contents;
    int at = size;
    for (int i = 0; i < words.length; i++) {
      for (long word = words[i]; word != 0; word &= word - 1) {
        putU16(target, at, (i << 6) + Long.numberOfTrailingZeros(word));
        at += Short.BYTES;
      }
    }
    size = at;
  }

  /** Returns the vector in its frame, {@link DeletionVectorCodec#frame framed}. */
  Containers finish() {
    byte[] blob = new byte[array(DeletionVectorCodec.FRAME_BYTES + vectorBytes())];
    int at = DeletionVectorCodec.VECTOR_OFFSET;
    int count = 0;
    int counted = at;
    at += COUNT_BYTES;
    for (int i = 0; i < directory.count(); count++) {
      int end = bitmapEnd(i);
      at = writeBitmap(blob, at, i, end);
      i = end;
    }
    putI64(blob, counted, count);
    DeletionVectorCodec.frame(blob);
    return directory.build(blob, Containers.Origin.WRITTEN);
  }

  private long vectorBytes() {
    long bytes = COUNT_BYTES + (long) size;
    for (int i = 0; i < directory.count(); ) {
      int end = bitmapEnd(i);
      bytes += KEY_BYTES + headerBytes(end - i, hasRuns(i, end));
      i = end;
    }
    return bytes;
  }

  /** Returns the index after the last container of the bitmap that begins with {@code first}. */
  private int bitmapEnd(int first) {
    long key = directory.prefix(first) >>> 16;
    int end = first + 1;
    while (end < directory.count() && directory.prefix(end) >>> 16 == key) {
      end++;
    }
    return end;
  }

  private boolean hasRuns(int first, int end) {
    for (int i = first; i < end; i++) {
      if (directory.isRun(i)) {
        return true;
      }
    }
    return false;
  }

  private static int headerBytes(int containers, boolean runs) {
    if (!runs) {
      return 8 + 8 * containers;
    }
    int offsets = containers < MIN_CONTAINERS_WITH_OFFSETS ? 0 : 4 * containers;
    return 4 + (containers + 7) / 8 + 4 * containers + offsets;
  }

  /**
   * Writes one bitmap with its key, notes where its containers come to lie, and returns its end.
   */
  private int writeBitmap(byte[] blob, int keyAt, int first, int end) {
    int count = end - first;
    boolean runs = hasRuns(first, end);
    putI32(blob, keyAt, (int) (directory.prefix(first) >>> 16));
    int start = keyAt + KEY_BYTES;
    int at = writeCookie(blob, start, first, count, runs);
    for (int i = first; i < end; i++, at += 4) {
      putU16(blob, at, (int) directory.prefix(i));
      putU16(blob, at + 2, directory.cardinality(i) - 1);
    }
    int from = directory.offset(first);
    int bytes = (end == directory.count() ? size : directory.offset(end)) - from;
    int contentsAt = start + headerBytes(count, runs);
    for (int i = first; i < end; i++) {
      int offset = contentsAt + directory.offset(i) - from;
      if (at < contentsAt) {
        putI32(blob, at, offset - start);
        at += 4;
      }
      directory.offset(i, offset);
    }
    System.arraycopy(contents, from, blob, contentsAt, bytes);
    return contentsAt + bytes;
  }

  private int writeCookie(byte[] blob, int at, int first, int count, boolean runs) {
    if (!runs) {
      putI32(blob, at, COOKIE);
      putI32(blob, at + 4, count);
      return at + 8;
    }
    putI32(blob, at, COOKIE_WITH_RUNS | (count - 1) << 16);
    int flags = at + 4;
    for (int i = 0; i < count; i++) {
      if (directory.isRun(first + i)) {
        blob[flags + (i >>> 3)] |= (byte) (1 << (i & 7));
      }
    }
    return flags + (count + 7) / 8;
  }
}
