package io.github.icebergext.dv.table;

import static io.github.icebergext.testing.TestManifests.added;
import static io.github.icebergext.testing.TestManifests.snapshot;
import static io.github.icebergext.testing.TestTables.BY_CATEGORY;
import static io.github.icebergext.testing.TestTables.append;
import static io.github.icebergext.testing.TestTables.dataFile;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.icebergext.dv.DeletionVectorIdentity;
import io.github.icebergext.dv.InvalidDeletionVectorException;
import io.github.icebergext.puffin.Reason;
import io.github.icebergext.testing.TestEntries;
import io.github.icebergext.testing.TestManifests;
import io.github.icebergext.testing.TestTables;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileMetadata;
import org.apache.iceberg.MetadataColumns;
import org.apache.iceberg.Metrics;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.RowDelta;
import org.apache.iceberg.Table;
import org.apache.iceberg.io.CloseableIterable;
import org.junit.jupiter.api.Test;

/** Which deletes apply to which data file. */
class LiveDeletesMatchingTest {
  private static final String NULL_PARTITION = "category=__HIVE_DEFAULT_PARTITION__";

  private static FileMetadata.Builder positionDeletes(PartitionSpec spec, String name) {
    return FileMetadata.deleteFileBuilder(spec)
        .ofPositionDeletes()
        .withPath("memory://data/" + name + ".parquet")
        .withFormat(FileFormat.PARQUET)
        .withFileSizeInBytes(10)
        .withRecordCount(1);
  }

  private static FileMetadata.Builder vectorOf(PartitionSpec spec, DataFile dataFile) {
    return FileMetadata.deleteFileBuilder(spec)
        .ofPositionDeletes()
        .withFormat(FileFormat.PUFFIN)
        .withPath(TestEntries.PUFFIN)
        .withFileSizeInBytes(500)
        .withReferencedDataFile(dataFile.location())
        .withContentOffset(4)
        .withContentSizeInBytes(44)
        .withRecordCount(2);
  }

  private static void commit(Table table, DeleteFile... deleteFiles) {
    RowDelta delta = table.newRowDelta();
    List.of(deleteFiles).forEach(delta::addDeletes);
    delta.commit();
  }

  private static List<String> names(List<DeleteFile> files) {
    return files.stream()
        .map(file -> file.location().replaceFirst(".*/", "").replace(".parquet", ""))
        .toList();
  }

  private static DataFile live(Table table, DataFile dataFile) {
    try (CloseableIterable<DataFile> files = LiveDeletes.of(table).dataFiles()) {
      for (DataFile file : files) {
        if (file.location().equals(dataFile.location())) {
          return file;
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    throw new AssertionError("not live: " + dataFile.location());
  }

  // Altinity/ClickHouse#2183: a vector makes readers ignore position deletes.
  @Test
  void positionDeletesApplyUntilAVectorShadowsThem() {
    Table table = TestTables.create(BY_CATEGORY, 2);
    DataFile a = append(table, "a", "category=a");
    DataFile b = append(table, "b", "category=a");
    DeleteFile ofPartition =
        positionDeletes(BY_CATEGORY, "partition").withPartitionPath("category=a").build();
    DeleteFile ofFile =
        positionDeletes(BY_CATEGORY, "file")
            .withPartitionPath("category=a")
            .withReferencedDataFile(a.location())
            .build();
    commit(table, ofPartition, ofFile);
    LiveDeletesTest.upgrade(table);
    DeleteFile vector = vectorOf(BY_CATEGORY, a).withPartitionPath("category=a").build();
    commit(table, vector);

    LiveDeletes live = LiveDeletes.of(table);

    DataFileDeletes ofA = live.deletes(live(table, a));
    assertThat(ofA.vector().map(DeletionVectorIdentity::of))
        .hasValue(DeletionVectorIdentity.of(vector));
    assertThat(ofA.positionDeletes()).isEmpty();
    assertThat(names(ofA.shadowedPositionDeletes())).containsExactly("file", "partition");
    assertThat(ofA.isEmpty()).isFalse();
    DataFileDeletes ofB = live.deletes(live(table, b));
    assertThat(ofB.vector()).isEmpty();
    assertThat(names(ofB.positionDeletes())).containsExactly("partition");
    assertThat(ofB.shadowedPositionDeletes()).isEmpty();
    assertThat(ofB.isEmpty()).isFalse();
  }

  @Test
  void dataFileYoungerThanAllPositionDeletesHasNone() {
    Table table = TestTables.create(PartitionSpec.unpartitioned(), 2);
    append(table, "older");
    commit(table, positionDeletes(table.spec(), "deletes").build());
    DataFile younger = append(table, "younger");

    assertThat(LiveDeletes.of(table).deletes(live(table, younger)).isEmpty()).isTrue();
  }

  @Test
  void positionDeletesOfTheSameCommitApply() {
    Table table = TestTables.create(PartitionSpec.unpartitioned(), 2);
    DataFile together = dataFile(table.spec(), "together", 100).build();
    table
        .newRowDelta()
        .addRows(together)
        .addDeletes(positionDeletes(table.spec(), "deletes").build())
        .commit();

    assertThat(names(LiveDeletes.of(table).positionDeletes(live(table, together))))
        .containsExactly("deletes");
  }

  @Test
  void partitionsOfEvolvedSpecsAreKeptApart() {
    Table table = TestTables.create(PartitionSpec.unpartitioned(), 2);
    PartitionSpec unpartitioned = table.spec();
    DataFile old = append(table, "old");
    table.updateSpec().addField("category").commit();
    PartitionSpec byCategory = table.spec();
    DataFile a = append(table, "a", "category=a");
    DataFile none = append(table, "none", NULL_PARTITION);
    commit(
        table,
        positionDeletes(unpartitioned, "of-old").build(),
        positionDeletes(byCategory, "of-a").withPartitionPath("category=a").build(),
        positionDeletes(byCategory, "of-none").withPartitionPath(NULL_PARTITION).build());

    LiveDeletes live = LiveDeletes.of(table);

    assertThat(names(live.positionDeletes(live(table, old)))).containsExactly("of-old");
    assertThat(names(live.positionDeletes(live(table, a)))).containsExactly("of-a");
    assertThat(names(live.positionDeletes(live(table, none)))).containsExactly("of-none");
  }

  // ClickHouse/ClickHouse#118113, #96061: bounds that are no single path exclude nothing.
  @Test
  void invertedBoundsExcludeNoDataFileOfThePartition() {
    Table table = TestTables.create(PartitionSpec.unpartitioned(), 2);
    DataFile a = append(table, "a");
    DataFile z = append(table, "z");
    int path = MetadataColumns.DELETE_FILE_PATH.fieldId();
    Metrics inverted =
        new Metrics(1L, null, null, null, null, Map.of(path, bound("y")), Map.of(path, bound("b")));
    commit(table, positionDeletes(table.spec(), "inverted").withMetrics(inverted).build());

    LiveDeletes live = LiveDeletes.of(table);

    assertThat(names(live.positionDeletes(live(table, a)))).containsExactly("inverted");
    assertThat(names(live.positionDeletes(live(table, z)))).containsExactly("inverted");
  }

  private static ByteBuffer bound(String value) {
    return ByteBuffer.wrap(value.getBytes(StandardCharsets.UTF_8));
  }

  // apache/iceberg#16957, apache/iceberg-go#1975
  @Test
  void vectorOfAnotherPartitionIsAnErrorAndNeverNoVector() {
    Table table = TestTables.create(BY_CATEGORY, 3);
    DataFile data = append(table, "data", "category=a");
    DeleteFile vector = vectorOf(BY_CATEGORY, data).withPartitionPath(NULL_PARTITION).build();

    LiveDeletes live = LiveDeletes.of(table, snapshot(table, added(table, vector)));

    assertThatThrownBy(() -> live.deletes(live(table, data)))
        .isInstanceOfSatisfying(
            InvalidDeletionVectorException.class,
            e -> assertThat(e.reason()).isEqualTo(Reason.PARTITION))
        .hasMessageContaining("referenced data file " + data.location())
        .hasMessageEndingWith(
            "its partition is spec 0 with partition PartitionData{category=null}, expected that of"
                + " the data file, spec 0 with partition PartitionData{category=a}");
  }

  @Test
  void vectorOfAnotherSpecIsAnErrorAndNeverNoVector() {
    Table table = TestTables.unpartitioned();
    PartitionSpec unpartitioned = table.spec();
    DataFile data = append(table, "data");
    table.updateSpec().addField("category").commit();
    DeleteFile vector = vectorOf(table.spec(), data).withPartitionPath(NULL_PARTITION).build();

    LiveDeletes live = LiveDeletes.of(table, snapshot(table, added(table, vector)));

    assertThat(unpartitioned.specId()).isNotEqualTo(table.spec().specId());
    assertThatThrownBy(() -> live.deletes(live(table, data)))
        .isInstanceOfSatisfying(
            InvalidDeletionVectorException.class,
            e -> assertThat(e.reason()).isEqualTo(Reason.PARTITION));
  }

  @Test
  void vectorThatIsOlderThanItsDataFileIsAnError() {
    Table table = TestTables.unpartitioned();
    DataFile data = append(table, "data");
    DeleteFile vector = vectorOf(table.spec(), data).build();

    LiveDeletes live =
        LiveDeletes.of(
            table,
            snapshot(
                table,
                TestManifests.write(
                    table, table.spec(), writer -> writer.existing(vector, 1, 0, 0L))));

    assertThatThrownBy(() -> live.deletes(live(table, data)))
        .isInstanceOfSatisfying(
            InvalidDeletionVectorException.class,
            e -> assertThat(e.reason()).isEqualTo(Reason.SEQUENCE_NUMBER))
        .hasMessageEndingWith(
            "its data sequence number is 0, expected at least that of the data file, 1");
  }

  // Altinity/ClickHouse#2119
  @Test
  void vectorOfMoreRowsThanItsDataFileHasIsAnError() {
    Table table = TestTables.unpartitioned();
    DataFile data = append(table, "data", 1);
    DeleteFile vector = vectorOf(table.spec(), data).build();

    LiveDeletes live = LiveDeletes.of(table, snapshot(table, added(table, vector)));

    assertThatThrownBy(() -> live.deletes(live(table, data)))
        .isInstanceOfSatisfying(
            InvalidDeletionVectorException.class,
            e -> assertThat(e.reason()).isEqualTo(Reason.POSITION_RANGE))
        .hasMessageEndingWith("its record count is 2, expected at most the data file's 1 rows");
  }

  // apache/iceberg#11240: dangling deletes of both kinds.
  @Test
  void findsPositionDeletesThatApplyToNoLiveDataFile() {
    Table table = TestTables.create(BY_CATEGORY, 2);
    DataFile a = append(table, "a", "category=a");
    DataFile b = append(table, "b", "category=b");
    commit(
        table,
        positionDeletes(BY_CATEGORY, "of-a").withPartitionPath("category=a").build(),
        positionDeletes(BY_CATEGORY, "of-b").withPartitionPath("category=b").build(),
        positionDeletes(BY_CATEGORY, "of-c").withPartitionPath("category=c").build(),
        positionDeletes(BY_CATEGORY, "of-file-a")
            .withPartitionPath("category=a")
            .withReferencedDataFile(a.location())
            .build(),
        positionDeletes(BY_CATEGORY, "of-file-b")
            .withPartitionPath("category=b")
            .withReferencedDataFile(b.location())
            .build());
    table.newDelete().deleteFile(b).commit();
    append(table, "b2", "category=b");
    append(table, "a2", "category=a");

    assertThat(names(LiveDeletes.of(table).danglingPositionDeletes()))
        .containsExactlyInAnyOrder("of-b", "of-c", "of-file-b");
  }

  @Test
  void shadowedPositionDeletesAreNotDangling() {
    Table table = TestTables.create(PartitionSpec.unpartitioned(), 2);
    DataFile data = append(table, "data");
    commit(table, positionDeletes(table.spec(), "deletes").build());
    LiveDeletesTest.upgrade(table);
    commit(table, vectorOf(table.spec(), data).build());

    assertThat(LiveDeletes.of(table).danglingPositionDeletes()).isEmpty();
  }

  @Test
  void deletesOfADataFileDoNotFollowChangesOfTheLists() {
    List<DeleteFile> files = new ArrayList<>(List.of(TestEntries.vector()));

    DataFileDeletes deletes = new DataFileDeletes(Optional.empty(), files, files);
    files.clear();

    assertThat(deletes.positionDeletes()).hasSize(1);
    assertThat(deletes.shadowedPositionDeletes()).hasSize(1);
  }
}
