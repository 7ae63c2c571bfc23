package io.github.icebergext.puffin;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.SeekableInputStream;
import org.jspecify.annotations.Nullable;

/**
 * The open streams of one file. A stream has a position, so that it serves one thread at a time;
 * and some storages send a request for each, so that one is opened only when none is idle.
 * Thread-safe.
 */
final class StreamPool implements Closeable {
  private final InputFile file;
  private final Deque<SeekableInputStream> idle = new ArrayDeque<>();
  private boolean closed;

  StreamPool(InputFile file) {
    this.file = file;
  }

  synchronized void checkOpen() {
    if (closed) {
      throw new IllegalStateException("Cannot read " + file.location() + ": the reader is closed");
    }
  }

  /** Returns a stream, which the caller gives back or discards. */
  SeekableInputStream take() {
    SeekableInputStream stream = pollIdle();
    return stream == null ? file.newStream() : stream;
  }

  private synchronized @Nullable SeekableInputStream pollIdle() {
    checkOpen();
    return idle.pollLast();
  }

  /** Keeps a sound stream for the next use, or closes it when the pool was closed meanwhile. */
  void giveBack(SeekableInputStream stream) {
    if (!keep(stream)) {
      // A failure is dropped: what was asked of the stream has been read, and nobody wants more.
      closeAll(List.of(stream));
    }
  }

  private synchronized boolean keep(SeekableInputStream stream) {
    return !closed && idle.add(stream);
  }

  /** Closes a stream that failed: what state it is in, nobody knows. */
  void discard(SeekableInputStream stream, Throwable failure) {
    RuntimeException second = closeAll(List.of(stream));
    if (second != null) {
      addSuppressed(failure, second);
    }
  }

  /** Closes the idle streams now, and those in use when they come back. */
  @Override
  public void close() {
    RuntimeException failure = closeAll(drain());
    if (failure != null) {
      throw failure;
    }
  }

  private synchronized List<SeekableInputStream> drain() {
    closed = true;
    List<SeekableInputStream> streams = new ArrayList<>(idle);
    idle.clear();
    return streams;
  }

  /** Closes every stream, and returns the first failure with the others as suppressed ones. */
  private static @Nullable RuntimeException closeAll(List<SeekableInputStream> streams) {
    RuntimeException first = null;
    for (SeekableInputStream stream : streams) {
      RuntimeException failure = close(stream);
      if (first == null) {
        first = failure;
      } else if (failure != null) {
        addSuppressed(first, failure);
      }
    }
    return first;
  }

  private static @Nullable RuntimeException close(SeekableInputStream stream) {
    try {
      stream.close();
      return null;
    } catch (IOException e) {
      return new UncheckedIOException(e);
    } catch (RuntimeException e) {
      return e;
    }
  }

  /** Notes a second failure, for which a storage may throw the very exception of the first. */
  static void addSuppressed(Throwable failure, Throwable second) {
    if (failure != second) {
      failure.addSuppressed(second);
    }
  }
}
