package io.github.icebergext.dv;

import static io.github.icebergext.dv.LittleEndian.i32;
import static io.github.icebergext.dv.LittleEndian.i64;
import static io.github.icebergext.dv.LittleEndian.u16;
import static io.github.icebergext.puffin.Reason.BITMAP_COUNT;
import static io.github.icebergext.puffin.Reason.BITMAP_DIRECTORY;
import static io.github.icebergext.puffin.Reason.BITMAP_KEY;
import static io.github.icebergext.puffin.Reason.CONTAINER_CONTENT;
import static io.github.icebergext.puffin.Reason.CONTAINER_OFFSET;
import static io.github.icebergext.puffin.Reason.TRAILING_BYTES;

import io.github.icebergext.dv.Containers.Origin;
import io.github.icebergext.puffin.Reason;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Finds and checks everything in a vector: portable Roaring of 64 bits, all numbers little-endian.
 *
 * <pre>
 * vector     8  number of 32-bit bitmaps, then for each, keys strictly ascending
 *            4  key: the high 32 bits of the positions, 0 to 2^31 - 1
 *            n  bitmap
 *
 * bitmap     4  cookie 12346, then 4 bytes with the number of containers
 *               or 12347 in the low half, the number of containers less 1 in the high half,
 *               then a bit for each container that holds runs, in whole bytes
 *          4 c  descriptor of each container: key (2), strictly ascending; cardinality less 1 (2)
 *          4 c  offset of each container from the cookie on;
 *               absent after cookie 12347 when there are fewer than 4 containers
 *            n  containers: runs where flagged; else an array of ascending values (2 each) up to
 *               4,096 of them; else a bitset of 8,192 bytes
 * </pre>
 *
 * <p>The directory of all bitmaps comes first, then the contents of all containers. Memory is in
 * proportion to the bytes that were there to be read, never to a number they declare, and time is
 * linear in them.
 *
 * @see <a href="https://github.com/RoaringBitmap/RoaringFormatSpec">Roaring format</a>
 */
final class VectorParser {
  static final int COUNT_BYTES = 8;
  static final int KEY_BYTES = 4;
  static final int COOKIE = 12346;
  static final int COOKIE_WITH_RUNS = 12347;

  /** Containers from which a bitmap with cookie {@link #COOKIE_WITH_RUNS} stores offsets. */
  static final int MIN_CONTAINERS_WITH_OFFSETS = 4;

  /** Cookie and number of containers of a bitmap without any. */
  private static final int EMPTY_BITMAP_BYTES = 8;

  private static final int DESCRIPTOR_BYTES = 4;
  private static final int OFFSET_BYTES = 4;
  private static final int MAX_CONTAINERS = 1 << 16;

  private final byte[] bytes;
  private final Containers.Builder directory = new Containers.Builder();
  private int at;
  private int end;

  private Origin origin = Origin.READ;

  private VectorParser(byte[] bytes, int start, int end) {
    this.bytes = bytes;
    this.at = start;
    this.end = end;
  }

  /**
   * Returns the containers of the vector from {@code start} to {@code end}.
   *
   * @throws InvalidDeletionVectorException if the vector breaks a rule of the format
   */
  static Containers parse(byte[] bytes, int start, int end) {
    VectorParser parser = directory(bytes, start, end);
    parser.checkContents();
    parser.checkConsumed();
    return parser.directory.build(bytes, parser.origin);
  }

  /** Finds the containers of a vector, and checks everything but their contents. */
  static VectorParser directory(byte[] bytes, int start, int end) {
    VectorParser parser = new VectorParser(bytes, start, end);
    parser.bitmaps();
    return parser;
  }

  /**
   * Returns the containers of Delta's native form: a 4-byte number of bitmaps, then for each its
   * 4-byte size and the bitmap, whose key is its index.
   *
   * @param order byte order of number and sizes, not of bitmaps
   * @throws InvalidDeletionVectorException if the vector breaks a rule of the format
   */
  static Containers parseDeltaNative(byte[] bytes, int start, int end, ByteOrder order) {
    VectorParser parser = new VectorParser(bytes, start, end);
    parser.deltaBitmaps(ByteBuffer.wrap(bytes).order(order));
    parser.checkContents();
    parser.checkConsumed();
    return parser.directory.build(bytes, Origin.READ_WITH_ODDITIES);
  }

  private void bitmaps() {
    require(COUNT_BYTES, BITMAP_COUNT, "the bitmap count");
    long count = i64(bytes, at);
    checkCount(count, COUNT_BYTES);
    long previous = -1;
    for (long i = 0; i < count; i++) {
      require(KEY_BYTES, BITMAP_DIRECTORY, "a bitmap key");
      int key = i32(bytes, at);
      if (key < 0) {
        throw invalid(
            BITMAP_KEY,
            "bitmap key is " + Integer.toUnsignedLong(key) + ", at most 2147483647 is legal");
      }
      if (key <= previous) {
        throw invalid(BITMAP_KEY, "bitmap key " + key + " follows " + previous + ", keys ascend");
      }
      previous = key;
      at += KEY_BYTES;
      bitmap(key);
    }
  }

  private void deltaBitmaps(ByteBuffer numbers) {
    require(Integer.BYTES, BITMAP_COUNT, "the bitmap count");
    int count = numbers.getInt(at);
    checkCount(count, Integer.BYTES);
    int vectorEnd = end;
    for (int key = 0; key < count; key++) {
      require(Integer.BYTES, BITMAP_DIRECTORY, "a bitmap size");
      int size = numbers.getInt(at);
      if (size < 0 || size > vectorEnd - at - Integer.BYTES) {
        throw invalid(
            BITMAP_DIRECTORY,
            "bitmap size is " + size + ", " + (vectorEnd - at - Integer.BYTES) + " bytes are left");
      }
      at += Integer.BYTES;
      end = at + size;
      bitmap(key);
      checkConsumed();
      end = vectorEnd;
    }
  }

  /** Checks a number of bitmaps against the bytes left, and steps over it. */
  private void checkCount(long count, int countBytes) {
    int left = end - at - countBytes;
    if (count < 0 || count > left / (KEY_BYTES + EMPTY_BITMAP_BYTES)) {
      throw invalid(
          BITMAP_COUNT,
          "bitmap count is "
              + Long.toUnsignedString(count)
              + ", which "
              + left
              + " bytes cannot hold");
    }
    at += countBytes;
  }

  private void bitmap(int key) {
    int start = at;
    require(Integer.BYTES, BITMAP_DIRECTORY, "a bitmap's cookie");
    int cookie = i32(bytes, at);
    boolean flagged = (cookie & 0xFFFF) == COOKIE_WITH_RUNS;
    int count = flagged ? (cookie >>> 16) + 1 : plainCount(cookie);
    at += flagged ? Integer.BYTES : EMPTY_BITMAP_BYTES;
    int flags = at;
    int descriptors = flags + (flagged ? (count + 7) / 8 : 0);
    int offsets = descriptors + DESCRIPTOR_BYTES * count;
    boolean stored = !flagged || count >= MIN_CONTAINERS_WITH_OFFSETS;
    int contents = offsets + (stored ? OFFSET_BYTES * count : 0);
    require(contents - at, BITMAP_DIRECTORY, "the directory of " + count + " containers");
    int first = directory.count();
    descriptors(key, count, descriptors, flagged ? flags : -1);
    noteOddity(count == 0 || (flagged && !plausibleFlags(flags, count)));
    at = contents;
    for (int i = 0; i < count; i++) {
      if (stored) {
        checkOffset(offsets + OFFSET_BYTES * i, at - start);
      }
      container(first + i);
    }
  }

  private int plainCount(int cookie) {
    if (cookie != COOKIE) {
      throw invalid(
          BITMAP_DIRECTORY,
          "cookie is " + cookie + ", expected 12346, or 12347 in the low 16 bits");
    }
    require(EMPTY_BITMAP_BYTES, BITMAP_DIRECTORY, "the number of containers");
    int count = i32(bytes, at + Integer.BYTES);
    if (count < 0 || count > MAX_CONTAINERS) {
      throw invalid(
          BITMAP_DIRECTORY,
          "number of containers is " + Integer.toUnsignedLong(count) + ", at most 65536 is legal");
    }
    return count;
  }

  private void descriptors(int key, int count, int descriptors, int flags) {
    directory.reserve(count);
    int previous = -1;
    for (int i = 0; i < count; i++) {
      int descriptor = descriptors + DESCRIPTOR_BYTES * i;
      int containerKey = u16(bytes, descriptor);
      if (containerKey <= previous) {
        at = descriptor;
        throw invalid(
            BITMAP_DIRECTORY,
            "container key " + containerKey + " follows " + previous + ", keys ascend");
      }
      previous = containerKey;
      boolean run = flags >= 0 && (bytes[flags + (i >>> 3)] >>> (i & 7) & 1) != 0;
      directory.add((long) key << 16 | containerKey, run, u16(bytes, descriptor + 2) + 1, 0);
    }
  }

  private void noteOddity(boolean seen) {
    if (seen) {
      origin = Origin.READ_WITH_ODDITIES;
    }
  }

  /** Tells whether a container is flagged, and nothing beyond the last. */
  private boolean plausibleFlags(int flags, int count) {
    int last = flags + (count - 1) / 8;
    int any = 0;
    for (int i = flags; i <= last; i++) {
      any |= bytes[i];
    }
    return any != 0 && (bytes[last] & 0xFF) >>> ((count - 1) % 8 + 1) == 0;
  }

  private void checkOffset(int stored, int actual) {
    int offset = i32(bytes, stored);
    if (offset != actual) {
      at = stored;
      throw invalid(
          CONTAINER_OFFSET,
          "stored container offset is "
              + Integer.toUnsignedLong(offset)
              + ", the container is at "
              + actual);
    }
  }

  /** Notes where the values of a container are, and steps over them. */
  private void container(int index) {
    directory.offset(index, at);
    if (directory.isRun(index)) {
      require(Short.BYTES, BITMAP_DIRECTORY, "the number of runs");
    }
    int size = directory.sizeInBytes(bytes, index);
    require(size, BITMAP_DIRECTORY, "a container");
    at += size;
  }

  private void checkContents() {
    ContentCheck check = ContentCheck.fastest();
    checkContents(check);
    if (!check.isSure()) {
      // Which container it is, only the other tells.
      checkContents(new ContentCheck.InPlace());
    }
  }

  private void checkContents(ContentCheck check) {
    for (int i = 0; i < directory.count(); i++) {
      int cardinality = directory.view(bytes, i).check(check);
      if (cardinality < 0) {
        at = directory.offset(i);
        throw invalid(
            CONTAINER_CONTENT,
            "the container of prefix "
                + directory.prefix(i)
                + " "
                + directory.view(bytes, i).fault());
      }
      // Of runs the declared number is redundant, and not all writers keep it right.
      noteOddity(cardinality != directory.cardinality(i));
      directory.cardinality(i, cardinality);
    }
  }

  private void checkConsumed() {
    if (at != end) {
      throw invalid(TRAILING_BYTES, (end - at) + " bytes follow the last bitmap");
    }
  }

  private void require(int size, Reason reason, String what) {
    if (size > end - at) {
      throw invalid(reason, what + " takes " + size + " bytes, " + (end - at) + " are left");
    }
  }

  private InvalidDeletionVectorException invalid(Reason reason, String message) {
    return new InvalidDeletionVectorException(
        reason, "Cannot decode deletion vector: at byte " + at + ", " + message);
  }
}
