package io.github.icebergext.benchmarks.write;

import java.util.concurrent.atomic.AtomicLong;
import org.apache.iceberg.Files;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.io.PositionOutputStream;

/**
 * A local disk on which nothing that is written to Puffin files arrives: their bytes are counted
 * and dropped, so that neither a disk nor the heap bounds how fast they are made.
 */
final class LocalStore implements FileIO {
  private static final long serialVersionUID = 1L;

  private final AtomicLong droppedBytes = new AtomicLong();

  /** Returns how many bytes were written to Puffin files. */
  long droppedBytes() {
    return droppedBytes.get();
  }

  @Override
  public InputFile newInputFile(String location) {
    return Files.localInput(location);
  }

  @Override
  public OutputFile newOutputFile(String location) {
    return location.endsWith(".puffin") ? new DroppedFile(location) : Files.localOutput(location);
  }

  @Override
  public void deleteFile(String location) {
    throw new UnsupportedOperationException("Cannot delete " + location);
  }

  private final class DroppedFile implements OutputFile {
    private final String location;

    DroppedFile(String location) {
      this.location = location;
    }

    @Override
    public PositionOutputStream create() {
      return new DroppedStream();
    }

    @Override
    public PositionOutputStream createOrOverwrite() {
      return create();
    }

    @Override
    public String location() {
      return location;
    }

    @Override
    public InputFile toInputFile() {
      throw new UnsupportedOperationException("Cannot read " + location + ": it was dropped");
    }
  }

  private final class DroppedStream extends PositionOutputStream {
    private long position;

    @Override
    public long getPos() {
      return position;
    }

    @Override
    public void write(int oneByte) {
      position++;
    }

    @Override
    public void write(byte[] bytes, int offset, int length) {
      position += length;
    }

    @Override
    public void close() {
      droppedBytes.addAndGet(position);
    }
  }
}
