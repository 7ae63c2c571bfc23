package io.github.icebergext.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.icebergext.testing.RecordingFileIO;
import java.util.Map;
import java.util.UUID;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.IcebergBuild;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.inmemory.InMemoryCatalog;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.Test;

/**
 * Files that Iceberg's own expiry leaves behind for good, with no vector in sight. Its incremental
 * way deletes a file when the snapshot that removed it expires, the other way when the last one
 * that had it does. A file for which the ways take turns is deleted by neither.
 */
class ExpiryLeftoverTest {
  /** If this fails, Iceberg has mended it: then {@link SoakExpiry} need not forgive it any more. */
  @Test
  @SuppressWarnings("resource") // Closing the catalog would forget its tables.
  void aFileWhoseRemovalExpiresWhileATagIsLeftBehindIsNeverDeleted() {
    RecordingFileIO storage = RecordingFileIO.rangeReadable();
    Table table = StoredTable.in(storage, table());
    DataFile removed = StoredTable.append(table, "removed", 100);
    table.newDelete().deleteFile(removed).commit();
    StoredTable.append(table, "kept", 100);
    // The snapshot that had the file goes in the incremental way, which keeps it for its removal.
    table.expireSnapshots().expireOlderThan(Long.MAX_VALUE).retainLast(2).commit();
    long tagged = table.currentSnapshot().snapshotId();
    table.manageSnapshots().createTag("tag", tagged).commit();
    StoredTable.append(table, "next", 100);
    StoredTable.append(table, "last", 100);

    // That of the removal goes in the other way, since a tag is left without its successor.
    table.expireSnapshots().expireOlderThan(Long.MAX_VALUE).retainLast(1).commit();
    table.manageSnapshots().removeTag("tag").commit();
    table.expireSnapshots().expireOlderThan(Long.MAX_VALUE).retainLast(1).commit();

    assertThat(table.snapshots()).hasSize(1);
    assertThat(storage.deleted())
        .as("Iceberg %s deletes the file, it is mended", IcebergBuild.version())
        .doesNotContain(removed.location());
  }

  private static Table table() {
    InMemoryCatalog catalog = new InMemoryCatalog();
    catalog.initialize("memory", Map.of());
    catalog.createNamespace(Namespace.of("db"));
    return catalog
        .buildTable(
            TableIdentifier.of("db", "table"),
            new Schema(Types.NestedField.required(1, "id", Types.LongType.get())))
        .withPartitionSpec(PartitionSpec.unpartitioned())
        .withLocation("/" + UUID.randomUUID()) // All catalogs in memory share their files.
        .withProperty(TableProperties.FORMAT_VERSION, "3")
        .create();
  }
}
