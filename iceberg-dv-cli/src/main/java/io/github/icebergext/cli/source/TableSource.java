package io.github.icebergext.cli.source;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.github.icebergext.cli.text.CommandException;
import io.github.icebergext.cli.text.Errors;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.zip.ZipException;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.CatalogUtil;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.StaticTableOperations;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableMetadataParser;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.NoSuchTableException;
import org.apache.iceberg.exceptions.NotFoundException;
import org.apache.iceberg.hadoop.HadoopTables;
import org.apache.iceberg.io.InputFile;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The table that the command line names, and how to find it. */
public final class TableSource {
  @Parameters(
      paramLabel = "TABLE",
      description = {
        "A metadata JSON file, a table's folder (its version hint or newest metadata file counts),"
            + " or with --catalog-property an identifier such as db.events."
      })
  private String table = "";

  @Option(
      names = "--catalog-property",
      paramLabel = "KEY=VALUE",
      parameterConsumer = Assignments.class,
      description = {
        "Property of the catalog that has the table, such as type=rest uri=https://…; every catalog"
            + " of Iceberg, its jars in ICEDV_CLASSPATH where icedv does not carry them."
      })
  private Map<String, String> catalogProperties = new LinkedHashMap<>();

  @Option(
      names = "--catalog-name",
      paramLabel = "NAME",
      defaultValue = "icedv",
      description =
          "Name of the catalog, which JDBC catalogs keep with their tables (${DEFAULT-VALUE}).")
  private String catalogName = "";

  @Option(
      names = "--relocate",
      paramLabel = "FROM=TO",
      parameterConsumer = Assignments.class,
      description = {
        "Look for files under TO that metadata names under FROM, so that a copied warehouse can be"
            + " read; file:/x, file:///x and /x are one, and the longest FROM counts."
      })
  private Map<String, String> relocations = new LinkedHashMap<>();

  /**
   * An opened table.
   *
   * @param folder where its files seem to be, judged by its metadata file; null if the catalog
   *     knows
   * @param catalog the catalog that has it; null if none does
   */
  public record OpenTable(
      Table table,
      TableMetadata metadata,
      Storage storage,
      @Nullable String folder,
      @Nullable Catalog catalog)
      implements AutoCloseable {

    /** Returns the error, with advice if it is that a copied table's files are not found. */
    public RuntimeException explain(RuntimeException e) {
      if (folder == null || !(e instanceof NotFoundException) || isWhereItSays()) {
        return e;
      }
      return new CommandException(
          Errors.message(e)
              + "; the table says that it is at "
              + metadata.location()
              + ": if it was copied, add --relocate "
              + metadata.location()
              + "="
              + folder,
          e);
    }

    private boolean isWhereItSays() {
      return storage.newInputFile(metadata.location()).exists();
    }

    @Override
    public void close() {
      storage.close();
      if (catalog instanceof Closeable closeable) {
        try {
          closeable.close();
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }
    }
  }

  /** Returns the table as the command line names it. */
  public String name() {
    return table;
  }

  /** Returns the metadata that was last read of a table. */
  public static TableMetadata metadata(Table opened) {
    return ((HasTableOperations) opened).operations().current();
  }

  /** Returns where files of a copied warehouse are. */
  public Relocations relocations() {
    return Relocations.of(relocations);
  }

  /**
   * Opens the table.
   *
   * @throws CommandException if it is not found, or of a format version that is not supported
   */
  public OpenTable open() {
    return catalogProperties.isEmpty() ? fromFiles() : fromCatalog();
  }

  /**
   * Opens the table to commit to it.
   *
   * @throws CommandException if it is not found, or neither in a catalog nor a Hadoop table, which
   *     its folder alone suffices to commit to
   */
  public OpenTable openForCommit() {
    if (!relocations.isEmpty()) {
      throw notCommittable("it is relocated");
    }
    return catalogProperties.isEmpty() ? fromHadoopTables() : fromCatalog();
  }

  private CommandException notCommittable(String why) {
    return new CommandException(table + ": cannot be committed to: " + why);
  }

  private OpenTable fromHadoopTables() {
    Storage storage = Storage.of(Relocations.NONE);
    if (MetadataFolder.isMetadataFile(table) || !new MetadataFolder(storage).isOfHadoop(table)) {
      throw notCommittable(
          "it is not the folder of a Hadoop table; the table of a catalog needs"
              + " --catalog-property");
    }
    BaseTable loaded = (BaseTable) new HadoopTables(new Configuration()).load(table);
    TableMetadata metadata = loaded.operations().current();
    FormatVersion.check(table, metadata.formatVersion());
    // New files would go to where it says that it is.
    if (!Folders.of(List.of(table)).contain(metadata.location())) {
      throw notCommittable("the table says that it is at " + metadata.location());
    }
    return new OpenTable(loaded, metadata, Storage.of(Relocations.NONE, loaded.io()), null, null);
  }

  /**
   * Returns a snapshot of the opened table.
   *
   * @throws CommandException if it has none of that id
   */
  public Snapshot snapshot(Table opened, long snapshotId) {
    Snapshot snapshot = opened.snapshot(snapshotId);
    if (snapshot == null) {
      Snapshot current = opened.currentSnapshot();
      throw new CommandException(
          table
              + ": has no snapshot "
              + snapshotId
              + ", current is "
              + (current == null ? "none" : current.snapshotId()));
    }
    return snapshot;
  }

  /**
   * Returns the metadata that may be the table's current one as well as what was opened; none if a
   * catalog has told.
   */
  public List<TableMetadata> rivals(OpenTable opened) {
    String file = opened.metadata().metadataFileLocation();
    if (!catalogProperties.isEmpty() || file == null) {
      return List.of();
    }
    return new MetadataFolder(opened.storage())
        .rivals(file).stream()
            .flatMap(rival -> readWhole(opened.storage(), rival).stream())
            .toList();
  }

  /** Returns the metadata, or nothing if its writer did not get to the end of it. */
  private static Optional<TableMetadata> readWhole(Storage storage, String metadataFile) {
    try {
      return Optional.of(TableMetadataParser.read(storage, metadataFile));
    } catch (NotFoundException e) {
      return Optional.empty();
    } catch (RuntimeException e) {
      Throwable cause = e.getCause();
      if (cause instanceof JsonProcessingException
          || cause instanceof EOFException
          || cause instanceof ZipException) {
        return Optional.empty();
      }
      throw e;
    }
  }

  private OpenTable fromFiles() {
    Storage storage = Storage.of(relocations());
    String metadataFile = table;
    if (!MetadataFolder.isMetadataFile(table)) {
      metadataFile = new MetadataFolder(storage).newest(table);
    }
    InputFile file = storage.existing(metadataFile);
    FormatVersion.check(table, file);
    TableMetadata metadata = TableMetadataParser.read(storage, metadataFile);
    Table opened = relocated(metadata, storage, table);
    return new OpenTable(opened, metadata, storage, tableFolder(file.location()), null);
  }

  private OpenTable fromCatalog() {
    Catalog catalog =
        CatalogUtil.buildIcebergCatalog(catalogName, catalogProperties, new Configuration());
    Table loaded;
    try {
      loaded = catalog.loadTable(TableIdentifier.parse(table));
    } catch (NoSuchTableException e) {
      throw new CommandException(table + ": no such table in the catalog", e);
    }
    TableMetadata metadata = metadata(loaded);
    FormatVersion.check(table, metadata.formatVersion());
    Storage storage = Storage.of(relocations(), loaded.io());
    return relocations.isEmpty()
        ? new OpenTable(loaded, metadata, storage, null, catalog)
        : new OpenTable(
            relocated(metadata, storage, loaded.name()), metadata, storage, null, catalog);
  }

  private static Table relocated(TableMetadata metadata, Storage storage, String name) {
    return new BaseTable(new StaticTableOperations(metadata, storage), name);
  }

  private static @Nullable String tableFolder(String metadataFile) {
    int folderEnd = metadataFile.lastIndexOf("/metadata/");
    return folderEnd < 0 ? null : metadataFile.substring(0, folderEnd);
  }
}
