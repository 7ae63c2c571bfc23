package io.github.icebergext.puffin;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import org.apache.iceberg.exceptions.NotFoundException;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.io.PositionOutputStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The bytes of one Puffin file on their way to storage: appended, then published or abandoned.
 *
 * <p>The first failure closes it for good, since what then stands in the stream is unknown.
 *
 * <p>Nothing is buffered here: blobs arrive whole, and the streams of Iceberg's file IOs buffer
 * small writes.
 */
final class PuffinOutput {
  private static final Logger LOG = LoggerFactory.getLogger(PuffinOutput.class);
  private static final int COPY_BYTES = 1 << 16;

  private enum State {
    OPEN,
    PUBLISHED,
    ABANDONED
  }

  private final OutputFile file;
  private final FileIO io;
  private final PositionOutputStream stream;
  private State state = State.OPEN;
  private boolean streamClosed;
  private @Nullable Throwable failure;
  private long position;

  private PuffinOutput(OutputFile file, FileIO io, PositionOutputStream stream) {
    this.file = file;
    this.io = io;
    this.stream = stream;
  }

  /**
   * Creates the file and writes its head. A file that cannot be created, as when it exists, is not
   * touched.
   */
  static PuffinOutput create(OutputFile file, FileIO io, ByteBuffer head) {
    PuffinOutput output = new PuffinOutput(file, io, file.create());
    try {
      output.append(head);
    } catch (RuntimeException | Error e) {
      output.abandon(e);
      throw e;
    }
    return output;
  }

  String location() {
    return file.location();
  }

  /** Returns the bytes appended so far, which is where the next ones go. */
  long position() {
    return position;
  }

  /** Refuses {@code action} once this is published, abandoned or failed. */
  void checkOpen(String action) {
    if (failure != null) {
      throw new IllegalStateException(
          "Cannot " + action + " " + location() + ": an earlier call failed", failure);
    }
    if (state != State.OPEN) {
      String how = state == State.PUBLISHED ? "it is finished" : "it was closed without finishing";
      throw new IllegalStateException("Cannot " + action + " " + location() + ": " + how);
    }
  }

  /** Appends the remaining bytes of any kind of buffer, which is not consumed. */
  void append(ByteBuffer bytes) {
    try {
      writeFully(bytes.duplicate());
      position += bytes.remaining();
    } catch (IOException e) {
      failure = e;
      throw new UncheckedIOException("Cannot write " + location() + ": " + e.getMessage(), e);
    } catch (RuntimeException | Error e) {
      failure = e;
      throw e;
    }
  }

  private void writeFully(ByteBuffer bytes) throws IOException {
    if (bytes.hasArray()) {
      stream.write(bytes.array(), bytes.arrayOffset() + bytes.position(), bytes.remaining());
      return;
    }
    byte[] chunk = new byte[Math.min(bytes.remaining(), COPY_BYTES)];
    while (bytes.hasRemaining()) {
      int length = Math.min(bytes.remaining(), chunk.length);
      bytes.get(chunk, 0, length);
      stream.write(chunk, 0, length);
    }
  }

  /** Closes the stream and returns the size of the file as stored, in bytes. */
  long publish() {
    try {
      streamClosed = true;
      stream.close();
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot close " + location() + ": " + e.getMessage(), e);
    }
    long storedLength = storedLength();
    state = State.PUBLISHED;
    return storedLength;
  }

  /** Asks the closed stream, or the storage when the stream no longer answers. */
  private long storedLength() {
    try {
      return stream.storedLength();
    } catch (IOException | RuntimeException e) {
      try {
        return io.newInputFile(location()).getLength();
      } catch (RuntimeException fromStorage) {
        suppress(e, fromStorage);
        throw fromStorage;
      }
    }
  }

  /**
   * Closes the stream and deletes the file, as far as that works, unless this is published or
   * abandoned already. In that order: closing is what makes a file on an object store.
   *
   * @param cause what made it necessary, if anything did; secondary failures are added to it
   */
  void abandon(@Nullable Throwable cause) {
    if (state != State.OPEN) {
      return;
    }
    state = State.ABANDONED;
    if (failure == null) {
      failure = cause;
    }
    closeQuietly();
    delete();
  }

  private void closeQuietly() {
    if (streamClosed) {
      return;
    }
    streamClosed = true;
    try {
      stream.close();
    } catch (IOException | RuntimeException e) {
      suppress(e, failure);
    }
  }

  private void delete() {
    try {
      io.deleteFile(file);
    } catch (NotFoundException e) {
      // The stream published nothing when it was closed.
    } catch (RuntimeException e) {
      suppress(e, failure);
      LOG.warn("Cannot delete {}, which was not finished and is used by nothing", location(), e);
    }
  }

  private static void suppress(Exception secondary, @Nullable Throwable primary) {
    if (primary != null && primary != secondary) {
      primary.addSuppressed(secondary);
    }
  }
}
