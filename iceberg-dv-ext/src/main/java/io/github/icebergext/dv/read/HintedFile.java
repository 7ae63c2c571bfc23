package io.github.icebergext.dv.read;

import java.util.OptionalLong;
import java.util.function.Supplier;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.SeekableInputStream;
import org.jspecify.annotations.Nullable;

/**
 * A file that holds vectors, of which an entry says how long it is: a hint. The real length is
 * asked of the storage at most once. Thread-safe.
 */
final class HintedFile implements InputFile {
  private final InputFile file;
  private final OptionalLong hint;
  private final Supplier<InputFile> unhinted;
  private long length = -1;
  private @Nullable RuntimeException failure;

  private HintedFile(InputFile file, OptionalLong hint, Supplier<InputFile> unhinted) {
    this.file = file;
    this.hint = hint;
    this.unhinted = unhinted;
  }

  /**
   * Returns a file that was opened with a length. Not every storage keeps that: some ask for it
   * whenever they are asked.
   *
   * @param hint the length
   * @param unhinted opens the file without one
   */
  static HintedFile hinted(InputFile file, long hint, Supplier<InputFile> unhinted) {
    return new HintedFile(file, OptionalLong.of(hint), unhinted);
  }

  /** Returns a file whose length is what it says it is, with or without asking the storage. */
  static HintedFile of(InputFile file) {
    return new HintedFile(file, OptionalLong.empty(), () -> file);
  }

  /** Tells whether {@link #hintedLength()} is known without a request. */
  boolean isHinted() {
    return hint.isPresent();
  }

  /** Returns where the file ends as the entry says, or where it does if the entry does not say. */
  long hintedLength() {
    return hint.isPresent() ? hint.getAsLong() : getLength();
  }

  /** Returns the real length. */
  @Override
  public synchronized long getLength() {
    if (failure != null) {
      throw failure;
    }
    if (length < 0) {
      try {
        length = unhinted.get().getLength();
      } catch (RuntimeException e) {
        failure = e;
        throw e;
      }
    }
    return length;
  }

  @Override
  public SeekableInputStream newStream() {
    return file.newStream();
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
