package io.github.icebergext.integration;

import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.dv.read.DeletionVectorReader;
import io.github.icebergext.dv.read.ReadVector;
import io.github.icebergext.dv.table.LiveDeletes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.encryption.EncryptionManager;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.LocationProvider;

/** A table of a catalog with its files, apart from its metadata, in another storage. */
final class StoredTable {
  private StoredTable() {}

  /** Replaces the call that commits to a catalog. */
  @FunctionalInterface
  interface Commit {
    void run(Runnable commit);
  }

  static Table in(FileIO files, Table table) {
    return in(files, table, Runnable::run);
  }

  static Table in(FileIO files, Table table, Commit commit) {
    TableOperations operations = ((HasTableOperations) table).operations();
    return new BaseTable(new Operations(operations, files, commit), table.name());
  }

  /** Appends a data file that stands in metadata only. */
  static DataFile append(Table table, String name, long rows) {
    DataFile dataFile = dataFile(table, name, rows);
    table.newAppend().appendFile(dataFile).commit();
    return dataFile;
  }

  static DataFile dataFile(Table table, String name, long rows) {
    return DataFiles.builder(table.spec())
        .withPath(table.location() + "/data/" + name + ".parquet")
        .withFileSizeInBytes(1000)
        .withRecordCount(rows)
        .build();
  }

  /** Returns the deleted positions of a snapshot by data file, read and checked in full. */
  static Map<String, DeletedPositions> deleted(Table table, Snapshot snapshot) {
    Map<String, DeletedPositions> deleted = new HashMap<>();
    try (CloseableIterable<ReadVector> vectors =
        DeletionVectorReader.of(table).readAll(LiveDeletes.of(table, snapshot).vectors())) {
      for (ReadVector read : vectors) {
        deleted.put(read.deleteFile().referencedDataFile(), read.positions());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return deleted;
  }

  /** Returns the Puffin files that the snapshots of a table refer to. */
  static Set<String> puffins(Table table) {
    Set<String> puffins = new TreeSet<>();
    for (Snapshot snapshot : table.snapshots()) {
      puffins.addAll(LiveDeletes.of(table, snapshot).puffinLocations());
    }
    return puffins;
  }

  private record Operations(TableOperations catalog, FileIO io, Commit commit)
      implements TableOperations {
    @Override
    public TableMetadata current() {
      return catalog.current();
    }

    @Override
    public TableMetadata refresh() {
      return catalog.refresh();
    }

    @Override
    public void commit(TableMetadata base, TableMetadata metadata) {
      commit.run(() -> catalog.commit(base, metadata));
    }

    @Override
    public EncryptionManager encryption() {
      return catalog.encryption();
    }

    @Override
    public String metadataFileLocation(String fileName) {
      return catalog.metadataFileLocation(fileName);
    }

    @Override
    public LocationProvider locationProvider() {
      return catalog.locationProvider();
    }

    @Override
    public long newSnapshotId() {
      return catalog.newSnapshotId();
    }
  }
}
