package io.github.icebergext.benchmarks.read;

import java.io.EOFException;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.apache.iceberg.exceptions.NotFoundException;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.io.RangeReadable;
import org.apache.iceberg.io.SeekableInputStream;

/**
 * An object store in memory that takes its time: so long to the first byte of an answer, and then
 * so many bytes a second of each stream. Opening a file or a stream is no request, as with
 * Iceberg's own S3 streams; asking for a length that is not known is one. Thread-safe.
 */
final class SimulatedStore implements FileIO {
  private static final long serialVersionUID = 1L;

  private final transient Map<String, byte[]> files;
  private final transient Traffic traffic = new Traffic();
  private final long firstByteNanos;
  private final double nanosPerByte;

  private SimulatedStore(Map<String, byte[]> files, Duration firstByte, double nanosPerByte) {
    this.files = files;
    this.firstByteNanos = firstByte.toNanos();
    this.nanosPerByte = nanosPerByte;
  }

  /** Returns a store with 20 ms to the first byte and 100 MB a second and stream. */
  static SimulatedStore of(Map<String, byte[]> files) {
    return withFirstByteAfter(Duration.ofMillis(20), files);
  }

  /** Returns a store with 100 MB a second and stream. */
  static SimulatedStore withFirstByteAfter(Duration firstByte, Map<String, byte[]> files) {
    return new SimulatedStore(files, firstByte, 1e9 / 100e6);
  }

  /** Returns a store that answers at once. */
  static SimulatedStore withoutDelay(Map<String, byte[]> files) {
    return new SimulatedStore(files, Duration.ZERO, 0);
  }

  /** Returns what was asked of the store so far. */
  Traffic traffic() {
    return traffic;
  }

  @Override
  public InputFile newInputFile(String location) {
    return new StoredFile(location, -1);
  }

  @Override
  public InputFile newInputFile(String location, long length) {
    return new StoredFile(location, length);
  }

  @Override
  public OutputFile newOutputFile(String location) {
    throw new UnsupportedOperationException("Cannot write " + location);
  }

  @Override
  public void deleteFile(String location) {
    throw new UnsupportedOperationException("Cannot delete " + location);
  }

  /** Waits as long as an answer of so many bytes takes from a moment on. */
  private void transfer(long startNanos, long bytes) {
    long nanos = firstByteNanos + (long) (bytes * nanosPerByte);
    if (nanos == 0) {
      return;
    }
    for (long rest = nanos; rest > 0; rest = startNanos + nanos - System.nanoTime()) {
      LockSupport.parkNanos(rest);
    }
  }

  private byte[] content(String location) {
    byte[] content = files.get(location);
    if (content == null) {
      throw new NotFoundException("No such file: %s", location);
    }
    return content;
  }

  private final class StoredFile implements InputFile {
    private final String location;
    private final long knownLength;

    private StoredFile(String location, long knownLength) {
      this.location = location;
      this.knownLength = knownLength;
    }

    @Override
    public long getLength() {
      return knownLength >= 0 ? knownLength : head();
    }

    private long head() {
      traffic.lengthAsked();
      transfer(System.nanoTime(), 0);
      return content(location).length;
    }

    @Override
    public SeekableInputStream newStream() {
      return new StoredStream(content(location));
    }

    @Override
    public String location() {
      return location;
    }

    @Override
    public boolean exists() {
      traffic.lengthAsked();
      transfer(System.nanoTime(), 0);
      return files.containsKey(location);
    }
  }

  /** Reads by position only: neither library reads otherwise where it can. */
  private final class StoredStream extends SeekableInputStream implements RangeReadable {
    private final byte[] content;

    private StoredStream(byte[] content) {
      this.content = content;
    }

    @Override
    public void readFully(long position, byte[] buffer, int offset, int length) throws IOException {
      long start = System.nanoTime();
      traffic.begin(length);
      try {
        if (position + length > content.length) {
          throw new EOFException("The file ends at " + content.length);
        }
        System.arraycopy(content, (int) position, buffer, offset, length);
        transfer(start, length);
      } finally {
        traffic.end();
      }
    }

    @Override
    public int readTail(byte[] buffer, int offset, int length) throws IOException {
      int count = Math.min(length, content.length);
      readFully(content.length - count, buffer, offset, count);
      return count;
    }

    @Override
    public long getPos() {
      throw new UnsupportedOperationException("Reads by position only");
    }

    @Override
    public void seek(long position) {
      throw new UnsupportedOperationException("Reads by position only");
    }

    @Override
    public int read() {
      throw new UnsupportedOperationException("Reads by position only");
    }
  }
}
