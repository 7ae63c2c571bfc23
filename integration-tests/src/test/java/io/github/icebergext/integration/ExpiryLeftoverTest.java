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
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Files that Iceberg's own expiry leaves behind for good, or deletes though they are live, with no
 * vector in sight. Its incremental way deletes a file when the snapshot that removed it expires,
 * the other way when the last one that had it does. A file for which the ways take turns is deleted
 * by neither.
 */
class ExpiryLeftoverTest {
  private static final String BEFORE_1_10 = "1\\.[89]\\..*";

  private final RecordingFileIO storage = RecordingFileIO.rangeReadable();
  private final Table table = StoredTable.in(storage, table());

  /** If this fails, Iceberg has mended it: then {@link SoakExpiry} need not forgive it any more. */
  @Test
  void aFileWhoseRemovalExpiresBesideAnOlderTagIsNeverDeleted() {
    DataFile removed = StoredTable.append(table, "removed", 100);
    table.newDelete().deleteFile(removed).commit();
    StoredTable.append(table, "kept", 100);
    // The snapshot that had the file goes in the incremental way, which leaves it to its removal.
    expireAllBut(2);
    createTag();
    appendTwo();

    // That of the removal goes in the other way, as the tagged one has lost its successor.
    expireAllBut(1);
    removeTag();
    expireAllBut(1);

    assertThat(table.snapshots()).hasSize(1);
    assertThat(storage.deleted()).as(mended()).doesNotContain(removed.location());
  }

  /** Up to Iceberg 1.9, any expiry without a tag or branch beside main is an incremental one. */
  @Test
  @EnabledIfSystemProperty(named = "iceberg.version", matches = BEFORE_1_10)
  void aFileThatOnlyATaggedSnapshotHadIsNeverDeleted() {
    DataFile removed = StoredTable.append(table, "removed", 100);
    StoredTable.append(table, "tagged", 100);
    createTag();
    table.newDelete().deleteFile(removed).commit();
    appendTwo();
    expireAllBut(1);
    removeTag();
    expireAllBut(1);

    assertThat(table.snapshots()).hasSize(1);
    assertThat(storage.deleted()).as(mended()).doesNotContain(removed.location());
  }

  /**
   * For the same reason, what a once tagged snapshot added is taken for the files of a branch that
   * is gone, although main has them.
   */
  @Test
  @EnabledIfSystemProperty(named = "iceberg.version", matches = BEFORE_1_10)
  void aLiveFileThatATaggedSnapshotAddedIsDeleted() {
    table.updateProperties().set(TableProperties.MANIFEST_MIN_MERGE_COUNT, "2").commit();
    StoredTable.append(table, "first", 100);
    DataFile live = StoredTable.append(table, "live", 100);
    createTag();
    appendTwo(); // The manifest that says who added the file is merged with others.
    expireAllBut(1);
    removeTag();
    expireAllBut(1);

    assertThat(table.currentSnapshot().summary()).containsEntry("total-data-files", "4");
    assertThat(storage.deleted()).as(mended()).contains(live.location());
  }

  private static String mended() {
    return "Iceberg " + IcebergBuild.version() + " has mended its expiry";
  }

  private void expireAllBut(int snapshots) {
    table.expireSnapshots().expireOlderThan(Long.MAX_VALUE).retainLast(snapshots).commit();
  }

  private void createTag() {
    table.manageSnapshots().createTag("tag", table.currentSnapshot().snapshotId()).commit();
  }

  private void removeTag() {
    table.manageSnapshots().removeTag("tag").commit();
  }

  private void appendTwo() {
    StoredTable.append(table, "next", 100);
    StoredTable.append(table, "last", 100);
  }

  @SuppressWarnings("resource") // Closing the catalog would forget its tables.
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
