package io.github.icebergext.benchmarks.read;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFile;

/** A temporary folder, of which files are read by Iceberg's own local streams. */
public final class LocalFolder implements FileIO {
  private static final long serialVersionUID = 1L;

  private final transient Path folder;

  private LocalFolder(Path folder) {
    this.folder = folder;
  }

  /** Creates an empty one. */
  public static LocalFolder create() {
    try {
      return new LocalFolder(Files.createTempDirectory("benchmarks"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns where files are to be, with a slash at its end. */
  public String location() {
    return folder + "/";
  }

  void write(Map<String, byte[]> files) throws IOException {
    for (Map.Entry<String, byte[]> file : files.entrySet()) {
      Files.write(Path.of(file.getKey()), file.getValue());
    }
  }

  /** Deletes the folder and all that is in it. */
  public void delete() throws IOException {
    List<Path> all;
    try (Stream<Path> paths = Files.walk(folder)) {
      all = paths.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path path : all) {
      Files.delete(path);
    }
  }

  @Override
  public InputFile newInputFile(String location) {
    return org.apache.iceberg.Files.localInput(location);
  }

  @Override
  public OutputFile newOutputFile(String location) {
    throw new UnsupportedOperationException("Cannot write " + location);
  }

  @Override
  public void deleteFile(String location) {
    throw new UnsupportedOperationException("Cannot delete " + location);
  }
}
