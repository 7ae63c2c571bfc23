package io.github.icebergext.puffin;

import static java.util.Objects.requireNonNull;

import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.Arrays;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;

/**
 * One request for one range or several near ones, sent by whichever thread comes first.
 *
 * <p>Planned, taken from and cancelled by one thread; {@link #run} may be called by any.
 */
final class RangeRequest implements Runnable {
  private final long offset;
  private long end;
  private int takers = 1;

  /** Null once nobody needs the bytes, which an executor's queue must not keep from then on. */
  private volatile @Nullable FutureTask<byte[]> fetch;

  RangeRequest(RangeReader reader, ByteRange range) {
    this.offset = range.offset();
    this.end = range.end();
    this.fetch = new FutureTask<>(() -> reader.read(range()));
  }

  /**
   * Takes in a range that starts no earlier than those before it, if it is near enough and the
   * request does not grow over the cap.
   */
  boolean absorb(ByteRange range, PuffinLimits limits) {
    boolean contained = range.end() <= end;
    boolean near = range.offset() - limits.mergeGapBytes() <= end;
    if (contained || (near && range.end() - offset <= limits.mergeCapBytes())) {
      end = Math.max(end, range.end());
      takers++;
      return true;
    }
    return false;
  }

  ByteRange range() {
    return new ByteRange(offset, end - offset);
  }

  /** Sends the request, unless it was sent or cancelled. */
  @Override
  public void run() {
    FutureTask<byte[]> unsent = fetch;
    if (unsent != null) {
      unsent.run();
    }
  }

  /** Drops what was fetched; a request that is under way ends by itself. */
  void cancel() {
    FutureTask<byte[]> unwanted = fetch;
    fetch = null;
    if (unwanted != null) {
      unwanted.cancel(false);
    }
  }

  /**
   * Returns the bytes of one of the ranges, each time an array of its own.
   *
   * <p>The calling thread sends the request itself when no other has begun, so that an executor
   * that never gets round to it cannot block the caller.
   */
  byte[] take(ByteRange range) {
    run();
    byte[] bytes = fetched();
    takers--;
    if (takers > 0) {
      return slice(bytes, range);
    }
    fetch = null;
    return bytes.length == range.length() ? bytes : slice(bytes, range);
  }

  private byte[] slice(byte[] bytes, ByteRange range) {
    int start = (int) (range.offset() - offset);
    return Arrays.copyOfRange(bytes, start, start + (int) range.length());
  }

  private byte[] fetched() {
    try {
      return requireNonNull(fetch).get();
    } catch (ExecutionException e) {
      throw unchecked(requireNonNull(e.getCause()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      InterruptedIOException interrupted = new InterruptedIOException("interrupted while reading");
      interrupted.initCause(e);
      throw new UncheckedIOException(interrupted);
    }
  }

  /** Returns what the fetch threw, or throws it when it is an error. */
  private static RuntimeException unchecked(Throwable failure) {
    if (failure instanceof Error error) {
      throw error;
    }
    return failure instanceof RuntimeException runtime
        ? runtime
        : new UndeclaredThrowableException(failure);
  }
}
