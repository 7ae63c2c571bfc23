package io.github.icebergext.dv.read;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.io.SeekableInputStream;

/**
 * A storage of delete files behind the function that Iceberg's delete loaders are made of.
 *
 * <p>Such functions open a file by its location and do not pass its size on, so that every question
 * for its length would be a request. The size of the manifest entry answers it here, except where
 * the file is encrypted and longer than what is read of it. What the function itself says is the
 * answer where the file is opened by its location: that asks for its real length.
 *
 * <p>Thread-safe, if the function is.
 */
final class DeleteFileIO implements FileIO {
  private static final long serialVersionUID = 1L;

  /** More than are read at a time, and few enough to be kept. */
  private static final int MAX_ENTRIES = 1000;

  private final transient Function<DeleteFile, InputFile> loadInputFile;

  /** The entries of the files opened last, by location. */
  private final transient Map<String, DeleteFile> opened =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, DeleteFile> eldest) {
          return size() > MAX_ENTRIES;
        }
      };

  DeleteFileIO(Function<DeleteFile, InputFile> loadInputFile) {
    this.loadInputFile = loadInputFile;
  }

  @Override
  public InputFile newInputFile(DeleteFile deleteFile) {
    synchronized (opened) {
      opened.put(deleteFile.location(), deleteFile);
    }
    InputFile file = loadInputFile.apply(deleteFile);
    return deleteFile.keyMetadata() == null && deleteFile.fileSizeInBytes() >= 0
        ? new SizedFile(file, deleteFile.fileSizeInBytes())
        : file;
  }

  @Override
  public InputFile newInputFile(String location) {
    DeleteFile deleteFile;
    synchronized (opened) {
      deleteFile = opened.get(location);
    }
    if (deleteFile == null) {
      throw new UnsupportedOperationException("Cannot open a file without its entry: " + location);
    }
    return loadInputFile.apply(deleteFile);
  }

  @Override
  public OutputFile newOutputFile(String location) {
    throw new UnsupportedOperationException("Cannot write " + location);
  }

  @Override
  public void deleteFile(String location) {
    throw new UnsupportedOperationException("Cannot delete " + location);
  }

  private record SizedFile(InputFile file, long size) implements InputFile {
    @Override
    public long getLength() {
      return size;
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
}
