package io.github.icebergext.integration;

import java.nio.file.Path;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.Files;
import org.apache.iceberg.StaticTableOperations;
import org.apache.iceberg.Table;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFile;

/** Opens tables, for reading, that were copied from where their metadata says they are. */
final class RelocatedTable {
  private RelocatedTable() {}

  /**
   * Opens the table of a metadata file; what its locations say about {@code from} is in {@code to}.
   */
  static Table open(Path metadata, String from, Path to) {
    FileIO io = new RelocatingFileIO(normalized(from), to);
    String location = normalized(from) + "/" + to.relativize(metadata);
    return new BaseTable(new StaticTableOperations(location, io), metadata.toString());
  }

  /** Gives {@code file:///x} and {@code file:/x} one form. */
  private static String normalized(String location) {
    return location.replaceFirst("^file:/+", "file:/").replaceFirst("/$", "");
  }

  private record RelocatingFileIO(String from, Path to) implements FileIO {
    @Override
    public InputFile newInputFile(String location) {
      String normalized = normalized(location);
      if (!normalized.startsWith(from + "/")) {
        throw new IllegalArgumentException(location + " is not in " + from);
      }
      return Files.localInput(to.resolve(normalized.substring(from.length() + 1)).toFile());
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
}
