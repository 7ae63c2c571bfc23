package io.github.icebergext.testing;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.apache.iceberg.exceptions.AlreadyExistsException;
import org.apache.iceberg.exceptions.NotFoundException;
import org.apache.iceberg.inmemory.InMemoryInputFile;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.io.PositionOutputStream;
import org.apache.iceberg.io.SeekableInputStream;

/**
 * Files in memory that can be made to fail at any call that writes, and that keep a record of such
 * calls.
 *
 * <p>A file exists once it is created, as on a disk, and again whenever its stream is closed, as on
 * an object store: what is deleted before it is closed comes back.
 */
public final class FaultyFileIO implements FileIO {
  private static final long serialVersionUID = 1L;

  /** A call that reaches the storage. */
  public enum Call {
    CREATE,
    WRITE,
    CLOSE,
    STORED_LENGTH,
    DELETE,
    /** Asking for the length of a file by its location. */
    LENGTH
  }

  private final Map<String, byte[]> files = new HashMap<>();
  private final List<Call> calls = new ArrayList<>();
  private final List<String> deleted = new ArrayList<>();
  private final Map<Call, Fault> faults = new EnumMap<>(Call.class);
  private int storedOverhead;

  private record Fault(int occurrence, Exception exception) {}

  /** Makes the given occurrence of a call, counted from 1, and every later one fail. */
  public FaultyFileIO failAt(Call call, int occurrence, Exception exception) {
    faults.put(call, new Fault(occurrence, exception));
    return this;
  }

  /** Makes every call of this kind fail with an {@link IOException}. */
  public FaultyFileIO failAt(Call call) {
    return failAt(call, 1, new IOException("storage failed at " + call));
  }

  /** Makes closed streams state a stored length larger than their position, as encryption does. */
  public FaultyFileIO withStoredOverhead(int bytes) {
    this.storedOverhead = bytes;
    return this;
  }

  /** Returns the calls so far, in their order, failed ones too. */
  public List<Call> calls() {
    return List.copyOf(calls);
  }

  /** Returns how many calls of a kind there were, failed ones too. */
  public int count(Call call) {
    return (int) calls.stream().filter(call::equals).count();
  }

  /** Returns the locations of the files that exist. */
  public Set<String> locations() {
    return new TreeSet<>(files.keySet());
  }

  /** Returns the locations that were deleted, in that order. */
  public List<String> deleted() {
    return List.copyOf(deleted);
  }

  /** Returns the content of a file. */
  public byte[] bytes(String location) {
    return Optional.ofNullable(files.get(location))
        .orElseThrow(() -> new NotFoundException("%s", location))
        .clone();
  }

  /** Puts a file there without a call. */
  public void put(String location, byte[] bytes) {
    files.put(location, bytes.clone());
  }

  @Override
  public InputFile newInputFile(String location) {
    return new CountedInputFile(location);
  }

  @Override
  public OutputFile newOutputFile(String location) {
    return new FaultyOutputFile(location);
  }

  @Override
  public void deleteFile(String location) {
    callUnchecked(Call.DELETE);
    if (files.remove(location) == null) {
      throw new NotFoundException("%s", location);
    }
    deleted.add(location);
  }

  private void call(Call call) throws IOException {
    calls.add(call);
    Fault fault = faults.get(call);
    if (fault == null || count(call) < fault.occurrence()) {
      return;
    }
    if (fault.exception() instanceof RuntimeException e) {
      throw e;
    }
    throw (IOException) fault.exception();
  }

  private void callUnchecked(Call call) {
    try {
      call(call);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private final class CountedInputFile implements InputFile {
    private final String location;

    CountedInputFile(String location) {
      this.location = location;
    }

    @Override
    public long getLength() {
      callUnchecked(Call.LENGTH);
      return bytes(location).length + (long) storedOverhead;
    }

    @Override
    public SeekableInputStream newStream() {
      return new InMemoryInputFile(location, bytes(location)).newStream();
    }

    @Override
    public String location() {
      return location;
    }

    @Override
    public boolean exists() {
      return files.containsKey(location);
    }
  }

  private final class FaultyOutputFile implements OutputFile {
    private final String location;

    FaultyOutputFile(String location) {
      this.location = location;
    }

    @Override
    public PositionOutputStream create() {
      callUnchecked(Call.CREATE);
      if (files.putIfAbsent(location, new byte[0]) != null) {
        throw new AlreadyExistsException("Already exists: %s", location);
      }
      return new FaultyOutputStream(location);
    }

    @Override
    public PositionOutputStream createOrOverwrite() {
      throw new UnsupportedOperationException();
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

  private final class FaultyOutputStream extends PositionOutputStream {
    private final String location;
    private final ByteArrayOutputStream content = new ByteArrayOutputStream();
    private boolean closed;

    FaultyOutputStream(String location) {
      this.location = location;
    }

    @Override
    public long getPos() {
      return content.size();
    }

    @Override
    public long storedLength() throws IOException {
      call(Call.STORED_LENGTH);
      return closed ? (long) content.size() + storedOverhead : 0;
    }

    @Override
    public void write(int b) throws IOException {
      write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      if (closed) {
        throw new IOException("closed: " + location);
      }
      call(Call.WRITE);
      content.write(bytes, offset, length);
    }

    @Override
    public void close() throws IOException {
      if (closed) {
        return;
      }
      closed = true;
      files.put(location, content.toByteArray());
      call(Call.CLOSE);
    }
  }
}
