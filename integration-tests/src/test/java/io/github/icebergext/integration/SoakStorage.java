package io.github.icebergext.integration;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.iceberg.io.DelegatingInputStream;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.io.PositionOutputStream;
import org.apache.iceberg.io.SeekableInputStream;

/**
 * Files on a disk whose history is kept and whose open streams are known. As on an object store,
 * deleting a file that is not there succeeds. Thread-safe.
 */
final class SoakStorage implements FileIO {
  private static final long serialVersionUID = 1L;

  private final transient SoakHistory history;
  private final transient Map<Object, String> open = new ConcurrentHashMap<>();

  SoakStorage(SoakHistory history) {
    this.history = history;
  }

  /** Returns the streams that are open: the file of each, and who opened it. */
  Collection<String> openStreams() {
    return List.copyOf(open.values());
  }

  private void opened(Object stream, String location) {
    open.put(stream, location + " by " + Thread.currentThread().getName());
  }

  @Override
  public InputFile newInputFile(String location) {
    return new In(org.apache.iceberg.Files.localInput(location));
  }

  @Override
  public OutputFile newOutputFile(String location) {
    return new Out(org.apache.iceberg.Files.localOutput(new File(location)));
  }

  @Override
  public void deleteFile(String location) {
    try {
      boolean existed = Files.deleteIfExists(Path.of(location));
      history.note((existed ? "deleted " : "deleted again ") + location);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private final class In implements InputFile {
    private final InputFile file;

    In(InputFile file) {
      this.file = file;
    }

    @Override
    public long getLength() {
      return file.getLength();
    }

    @Override
    public SeekableInputStream newStream() {
      return new InStream(file.newStream(), location());
    }

    @Override
    public String location() {
      return file.location();
    }

    @Override
    public boolean exists() {
      return file.exists();
    }
  }

  private final class InStream extends SeekableInputStream implements DelegatingInputStream {
    private final SeekableInputStream stream;

    InStream(SeekableInputStream stream, String location) {
      this.stream = stream;
      opened(this, location);
    }

    @Override
    public SeekableInputStream getDelegate() {
      return this;
    }

    @Override
    public long getPos() throws IOException {
      return stream.getPos();
    }

    @Override
    public void seek(long position) throws IOException {
      stream.seek(position);
    }

    @Override
    public int read() throws IOException {
      return stream.read();
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
      return stream.read(bytes, offset, length);
    }

    @Override
    public void close() throws IOException {
      stream.close();
      open.remove(this);
    }
  }

  private final class Out implements OutputFile {
    private final OutputFile file;

    Out(OutputFile file) {
      this.file = file;
    }

    @Override
    public PositionOutputStream create() {
      return new OutStream(file.create(), location());
    }

    @Override
    public PositionOutputStream createOrOverwrite() {
      return new OutStream(file.createOrOverwrite(), location());
    }

    @Override
    public String location() {
      return file.location();
    }

    @Override
    public InputFile toInputFile() {
      return newInputFile(location());
    }
  }

  private final class OutStream extends PositionOutputStream {
    private final PositionOutputStream stream;

    OutStream(PositionOutputStream stream, String location) {
      this.stream = stream;
      opened(this, location);
      history.note("wrote " + location);
    }

    @Override
    public long getPos() throws IOException {
      return stream.getPos();
    }

    @Override
    public void write(int value) throws IOException {
      stream.write(value);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      stream.write(bytes, offset, length);
    }

    @Override
    public void close() throws IOException {
      stream.close();
      open.remove(this);
    }
  }
}
