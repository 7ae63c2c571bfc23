package io.github.icebergext.cli.source;

import io.github.icebergext.cli.text.CommandException;
import java.io.File;
import java.util.Map;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.Files;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.io.ResolvingFileIO;
import org.jspecify.annotations.Nullable;

/**
 * Reads files wherever they are: local ones directly, so that no file system has to be started for
 * them, others through an Iceberg {@code FileIO}; after the relocations. Writes nothing.
 */
public final class Storage implements FileIO {
  private static final long serialVersionUID = 1L;
  private static final Pattern SCHEME = Pattern.compile("[A-Za-z][A-Za-z0-9+.-]+:.*");

  private final transient Relocations relocations;
  private transient @Nullable FileIO remote;

  private Storage(Relocations relocations, @Nullable FileIO remote) {
    this.relocations = relocations;
    this.remote = remote;
  }

  /** Returns storage that finds the {@code FileIO} of a location by its scheme. */
  public static Storage of(Relocations relocations) {
    return new Storage(relocations, null);
  }

  /** Returns storage that reads through the {@code FileIO} of a catalog what is not local. */
  static Storage of(Relocations relocations, FileIO remote) {
    return new Storage(relocations, remote);
  }

  /** Tells whether the location is a path of this machine. */
  static boolean isLocal(String location) {
    return location.startsWith("file:") || !SCHEME.matcher(location).matches();
  }

  /**
   * Returns an existing file.
   *
   * @throws CommandException if there is none
   */
  public InputFile existing(String location) {
    InputFile file = newInputFile(location);
    if (!file.exists()) {
      throw new CommandException(location + ": no such file");
    }
    if (new File(file.location()).isDirectory()) {
      throw new CommandException(location + ": is a folder");
    }
    return file;
  }

  @Override
  public InputFile newInputFile(String path) {
    String location = relocations.apply(path);
    return isLocal(location)
        ? Files.localInput(new File(Locations.plain(location)))
        : remote().newInputFile(location);
  }

  @Override
  public InputFile newInputFile(String path, long length) {
    String location = relocations.apply(path);
    return isLocal(location) ? newInputFile(path) : remote().newInputFile(location, length);
  }

  @Override
  public OutputFile newOutputFile(String path) {
    throw new UnsupportedOperationException("Cannot write " + path + ": opened for reading");
  }

  @Override
  public void deleteFile(String path) {
    throw new UnsupportedOperationException("Cannot delete " + path + ": opened for reading");
  }

  @Override
  public Map<String, String> properties() {
    return Map.of();
  }

  @Override
  public void close() {
    if (remote != null) {
      remote.close();
    }
  }

  /** Returns what reads locations that are not local. */
  public FileIO remote() {
    if (remote == null) {
      ResolvingFileIO resolving = new ResolvingFileIO();
      resolving.setConf(new Configuration());
      resolving.initialize(Map.of());
      remote = resolving;
    }
    return remote;
  }
}
