package io.github.icebergext.testing;

import io.github.icebergext.puffin.ByteRange;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.RangeReadable;
import org.apache.iceberg.io.SeekableInputStream;

/**
 * A file in memory that keeps a record of every call that reaches it, and can be made to fail at
 * any of them. Thread-safe, but each of its streams refuses to be used by two threads at a time,
 * and to be used after it was closed.
 */
public final class RecordingFile implements InputFile {
  /** A call that reaches the storage. */
  public enum Call {
    OPEN,
    SEEK,
    /** A read by position, or one at the position of the stream. */
    READ,
    CLOSE,
    /** Asking for the length: a HEAD request on an object store. */
    LENGTH
  }

  private final String location;
  private final byte[] bytes;
  private final boolean rangeReadable;
  private final List<Call> calls = new ArrayList<>();
  private final List<ByteRange> requests = new ArrayList<>();
  private final Map<Call, Fault> faults = new EnumMap<>(Call.class);
  private Consumer<ByteRange> beforeRead = range -> {};
  private int mostBytesPerRead = Integer.MAX_VALUE;
  private int openStreams;

  private record Fault(int occurrence, Exception exception) {}

  private RecordingFile(String location, byte[] bytes, boolean rangeReadable) {
    this.location = location;
    this.bytes = bytes;
    this.rangeReadable = rangeReadable;
  }

  /** Returns a file whose streams read by position. */
  public static RecordingFile rangeReadable(String location, byte[] bytes) {
    return new RecordingFile(location, bytes, true);
  }

  /** Returns a file whose streams only seek and read. */
  public static RecordingFile seekable(String location, byte[] bytes) {
    return new RecordingFile(location, bytes, false);
  }

  /** Makes the given occurrence of a call, counted from 1, and every later one fail. */
  public synchronized RecordingFile failAt(Call call, int occurrence, Exception exception) {
    faults.put(call, new Fault(occurrence, exception));
    return this;
  }

  /** Makes reads at the position of the stream return at most so many bytes. */
  public synchronized RecordingFile withShortReads(int mostBytes) {
    this.mostBytesPerRead = mostBytes;
    return this;
  }

  /** Runs {@code action} in the reading thread before each read, with the range asked for. */
  public synchronized RecordingFile beforeRead(Consumer<ByteRange> action) {
    this.beforeRead = action;
    return this;
  }

  /** Returns how many calls of a kind there were, failed ones too. */
  public synchronized int count(Call call) {
    return (int) calls.stream().filter(call::equals).count();
  }

  /**
   * Returns the ranges that were read, in the order of the requests. Reads that go on where the
   * last one on the same stream ended, without a seek between them, are one request.
   */
  public synchronized List<ByteRange> requests() {
    return List.copyOf(requests);
  }

  /** Returns the sum of the bytes read. */
  public long bytesRead() {
    return requests().stream().mapToLong(ByteRange::length).sum();
  }

  /** Returns the size of the file, without a call to the storage. */
  public long size() {
    return bytes.length;
  }

  /** Returns how many streams are open. */
  public synchronized int openStreams() {
    return openStreams;
  }

  /** Forgets the calls and requests so far. */
  public synchronized void forget() {
    calls.clear();
    requests.clear();
  }

  @Override
  public long getLength() {
    recordUnchecked(Call.LENGTH);
    return bytes.length;
  }

  @Override
  public SeekableInputStream newStream() {
    recordUnchecked(Call.OPEN);
    streamOpened();
    return rangeReadable ? new RangeStream() : new SeekStream();
  }

  @Override
  public String location() {
    return location;
  }

  @Override
  public boolean exists() {
    return true;
  }

  private synchronized void streamOpened() {
    openStreams++;
  }

  private synchronized void streamClosed() {
    openStreams--;
  }

  private void recordUnchecked(Call call) {
    try {
      record(call);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private synchronized void record(Call call) throws IOException {
    calls.add(call);
    Fault fault = faults.get(call);
    if (fault != null && count(call) >= fault.occurrence()) {
      if (fault.exception() instanceof IOException e) {
        throw e;
      }
      throw (RuntimeException) fault.exception();
    }
  }

  private class SeekStream extends SeekableInputStream {
    private boolean inUse;
    private long position;
    private int request = -1;
    private boolean closed;

    /** Marks the stream as in use until {@link #end}. */
    synchronized void begin() {
      if (inUse) {
        throw new AssertionError("a stream is used by two threads at a time");
      }
      inUse = true;
    }

    void call(Call call) throws IOException {
      if (closed && call != Call.CLOSE) {
        throw new AssertionError("a stream is used after it was closed");
      }
      RecordingFile.this.record(call);
    }

    synchronized void end() {
      inUse = false;
    }

    @Override
    public long getPos() {
      return position;
    }

    @Override
    public void seek(long newPosition) throws IOException {
      begin();
      try {
        call(Call.SEEK);
        position = newPosition;
        request = -1;
      } finally {
        end();
      }
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      begin();
      try {
        call(Call.READ);
        beforeRead.accept(new ByteRange(position, length));
        int count = (int) Math.min(Math.min(length, mostBytesPerRead), bytes.length - position);
        if (count <= 0) {
          return length == 0 ? 0 : -1;
        }
        copy(target, offset, count);
        return count;
      } finally {
        end();
      }
    }

    private void copy(byte[] target, int offset, int count) {
      System.arraycopy(bytes, (int) position, target, offset, count);
      synchronized (RecordingFile.this) {
        if (request < 0) {
          request = requests.size();
          requests.add(new ByteRange(position, 0));
        }
        ByteRange sofar = requests.get(request);
        requests.set(request, new ByteRange(sofar.offset(), sofar.length() + count));
      }
      position += count;
    }

    @Override
    public void close() throws IOException {
      begin();
      try {
        call(Call.CLOSE);
      } finally {
        end();
        if (!closed) {
          closed = true;
          streamClosed();
        }
      }
    }
  }

  /** Reads by position too. */
  private final class RangeStream extends SeekStream implements RangeReadable {
    @Override
    public void readFully(long position, byte[] target, int offset, int length) throws IOException {
      begin();
      try {
        call(Call.READ);
        ByteRange range = new ByteRange(position, length);
        beforeRead.accept(range);
        synchronized (RecordingFile.this) {
          requests.add(range);
        }
        if (range.end() > bytes.length) {
          throw new EOFException("end of file at " + bytes.length);
        }
        System.arraycopy(bytes, (int) position, target, offset, length);
      } finally {
        end();
      }
    }

    @Override
    public int readTail(byte[] target, int offset, int length) throws IOException {
      int count = Math.min(length, bytes.length);
      readFully(bytes.length - count, target, offset, count);
      return count;
    }
  }
}
