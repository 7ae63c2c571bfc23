package io.github.icebergext.cli;

import org.apache.iceberg.hadoop.HadoopFileIO;

/** Cannot delete files, neither one by one nor in bulk. */
public final class KeepingFileIO extends HadoopFileIO {
  private static final long serialVersionUID = 1L;

  @Override
  public void deleteFile(String path) {
    throw new IllegalStateException("Access denied: " + path);
  }

  @Override
  public void deleteFiles(Iterable<String> paths) {
    throw new IllegalStateException("Access denied");
  }
}
