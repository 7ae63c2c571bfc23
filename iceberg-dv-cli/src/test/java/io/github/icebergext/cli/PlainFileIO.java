package io.github.icebergext.cli;

import io.github.icebergext.cli.source.Locations;
import org.apache.iceberg.Files;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFile;

/** A {@code FileIO} of local files that cannot list them. */
public final class PlainFileIO implements FileIO {
  private static final long serialVersionUID = 1L;

  @Override
  public InputFile newInputFile(String path) {
    return Files.localInput(Locations.plain(path));
  }

  @Override
  public OutputFile newOutputFile(String path) {
    return Files.localOutput(Locations.plain(path));
  }

  @Override
  public void deleteFile(String path) {
    throw new UnsupportedOperationException("Cannot delete " + path);
  }
}
