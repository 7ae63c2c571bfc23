package io.github.icebergext.integration;

import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.dv.table.LiveDeletes;
import io.github.icebergext.dv.write.DeletionVectorWriter;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.CatalogProperties;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.io.PositionOutputStream;
import org.apache.iceberg.jdbc.JdbcCatalog;

/**
 * A process that deletes rows round after round until it is killed: in each the next rows of all
 * data files. It says what it has done, line by line, and can be told where to wait for its end.
 */
final class KilledWriter {
  static final TableIdentifier NAME = TableIdentifier.of("db", "table");
  static final List<String> DATA_FILES = List.of("data-0", "data-1", "data-2");
  static final long ROWS = 1_000_000;
  static final int ROWS_A_ROUND = 5;
  static final String WAITING = "waiting";
  static final String COMMITTED = "committed";

  private KilledWriter() {}

  /** Takes the folder of the table, and the moment to wait at. */
  public static void main(String[] arguments) throws IOException {
    try (JdbcCatalog catalog = catalog(Path.of(arguments[0]))) {
      LocalFiles files = new LocalFiles(arguments[1]);
      Table table = StoredTable.in(files, catalog.loadTable(NAME), files::commit);
      try (DeletionVectorWriter writer = DeletionVectorWriter.of(table, LiveDeletes.of(table))) {
        for (long round = rounds(table); ; round++) {
          for (String name : DATA_FILES) {
            DataFile dataFile = StoredTable.dataFile(table, name, ROWS);
            writer.delete(dataFile, round * ROWS_A_ROUND, (round + 1) * ROWS_A_ROUND);
          }
          writer.flush().commit();
          say(COMMITTED);
        }
      }
    }
  }

  static JdbcCatalog catalog(Path folder) {
    JdbcCatalog catalog = new JdbcCatalog();
    catalog.initialize(
        "killed",
        Map.of(
            CatalogProperties.URI,
            "jdbc:sqlite:" + folder.resolve("catalog.db"),
            CatalogProperties.WAREHOUSE_LOCATION,
            folder.resolve("warehouse").toString(),
            CatalogProperties.FILE_IO_IMPL,
            LocalFiles.class.getName(),
            CatalogProperties.CLIENT_POOL_SIZE,
            "1"));
    return catalog;
  }

  private static long rounds(Table table) {
    return StoredTable.deleted(table, table.currentSnapshot()).values().stream()
            .mapToLong(DeletedPositions::cardinality)
            .max()
            .orElse(0)
        / ROWS_A_ROUND;
  }

  private static void say(String line) {
    System.out.println(line);
    System.out.flush();
  }

  /** Files on a disk, and a moment to wait at for the end: a call and how its location ends. */
  public static final class LocalFiles implements FileIO {
    private static final long serialVersionUID = 1L;

    private final String moment;

    /** Never waits. */
    public LocalFiles() {
      this("");
    }

    LocalFiles(String moment) {
      this.moment = moment;
    }

    private void pass(String call, String location) {
      if (!moment.isEmpty()
          && moment.startsWith(call)
          && location.endsWith(moment.substring(call.length()))) {
        say(WAITING);
        waitForTheEnd();
      }
    }

    private static void waitForTheEnd() {
      try {
        Thread.sleep(Long.MAX_VALUE);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }

    void commit(Runnable commit) {
      pass("before ", "catalog");
      commit.run();
      pass("after ", "catalog");
    }

    @Override
    public InputFile newInputFile(String location) {
      return org.apache.iceberg.Files.localInput(location);
    }

    @Override
    public OutputFile newOutputFile(String location) {
      return new Output(org.apache.iceberg.Files.localOutput(new File(location)));
    }

    @Override
    public void deleteFile(String location) {
      try {
        Files.delete(Path.of(location));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private final class Output implements OutputFile {
      private final OutputFile file;

      Output(OutputFile file) {
        this.file = file;
      }

      @Override
      public PositionOutputStream create() {
        return new Stream(file.create(), location());
      }

      @Override
      public PositionOutputStream createOrOverwrite() {
        return new Stream(file.createOrOverwrite(), location());
      }

      @Override
      public String location() {
        return file.location();
      }

      @Override
      public InputFile toInputFile() {
        return file.toInputFile();
      }
    }

    private final class Stream extends PositionOutputStream {
      private final PositionOutputStream stream;
      private final String location;

      Stream(PositionOutputStream stream, String location) {
        this.stream = stream;
        this.location = location;
        pass("create ", location);
      }

      @Override
      public long getPos() throws IOException {
        return stream.getPos();
      }

      @Override
      public void write(int value) throws IOException {
        stream.write(value);
      }

      @Override
      public void write(byte[] bytes, int offset, int length) throws IOException {
        stream.write(bytes, offset, length);
        pass("write ", location);
      }

      @Override
      public void close() throws IOException {
        stream.close();
        pass("close ", location);
      }
    }
  }
}
