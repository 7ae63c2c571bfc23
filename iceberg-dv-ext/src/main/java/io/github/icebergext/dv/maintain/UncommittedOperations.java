package io.github.icebergext.dv.maintain;

import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.encryption.EncryptionManager;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.LocationProvider;

/**
 * A table's operations whose commits stay in memory, so that Iceberg's own code shows what it would
 * do. Not thread-safe.
 */
final class UncommittedOperations implements TableOperations {
  private final TableOperations table;
  private TableMetadata metadata;

  UncommittedOperations(TableOperations table, TableMetadata metadata) {
    this.table = table;
    this.metadata = metadata;
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
    metadata = changed;
  }

  @Override
  public FileIO io() {
    return table.io();
  }

  @Override
  public EncryptionManager encryption() {
    return table.encryption();
  }

  @Override
  public String metadataFileLocation(String fileName) {
    throw new UnsupportedOperationException("Cannot write " + fileName + " for a plan");
  }

  @Override
  public LocationProvider locationProvider() {
    throw new UnsupportedOperationException("Cannot write files for a plan");
  }
}
