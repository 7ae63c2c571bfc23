package io.github.icebergext.testing;

import java.util.Map;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.encryption.EncryptingFileIO;
import org.apache.iceberg.encryption.EncryptionManager;
import org.apache.iceberg.inmemory.InMemoryCatalog;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.types.Types;

/** Tables in memory, whose data files exist in metadata only. */
public final class TestTables {
  public static final Schema SCHEMA =
      new Schema(
          Types.NestedField.required(1, "id", Types.LongType.get()),
          Types.NestedField.optional(2, "category", Types.StringType.get()));
  public static final PartitionSpec BY_CATEGORY =
      PartitionSpec.builderFor(SCHEMA).identity("category").build();

  private TestTables() {}

  public static Table unpartitioned() {
    return create(PartitionSpec.unpartitioned(), 3);
  }

  /** Creates an unpartitioned table whose Puffin files are in {@code puffins}. */
  public static Table unpartitioned(FileIO puffins) {
    return withStorage(unpartitioned(), puffins);
  }

  @SuppressWarnings("resource") // Closing the catalog would forget its tables.
  public static Table create(PartitionSpec spec, int formatVersion) {
    InMemoryCatalog catalog = new InMemoryCatalog();
    catalog.initialize("memory", Map.of());
    catalog.createNamespace(Namespace.of("db"));
    return catalog
        .buildTable(TableIdentifier.of("db", "table"), SCHEMA)
        .withPartitionSpec(spec)
        .withLocation("memory://warehouse/db/table")
        .withProperty(TableProperties.FORMAT_VERSION, Integer.toString(formatVersion))
        .create();
  }

  /** Returns the table with its Puffin files in {@code puffins}. */
  public static Table withStorage(Table table, FileIO puffins) {
    return new BaseTable(
        new Operations(
            operations(table), new RoutedFileIO(puffins, table.io()), table.encryption()),
        table.name());
  }

  /** Creates a table whose manifests and Puffin files are in {@code files}. */
  public static Table withFiles(FileIO files, PartitionSpec spec, int formatVersion) {
    Table table = create(spec, formatVersion);
    return new BaseTable(
        new Operations(operations(table), files, table.encryption()), table.name());
  }

  /** Creates an unpartitioned table whose files are encrypted. */
  public static Table encrypted(EncryptionManager encryption) {
    Table table = unpartitioned();
    return new BaseTable(
        new Operations(
            operations(table), EncryptingFileIO.combine(table.io(), encryption), encryption),
        table.name());
  }

  private static TableOperations operations(Table table) {
    return ((HasTableOperations) table).operations();
  }

  /** Appends a data file of 100 rows to an unpartitioned table. */
  public static DataFile append(Table table, String name) {
    return append(table, name, 100);
  }

  public static DataFile append(Table table, String name, long rows) {
    DataFile dataFile = dataFile(table.spec(), name, rows).build();
    table.newAppend().appendFile(dataFile).commit();
    return dataFile;
  }

  /** Appends a data file of 100 rows, in a partition such as {@code category=a}. */
  public static DataFile append(Table table, String name, String partition) {
    DataFile dataFile = dataFile(table.spec(), name, 100).withPartitionPath(partition).build();
    table.newAppend().appendFile(dataFile).commit();
    return dataFile;
  }

  public static DataFiles.Builder dataFile(PartitionSpec spec, String name, long rows) {
    return DataFiles.builder(spec)
        .withPath("memory://data/" + name + ".parquet")
        .withFileSizeInBytes(1000)
        .withRecordCount(rows);
  }

  /** Puts Puffin files into one storage and everything else into another. */
  private static final class RoutedFileIO implements FileIO {
    private static final long serialVersionUID = 1L;

    private final transient FileIO puffins;
    private final transient FileIO others;

    RoutedFileIO(FileIO puffins, FileIO others) {
      this.puffins = puffins;
      this.others = others;
    }

    private FileIO of(String location) {
      return location.endsWith(".puffin") ? puffins : others;
    }

    @Override
    public InputFile newInputFile(String location) {
      return of(location).newInputFile(location);
    }

    @Override
    public InputFile newInputFile(String location, long length) {
      return of(location).newInputFile(location, length);
    }

    @Override
    public OutputFile newOutputFile(String location) {
      return of(location).newOutputFile(location);
    }

    @Override
    public void deleteFile(String location) {
      of(location).deleteFile(location);
    }
  }

  /** Operations with another storage or encryption. */
  private static final class Operations extends DelegatingOperations {
    private final FileIO io;
    private final EncryptionManager encryption;

    Operations(TableOperations delegate, FileIO io, EncryptionManager encryption) {
      super(delegate);
      this.io = io;
      this.encryption = encryption;
    }

    @Override
    public FileIO io() {
      return io;
    }

    @Override
    public EncryptionManager encryption() {
      return encryption;
    }
  }
}
