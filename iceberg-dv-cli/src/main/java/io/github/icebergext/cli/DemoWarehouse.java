package io.github.icebergext.cli;

import io.github.icebergext.cli.text.Errors;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.CatalogUtil;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.SupportsNamespaces;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.io.DataWriter;
import org.apache.iceberg.parquet.Parquet;
import org.apache.iceberg.parquet.ParquetValueWriter;
import org.apache.iceberg.parquet.ParquetValueWriters;
import org.apache.iceberg.types.Types;
import org.apache.parquet.schema.MessageType;

/** A warehouse in a folder: a JDBC catalog on SQLite, and tables of format version 3. */
final class DemoWarehouse implements AutoCloseable {
  static final String CATALOG_NAME = "demo";

  private static final Namespace NAMESPACE = Namespace.of("db");
  private static final String TABLE = "events";
  private static final Schema SCHEMA =
      new Schema(
          Types.NestedField.required(1, "id", Types.LongType.get()),
          Types.NestedField.required(2, "city", Types.StringType.get()));
  private static final String[] CITIES = {"Bergen", "Cusco", "Dakar", "Hobart", "Nagoya"};

  private final Path folder;
  private final Catalog catalog;

  /** Opens the warehouse in the folder, which is created if need be. */
  DemoWarehouse(Path folder) {
    this.folder = folder.toAbsolutePath().normalize();
    try {
      Files.createDirectories(this.folder);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    this.catalog =
        CatalogUtil.buildIcebergCatalog(CATALOG_NAME, catalogProperties(), new Configuration());
  }

  /** Returns the properties by which the catalog is opened. */
  Map<String, String> catalogProperties() {
    return Map.of(
        "type",
        "jdbc",
        "uri",
        "jdbc:sqlite:" + folder.resolve("catalog.db"),
        "warehouse",
        folder.resolve("warehouse").toString());
  }

  /** Creates a table under a name that is free, so that the tables of earlier runs stay. */
  Table createTable() {
    if (catalog instanceof SupportsNamespaces namespaces
        && !namespaces.namespaceExists(NAMESPACE)) {
      namespaces.createNamespace(NAMESPACE);
    }
    TableIdentifier name = TableIdentifier.of(NAMESPACE, TABLE);
    for (int run = 2; catalog.tableExists(name); run++) {
      name = TableIdentifier.of(NAMESPACE, TABLE + "_" + run);
    }
    return catalog
        .buildTable(name, SCHEMA)
        .withProperty("format-version", "3")
        .withProperty("write.parquet.compression-codec", "zstd")
        .create();
  }

  /** Appends rows with the ids from 0, in one data file. */
  DataFile append(Table table, long rows) {
    String location = table.locationProvider().newDataLocation("rows.parquet");
    DataWriter<Record> writer = writer(table, location);
    try (writer) {
      GenericRecord row = GenericRecord.create(SCHEMA);
      for (long id = 0; id < rows; id++) {
        row.set(0, id);
        row.set(1, CITIES[(int) (id % CITIES.length)]);
        writer.write(row);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    DataFile dataFile = writer.toDataFile();
    table.newAppend().appendFile(dataFile).commit();
    return dataFile;
  }

  private static DataWriter<Record> writer(Table table, String location) {
    try {
      return Parquet.writeData(table.io().newOutputFile(location))
          .forTable(table)
          .withSpec(PartitionSpec.unpartitioned())
          .createWriterFunc(RowWriter::of)
          .build();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the absolute path of the folder. */
  Path folder() {
    return folder;
  }

  @Override
  public void close() {
    if (catalog instanceof AutoCloseable closeable) {
      try {
        closeable.close();
      } catch (Exception e) {
        throw new IllegalStateException("Cannot close the catalog: " + Errors.message(e), e);
      }
    }
  }

  /** Writes rows of this schema; Iceberg's own writers have other names in each of its versions. */
  private static final class RowWriter extends ParquetValueWriters.StructWriter<Record> {
    private RowWriter(MessageType type) {
      super(
          List.of(
              ParquetValueWriters.longs(type.getColumns().get(0)),
              ParquetValueWriters.strings(type.getColumns().get(1))));
    }

    static ParquetValueWriter<?> of(MessageType type) {
      return new RowWriter(type);
    }

    @Override
    protected Object get(Record row, int index) {
      return row.get(index);
    }
  }
}
