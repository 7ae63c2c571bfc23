package io.github.icebergext.dv.maintain;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.iceberg.io.BulkDeletionFailureException;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.io.SupportsBulkOperations;
import org.jspecify.annotations.Nullable;

/** Storage that notes what is opened and deleted, and can fail for one file. */
class WatchedFileIO implements FileIO {
  private static final long serialVersionUID = 1L;

  private final transient FileIO files;
  final List<String> opened = new CopyOnWriteArrayList<>();
  final List<String> deletes = new CopyOnWriteArrayList<>();

  @Nullable String unreadable;
  int unreadableTimes = Integer.MAX_VALUE;
  @Nullable String undeletable;
  int undeletableTimes = Integer.MAX_VALUE;

  WatchedFileIO(FileIO files) {
    this.files = files;
  }

  @Override
  public InputFile newInputFile(String location) {
    opened.add(location);
    if (location.equals(unreadable) && unreadableTimes-- > 0) {
      throw new UncheckedIOException(new IOException("unreadable " + location));
    }
    return files.newInputFile(location);
  }

  @Override
  public OutputFile newOutputFile(String location) {
    return files.newOutputFile(location);
  }

  @Override
  public void deleteFile(String location) {
    deletes.add(location);
    if (location.equals(undeletable) && undeletableTimes-- > 0) {
      throw new UncheckedIOException(new IOException("undeletable " + location));
    }
    files.deleteFile(location);
  }

  /** One that deletes in bulk. */
  static final class Bulk extends WatchedFileIO implements SupportsBulkOperations {
    private static final long serialVersionUID = 1L;

    private final transient FileIO files;
    int bulkCalls;

    Bulk(FileIO files) {
      super(files);
      this.files = files;
    }

    @Override
    public void deleteFiles(Iterable<String> locations) {
      bulkCalls++;
      int failed = 0;
      for (String location : locations) {
        if (location.equals(undeletable)) {
          failed++;
        } else {
          files.deleteFile(location);
        }
      }
      if (failed > 0) {
        throw new BulkDeletionFailureException(failed);
      }
    }
  }
}
