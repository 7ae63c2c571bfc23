package io.github.icebergext.benchmarks.write;

import java.util.Map;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.LocationProviders;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableMetadataParser;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.LocationProvider;
import org.apache.iceberg.types.Types;

/** An unpartitioned table of format version 3 that only this JVM knows, in a {@link LocalStore}. */
final class LocalTable implements TableOperations {
  private final LocalStore store = new LocalStore();
  private TableMetadata metadata;

  private LocalTable(TableMetadata metadata) {
    this.metadata = metadata;
  }

  /** Creates an empty table, which makes no file. */
  static Table create(String location) {
    return table(
        TableMetadata.newTableMetadata(
            new Schema(Types.NestedField.required(1, "id", Types.LongType.get())),
            PartitionSpec.unpartitioned(),
            location,
            Map.of(TableProperties.FORMAT_VERSION, "3")));
  }

  /** Opens the table that {@link #save} has left in a file. */
  static Table open(String metadataFile) {
    return table(TableMetadataParser.read(new LocalStore().newInputFile(metadataFile)));
  }

  private static Table table(TableMetadata metadata) {
    return new BaseTable(new LocalTable(metadata), "table");
  }

  /** Writes what has been committed to a file. */
  static void save(Table table, String metadataFile) {
    TableMetadataParser.overwrite(
        ((BaseTable) table).operations().current(), table.io().newOutputFile(metadataFile));
  }

  @Override
  public TableMetadata current() {
    return metadata;
  }

  @Override
  public TableMetadata refresh() {
    return metadata;
  }

  @Override
  public void commit(TableMetadata base, TableMetadata changed) {
    if (base != metadata) {
      throw new CommitFailedException("The table has changed");
    }
    metadata = changed;
  }

  @Override
  public FileIO io() {
    return store;
  }

  @Override
  public String metadataFileLocation(String fileName) {
    return metadata.location() + "/metadata/" + fileName;
  }

  @Override
  public LocationProvider locationProvider() {
    return LocationProviders.locationsFor(metadata.location(), metadata.properties());
  }
}
