package io.github.icebergext.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import org.apache.iceberg.exceptions.AlreadyExistsException;
import org.apache.iceberg.exceptions.NotFoundException;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.io.PositionOutputStream;
import org.apache.iceberg.io.SeekableInputStream;

/**
 * Files in memory whose reads are recorded. An input file that is made with a length answers for it
 * without a request, as those of object stores do. Thread-safe.
 */
public final class RecordingFileIO implements FileIO {
  private static final long serialVersionUID = 1L;

  private final Map<String, RecordingFile> files = new TreeMap<>();
  private final List<String> deleted = new ArrayList<>();
  private final BiFunction<String, byte[], RecordingFile> factory;

  private RecordingFileIO(BiFunction<String, byte[], RecordingFile> factory) {
    this.factory = factory;
  }

  /** Returns a storage whose streams read by position. */
  public static RecordingFileIO rangeReadable() {
    return new RecordingFileIO(RecordingFile::rangeReadable);
  }

  /** Returns a storage whose streams only seek and read. */
  public static RecordingFileIO seekable() {
    return new RecordingFileIO(RecordingFile::seekable);
  }

  /** Stores a file, or replaces it. */
  public synchronized RecordingFile put(String location, byte[] bytes) {
    RecordingFile file = factory.apply(location, bytes.clone());
    files.put(location, file);
    return file;
  }

  /** Returns the records of a file that exists. */
  public synchronized RecordingFile file(String location) {
    return Optional.ofNullable(files.get(location))
        .orElseThrow(() -> new NotFoundException("No file %s", location));
  }

  /** Returns the locations of the files, sorted. */
  public synchronized List<String> locations() {
    return List.copyOf(files.keySet());
  }

  /** Returns the locations that were deleted, in order. */
  public synchronized List<String> deleted() {
    return List.copyOf(deleted);
  }

  /** Returns how many calls of a kind reached the files that exist. */
  public synchronized int count(RecordingFile.Call call) {
    return files.values().stream().mapToInt(file -> file.count(call)).sum();
  }

  /** Returns how many ranges of the files that exist were read. */
  public synchronized int requests() {
    return files.values().stream().mapToInt(file -> file.requests().size()).sum();
  }

  /** Returns how many streams of the files that exist are open. */
  public synchronized int openStreams() {
    return files.values().stream().mapToInt(RecordingFile::openStreams).sum();
  }

  /**
   * Waits until no stream is open: what was under way in other threads when a batch was closed ends
   * by itself, and its thread closes the stream.
   *
   * @throws AssertionError if a stream is still open after 30 seconds
   */
  public void awaitClosedStreams() throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (openStreams() > 0 && System.nanoTime() < deadline) {
      Thread.sleep(1);
    }
    assertThat(openStreams()).as("streams still open after 30 seconds").isZero();
  }

  /** Forgets the calls and requests so far. */
  public synchronized void forget() {
    files.values().forEach(RecordingFile::forget);
  }

  @Override
  public InputFile newInputFile(String location) {
    return new File(location, -1);
  }

  @Override
  public InputFile newInputFile(String location, long length) {
    return new File(location, length);
  }

  @Override
  public OutputFile newOutputFile(String location) {
    return new NewFile(location);
  }

  @Override
  public synchronized void deleteFile(String location) {
    files.remove(location);
    deleted.add(location);
  }

  /** A file that need not exist before it is read. */
  private final class File implements InputFile {
    private final String location;
    private final long length;

    private File(String location, long length) {
      this.location = location;
      this.length = length;
    }

    @Override
    public long getLength() {
      return length >= 0 ? length : file(location).getLength();
    }

    @Override
    public SeekableInputStream newStream() {
      return file(location).newStream();
    }

    @Override
    public String location() {
      return location;
    }

    @Override
    public boolean exists() {
      return locations().contains(location);
    }
  }

  /** A file that exists from the moment its stream is closed, as on an object store. */
  private final class NewFile implements OutputFile {
    private final String location;

    private NewFile(String location) {
      this.location = location;
    }

    @Override
    public PositionOutputStream create() {
      if (locations().contains(location)) {
        throw new AlreadyExistsException("File exists: %s", location);
      }
      return createOrOverwrite();
    }

    @Override
    public PositionOutputStream createOrOverwrite() {
      return new PublishingStream(location);
    }

    @Override
    public String location() {
      return location;
    }

    @Override
    public InputFile toInputFile() {
      return newInputFile(location);
    }
  }

  private final class PublishingStream extends PositionOutputStream {
    private final String location;
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private boolean closed;

    private PublishingStream(String location) {
      this.location = location;
    }

    @Override
    public long getPos() {
      return bytes.size();
    }

    @Override
    public void write(int value) {
      bytes.write(value);
    }

    @Override
    public void write(byte[] source, int offset, int length) {
      bytes.write(source, offset, length);
    }

    @Override
    public void close() {
      if (!closed) {
        closed = true;
        put(location, bytes.toByteArray());
      }
    }
  }
}
