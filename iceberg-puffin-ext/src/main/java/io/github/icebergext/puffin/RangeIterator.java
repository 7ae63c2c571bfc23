package io.github.icebergext.puffin;

import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.Executor;
import org.apache.iceberg.io.CloseableIterator;
import org.jspecify.annotations.Nullable;

/**
 * Fetches ranges window by window: a window holds the next ranges whose requests together fit the
 * bytes in flight, and the next one starts when all its ranges are handed out.
 */
final class RangeIterator implements CloseableIterator<byte[]> {
  private final RangeReader reader;
  private final List<ByteRange> ranges;
  private final @Nullable Executor executor;
  private @Nullable RangePlan window;
  private int windowStart;
  private int next;
  private boolean closed;

  RangeIterator(RangeReader reader, List<ByteRange> ranges, @Nullable Executor executor) {
    this.reader = reader;
    this.ranges = ranges;
    this.executor = executor;
  }

  @Override
  public boolean hasNext() {
    return next < ranges.size();
  }

  @Override
  public byte[] next() {
    if (!hasNext()) {
      throw new NoSuchElementException("All " + next + " ranges were read");
    }
    checkOpen();
    try {
      byte[] bytes = take(ranges.get(next));
      next++;
      return bytes;
    } catch (RuntimeException | Error e) {
      close();
      throw e;
    }
  }

  private void checkOpen() {
    reader.checkOpen();
    if (closed) {
      throw new IllegalStateException(
          "Cannot read range " + next + ": the iterator was closed, or failed before");
    }
  }

  private byte[] take(ByteRange range) {
    RangePlan current = window;
    if (current == null || next == windowStart + current.size()) {
      current = startWindow();
    }
    RangeRequest source = current.source(next - windowStart);
    return source == null ? new byte[0] : source.take(range);
  }

  private RangePlan startWindow() {
    List<ByteRange> rest = ranges.subList(next, ranges.size());
    RangePlan plan = RangePlan.ofFirst(reader, rest, reader.limits().maxBytesInFlight());
    window = plan;
    windowStart = next;
    if (executor != null) {
      submit(plan, executor);
    }
    return plan;
  }

  /** Hands out all requests but the one needed first, which the calling thread sends itself. */
  private static void submit(RangePlan plan, Executor executor) {
    RangeRequest first = plan.source(0);
    for (RangeRequest request : plan.requests()) {
      if (request != first) {
        executor.execute(request);
      }
    }
  }

  /** Cancels the requests that were not sent, and drops what the others fetch. */
  @Override
  public void close() {
    closed = true;
    if (window != null) {
      window.requests().forEach(RangeRequest::cancel);
      window = null;
    }
  }
}
