package io.github.icebergext.puffin;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.Executor;
import org.apache.iceberg.exceptions.NotFoundException;
import org.apache.iceberg.io.CloseableGroup;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.CloseableIterator;
import org.apache.iceberg.io.IOUtil;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.RangeReadable;
import org.apache.iceberg.io.SeekableInputStream;
import org.jspecify.annotations.Nullable;

/**
 * Reads ranges of one file, by position.
 *
 * <p>Sends no request but for the ranges: a stream is opened on the first read, ranges are read by
 * {@link RangeReadable} where the stream offers it and by seek and read where it does not, and the
 * file's length is asked for only to explain a read that failed. Of the limits it heeds the merge
 * gap, the merge cap and the bytes in flight; how large a range may be its callers decide, since
 * that depends on what is read.
 *
 * <p>Thread-safe, and several iterators may be open at once, each with its own bytes in flight. A
 * single iterator belongs to one thread. Returned arrays belong to the caller.
 */
public final class RangeReader implements Closeable {
  /** The longest array that every JVM can allocate. */
  private static final long MAX_RANGE_BYTES = Integer.MAX_VALUE - 8L;

  private final InputFile file;
  private final PuffinLimits limits;
  private final RequestListener listener;
  private final StreamPool streams;

  private RangeReader(InputFile file, PuffinLimits limits, RequestListener listener) {
    this.file = file;
    this.limits = limits;
    this.listener = listener;
    this.streams = new StreamPool(file);
  }

  /** Creates a reader; no stream is opened and no request sent before the first read. */
  public static RangeReader of(InputFile file, PuffinLimits limits) {
    return new RangeReader(file, limits, (location, range) -> {});
  }

  /** Creates a reader that tells {@code listener} of each request before it is sent. */
  public static RangeReader of(InputFile file, PuffinLimits limits, RequestListener listener) {
    return new RangeReader(file, limits, new SafeListener(listener));
  }

  /**
   * Reads one range into an array of exactly its length, in one request, or none when it is empty.
   *
   * @throws IllegalStateException if the reader is closed
   * @throws PuffinFormatException with {@link Reason#LIMIT} if the range does not fit an array, and
   *     with {@link Reason#BLOB_RANGE} if it does not lie in the file
   * @throws UncheckedIOException if reading failed with an {@link IOException}; other exceptions of
   *     the storage leave as they are
   */
  public byte[] read(ByteRange range) {
    checkSize(range);
    checkOpen();
    byte[] bytes = new byte[(int) range.length()];
    if (bytes.length == 0) {
      return bytes;
    }
    listener.requested(file.location(), range);
    SeekableInputStream stream = streams.take();
    try {
      readFully(stream, range.offset(), bytes);
    } catch (IOException | RuntimeException e) {
      streams.discard(stream, e);
      throw failure(range, e);
    } catch (Error e) {
      streams.discard(stream, e);
      throw e;
    }
    streams.giveBack(stream);
    return bytes;
  }

  private static void readFully(SeekableInputStream stream, long position, byte[] bytes)
      throws IOException {
    if (stream instanceof RangeReadable rangeReadable) {
      rangeReadable.readFully(position, bytes);
    } else {
      stream.seek(position);
      IOUtil.readFully(stream, bytes, 0, bytes.length);
    }
  }

  /**
   * Reads many ranges, near ones in one request, and returns each as an array of exactly its
   * length, in the order of {@code ranges}.
   *
   * <p>Ranges may overlap, repeat and come in any order; empty ones need no request. They are
   * fetched while the result is iterated, in windows: the requests of a window hold at most {@link
   * PuffinLimits#maxBytesInFlight()} bytes, or one range, and the next window starts when the last
   * range of this one was handed out. Within a window ranges share a request across at most {@link
   * PuffinLimits#mergeGapBytes()} unneeded bytes and up to {@link PuffinLimits#mergeCapBytes()}.
   *
   * <p>With an executor the requests of a window are sent in parallel, each on a stream of its own;
   * without one, each is sent when its first range is asked for. The iterating thread never waits
   * for a request that no other thread has begun, but sends it itself: an executor that is busy,
   * runs tasks in the calling thread, or has the iterating thread as its only one, is slow at
   * worst. A failure is thrown in the place of the first range it concerns; it closes the iterator,
   * and so does a task that the executor rejects.
   *
   * <p>Closing the result closes its iterators: requests not yet sent are cancelled, and the bytes
   * of those under way are dropped when they come. The streams stay with this reader.
   *
   * @param executor sends requests in parallel; null to send them one by one
   * @throws IllegalStateException if the reader is closed; also thrown while iterating
   * @throws PuffinFormatException with {@link Reason#LIMIT} if a range does not fit an array; while
   *     iterating also with {@link Reason#BLOB_RANGE} if one does not lie in the file
   */
  public CloseableIterable<byte[]> readAll(List<ByteRange> ranges, @Nullable Executor executor) {
    List<ByteRange> copy = List.copyOf(ranges);
    copy.forEach(this::checkSize);
    checkOpen();
    return new Ranges(copy, executor);
  }

  /**
   * Returns what the requests for these ranges ask for, with the unneeded bytes between near ones,
   * in the order of their offsets: how {@link #readAll} fetches them if they fit the bytes in
   * flight together. Sends no request.
   */
  public List<ByteRange> requests(List<ByteRange> ranges) {
    return RangePlan.of(this, ranges).requests().stream().map(RangeRequest::range).toList();
  }

  /**
   * Closes the streams. A request under way in another thread ends by itself, and its stream is
   * closed then. Closing again does nothing.
   *
   * @throws UncheckedIOException if closing a stream failed
   */
  @Override
  public void close() {
    streams.close();
  }

  PuffinLimits limits() {
    return limits;
  }

  void checkOpen() {
    streams.checkOpen();
  }

  private void checkSize(ByteRange range) {
    if (range.length() > MAX_RANGE_BYTES) {
      throw new PuffinFormatException(
          Reason.LIMIT, cannotRead(range) + ": more than " + MAX_RANGE_BYTES + " bytes");
    }
  }

  /**
   * Tells a range that does not lie in the file from a storage that failed. Storages report the end
   * of the file in many ways (an {@code EOFException}, the HTTP status 416, an invalid seek), so
   * that after any failure the file's length decides.
   */
  private RuntimeException failure(ByteRange range, Exception failure) {
    OptionalLong length = lengthAfter(failure);
    if (length.isPresent() && range.end() > length.getAsLong()) {
      return new PuffinFormatException(
          Reason.BLOB_RANGE,
          cannotRead(range) + ": the file ends at " + length.getAsLong(),
          failure);
    }
    if (failure instanceof IOException e) {
      return new UncheckedIOException(cannotRead(range) + ": " + e, e);
    }
    return (RuntimeException) failure;
  }

  private OptionalLong lengthAfter(Exception failure) {
    if (failure instanceof NotFoundException) {
      return OptionalLong.empty();
    }
    try {
      return OptionalLong.of(file.getLength());
    } catch (RuntimeException e) {
      StreamPool.addSuppressed(failure, e);
      return OptionalLong.empty();
    }
  }

  private String cannotRead(ByteRange range) {
    return "Cannot read " + file.location() + ": bytes " + range.offset() + " to " + range.end();
  }

  private final class Ranges extends CloseableGroup implements CloseableIterable<byte[]> {
    private final List<ByteRange> ranges;
    private final @Nullable Executor executor;

    private Ranges(List<ByteRange> ranges, @Nullable Executor executor) {
      this.ranges = ranges;
      this.executor = executor;
    }

    @Override
    public CloseableIterator<byte[]> iterator() {
      RangeIterator iterator = new RangeIterator(RangeReader.this, ranges, executor);
      addCloseable(iterator);
      return iterator;
    }
  }
}
