package io.github.icebergext.dv.read;

import io.github.icebergext.dv.DeletionVectorIdentity;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Set;
import org.apache.iceberg.io.CloseableIterator;
import org.jspecify.annotations.Nullable;

/**
 * Reads vectors window by window, and hands them out in the items' order. While one window is
 * handed out the next is being read. Each asks for at most half the bytes in flight, unless it is a
 * single vector, which then waits until it fits or nothing else is in flight.
 *
 * @param <T> type of the items
 * @param <R> type of the results
 */
final class BatchIterator<T, R> implements CloseableIterator<R> {
  /** Most items of a window, which bounds what is held of items that need few bytes or none. */
  private static final int MAX_WINDOW_ITEMS = 10_000;

  private static final int MAX_WINDOWS = 2;

  private final BatchRead<T, R> batch;
  private final BatchContext context;
  private final Iterator<T> items;
  private final long maxBytes;
  private final Deque<BatchItem<T>> putBack = new ArrayDeque<>();
  private final Deque<ReadWindow<T>> started = new ArrayDeque<>();
  private @Nullable ReadWindow<T> waiting;
  private Optional<R> next = Optional.empty();
  private long bytesInFlight;
  private boolean closed;

  BatchIterator(BatchRead<T, R> batch, ReadContext read, Iterator<T> items) {
    this.batch = batch;
    this.items = items;
    this.maxBytes = read.limits().maxBytesInFlight();
    this.context = new BatchContext(read, new FooterMemo(maxBytes / 2), read.threadsForMany());
  }

  @Override
  public boolean hasNext() {
    checkOpen();
    try {
      while (next.isEmpty() && startWindows()) {
        advance();
      }
      if (next.isEmpty()) {
        context.threads().close();
      }
      return next.isPresent();
    } catch (RuntimeException | Error e) {
      close();
      throw e;
    }
  }

  @Override
  public R next() {
    if (!hasNext()) {
      throw new NoSuchElementException("All items were read");
    }
    R result = next.orElseThrow();
    next = Optional.empty();
    return result;
  }

  private void checkOpen() {
    if (closed) {
      throw new IllegalStateException("Cannot read on: the iterator was closed, or failed before");
    }
  }

  private void advance() {
    ReadWindow<T> window = started.element();
    BatchItem<T> slot = window.slots().remove();
    slot.join();
    if (window.slots().isEmpty()) {
      started.remove();
      bytesInFlight -= window.bytes();
    }
    next = batch.result(slot);
  }

  /** Starts the windows that fit, and tells whether any is started. */
  private boolean startWindows() {
    while (started.size() < MAX_WINDOWS) {
      waiting = waiting == null ? planWindow() : waiting;
      if (waiting == null || !fits(waiting)) {
        break;
      }
      bytesInFlight += waiting.bytes();
      started.add(waiting);
      waiting.start();
      waiting = null;
    }
    return !started.isEmpty();
  }

  private boolean fits(ReadWindow<T> window) {
    return started.isEmpty() || bytesInFlight + window.bytes() <= maxBytes;
  }

  /**
   * Plans the next window, or returns null when there are no more items. How many bytes a plan asks
   * for is known when it is made, with what lies between the vectors and the ends of the files; one
   * that asks for too many is made again for fewer items.
   */
  private @Nullable ReadWindow<T> planWindow() {
    List<BatchItem<T>> slots = pull();
    if (slots.isEmpty()) {
      return null;
    }
    ReadWindow<T> window = ReadWindow.of(slots, context);
    while (window.bytes() > maxBytes / 2 && slots.size() > 1) {
      slots = putBack(slots, window.bytes());
      window = ReadWindow.of(slots, context);
    }
    return window;
  }

  /** Takes items whose vectors together fit a window. */
  private List<BatchItem<T>> pull() {
    List<BatchItem<T>> slots = new ArrayList<>();
    Set<DeletionVectorIdentity> vectors = new HashSet<>();
    long bytes = 0;
    while (slots.size() < MAX_WINDOW_ITEMS && (!putBack.isEmpty() || items.hasNext())) {
      BatchItem<T> slot = putBack.isEmpty() ? batch.slot(items.next()) : putBack.pop();
      VectorRequest request = slot.unread();
      if (request != null && vectors.add(request.target().identity())) {
        bytes += request.target().range().length();
      }
      if (bytes > maxBytes / 2 && !slots.isEmpty()) {
        putBack.push(slot);
        break;
      }
      slots.add(slot);
    }
    return slots;
  }

  /** Keeps as many items as should fit if all cost the same, and puts the others back. */
  private List<BatchItem<T>> putBack(List<BatchItem<T>> slots, long bytes) {
    double share = maxBytes / 2.0 / bytes;
    // Always some less, so that it is soon few enough where the first items cost the most.
    int most = slots.size() * 15 / 16;
    int kept = Math.max(1, Math.min(most, (int) (slots.size() * share)));
    for (int i = slots.size() - 1; i >= kept; i--) {
      putBack.push(slots.get(i));
    }
    return List.copyOf(slots.subList(0, kept));
  }

  /** Cancels what has not begun; what has ends by itself, and closes its streams. */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    started.forEach(ReadWindow::cancel);
    started.clear();
    putBack.clear();
    waiting = null;
    context.threads().close();
    closeItems();
  }

  private void closeItems() {
    if (items instanceof Closeable closeable) {
      try {
        closeable.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
