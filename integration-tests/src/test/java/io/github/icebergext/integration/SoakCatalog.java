package io.github.icebergext.integration;

import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.apache.iceberg.BaseMetastoreTableOperations;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.exceptions.NotFoundException;
import org.apache.iceberg.io.FileIO;
import org.jspecify.annotations.Nullable;

/**
 * A catalog of one table, all of whose files are in one storage. It leaves no metadata file of a
 * commit that failed. Thread-safe; the tables it gives are not.
 */
final class SoakCatalog {
  private static final String NAME = "db.soak";

  private final AtomicReference<@Nullable String> pointer = new AtomicReference<>();
  private final FileIO files;
  private final Consumer<Snapshot> beforeCommit;

  /**
   * @param beforeCommit is told each new snapshot, right before it is committed
   */
  SoakCatalog(FileIO files, Consumer<Snapshot> beforeCommit) {
    this.files = files;
    this.beforeCommit = beforeCommit;
  }

  Table create(Schema schema, PartitionSpec spec, String location, Map<String, String> properties) {
    Operations operations = new Operations();
    operations.commit(null, TableMetadata.newTableMetadata(schema, spec, location, properties));
    return new BaseTable(operations, NAME);
  }

  Table load() {
    return new BaseTable(new Operations(), NAME);
  }

  private final class Operations extends BaseMetastoreTableOperations {
    @Override
    protected String tableName() {
      return NAME;
    }

    @Override
    public FileIO io() {
      return files;
    }

    @Override
    protected void doRefresh() {
      while (true) {
        String location = pointer.get();
        try {
          refreshFromMetadataLocation(location);
          return;
        } catch (NotFoundException e) {
          // Enough others committed meanwhile that the file is gone.
          if (location.equals(pointer.get())) {
            throw e;
          }
        }
      }
    }

    @Override
    protected void doCommit(@Nullable TableMetadata base, TableMetadata metadata) {
      String before = base == null ? null : base.metadataFileLocation();
      String after = writeNewMetadata(metadata, currentVersion() + 1);
      metadata.snapshots().stream()
          .filter(snapshot -> base == null || base.snapshot(snapshot.snapshotId()) == null)
          .forEach(beforeCommit);
      if (!isSet(before, after)) {
        files.deleteFile(after);
        throw new CommitFailedException("Cannot commit: %s is not current any more", before);
      }
    }

    private boolean isSet(@Nullable String before, String after) {
      String current = pointer.get();
      // The pointer compares by identity.
      return (before == null ? current == null : before.equals(current))
          && pointer.compareAndSet(current, after);
    }
  }
}
