package io.github.icebergext.integration;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.iceberg.io.DelegatingInputStream;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.io.PositionOutputStream;
import org.apache.iceberg.io.SeekableInputStream;

/** Lets one of all calls to a storage and to a catalog fail, before or after it took effect. */
final class FailingStorage implements FileIO {
  private static final long serialVersionUID = 1L;

  private final transient FileIO files;
  private final transient List<String> calls = new ArrayList<>();
  private int failing = -1;
  private boolean after;
  private transient RuntimeException failure = new IllegalStateException();

  FailingStorage(FileIO files) {
    this.files = files;
  }

  /** Forgets the calls, and lets none fail. */
  void heal() {
    calls.clear();
    failing = -1;
  }

  /** Lets a call fail, counted from 0, before it has any effect. */
  void failBefore(int call, RuntimeException exception) {
    heal();
    failing = call;
    failure = exception;
    after = false;
  }

  /** Lets a call fail, counted from 0, though it succeeds. */
  void failAfter(int call, RuntimeException exception) {
    failBefore(call, exception);
    after = true;
  }

  /** Returns the calls since the last failure was set, with the locations they were for. */
  List<String> calls() {
    return List.copyOf(calls);
  }

  /** A call that may fail. */
  interface Call<T> {
    T run() throws IOException;
  }

  /** Makes a call that counts. */
  <T> T call(String name, Call<T> call) throws IOException {
    boolean fails = calls.size() == failing;
    calls.add(name);
    if (fails && !after) {
      throw failure;
    }
    T answer = call.run();
    if (fails) {
      throw failure;
    }
    return answer;
  }

  /** Makes a call that counts and throws no checked exception. */
  void run(String name, Runnable call) {
    callUnchecked(
        name,
        () -> {
          call.run();
          return true;
        });
  }

  private <T> T callUnchecked(String name, Call<T> call) {
    try {
      return call(name, call);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public InputFile newInputFile(String location) {
    return new In(files.newInputFile(location));
  }

  @Override
  public InputFile newInputFile(String location, long length) {
    return new In(files.newInputFile(location, length));
  }

  @Override
  public OutputFile newOutputFile(String location) {
    return new Out(files.newOutputFile(location));
  }

  @Override
  public void deleteFile(String location) {
    run("delete " + location, () -> files.deleteFile(location));
  }

  private final class In implements InputFile {
    private final InputFile file;

    In(InputFile file) {
      this.file = file;
    }

    @Override
    public long getLength() {
      return callUnchecked("length " + location(), file::getLength);
    }

    @Override
    public SeekableInputStream newStream() {
      return callUnchecked("open " + location(), () -> new InStream(file.newStream(), location()));
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
    private final String location;

    InStream(SeekableInputStream stream, String location) {
      this.stream = stream;
      this.location = location;
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
      return call("read " + location, stream::read);
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
      return call("read " + location, () -> stream.read(bytes, offset, length));
    }

    @Override
    public void close() throws IOException {
      stream.close();
    }
  }

  private final class Out implements OutputFile {
    private final OutputFile file;

    Out(OutputFile file) {
      this.file = file;
    }

    @Override
    public PositionOutputStream create() {
      return callUnchecked("create " + location(), () -> new OutStream(file.create(), location()));
    }

    @Override
    public PositionOutputStream createOrOverwrite() {
      return callUnchecked(
          "create " + location(), () -> new OutStream(file.createOrOverwrite(), location()));
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
    private final String location;
    private boolean closed;

    OutStream(PositionOutputStream stream, String location) {
      this.stream = stream;
      this.location = location;
    }

    @Override
    public long getPos() throws IOException {
      return stream.getPos();
    }

    @Override
    public void write(int value) throws IOException {
      write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      run("write " + location, () -> copy(bytes, offset, length));
    }

    private void copy(byte[] bytes, int offset, int length) {
      try {
        stream.write(bytes, offset, length);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public void close() throws IOException {
      if (!closed) {
        closed = true;
        call(
            "close " + location,
            () -> {
              stream.close();
              return true;
            });
      }
    }
  }
}
