package io.github.icebergext.dv;

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
 * the file is encrypted and longer than what is read of it.
 */
final class DeleteFileIO implements FileIO {
  private static final long serialVersionUID = 1L;

  private final transient Function<DeleteFile, InputFile> loadInputFile;

  DeleteFileIO(Function<DeleteFile, InputFile> loadInputFile) {
    this.loadInputFile = loadInputFile;
  }

  @Override
  public InputFile newInputFile(DeleteFile deleteFile) {
    InputFile file = loadInputFile.apply(deleteFile);
    return deleteFile.keyMetadata() == null && deleteFile.fileSizeInBytes() >= 0
        ? new SizedFile(file, deleteFile.fileSizeInBytes())
        : file;
  }

  @Override
  public InputFile newInputFile(String location) {
    throw new UnsupportedOperationException("Cannot open a delete file without entry: " + location);
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
