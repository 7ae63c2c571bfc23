package io.github.icebergext.dv.table;

import static io.github.icebergext.testing.TestEntries.positions;
import static io.github.icebergext.testing.TestTables.BY_CATEGORY;
import static io.github.icebergext.testing.TestTables.append;
import static io.github.icebergext.testing.TestTables.dataFile;
import static io.github.icebergext.testing.TestTables.unpartitioned;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.icebergext.dv.DeletionVectorEntry;
import io.github.icebergext.dv.DeletionVectorIdentity;
import io.github.icebergext.dv.InvalidDeletionVectorException;
import io.github.icebergext.dv.internal.FormatVersions;
import io.github.icebergext.dv.write.DeletionVectorWriter;
import io.github.icebergext.dv.write.PreviousDeletes;
import io.github.icebergext.puffin.Reason;
import io.github.icebergext.testing.TestTables;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileMetadata;
import org.apache.iceberg.MetadataColumns;
import org.apache.iceberg.Metrics;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.io.CloseableIterable;
import org.junit.jupiter.api.Test;

public class LiveDeletesTest {
  @Test
  void aTableWithoutSnapshotHasNoDeletes() throws IOException {
    LiveDeletes live = LiveDeletes.of(unpartitioned());

    assertThat(live.snapshotId()).isEmpty();
    assertThat(live.vectors()).isEmpty();
    assertThat(rows(live)).isEmpty();
    assertThat(live.danglingVectors()).isEmpty();
  }

  @Test
  void findsTheVectorOfEachDataFile() {
    Table table = unpartitioned();
    DataFile first = append(table, "first");
    DataFile second = append(table, "second");
    DataFile untouched = append(table, "untouched");
    delete(table, first, 1, 2);
    delete(table, second, 3);

    LiveDeletes live = LiveDeletes.of(table);

    assertThat(live.snapshotId()).hasValue(table.currentSnapshot().snapshotId());
    assertThat(live.vector(first.location()))
        .hasValueSatisfying(vector -> assertThat(vector.recordCount()).isEqualTo(2));
    assertThat(live.vector(second.location()))
        .hasValueSatisfying(vector -> assertThat(vector.recordCount()).isOne());
    assertThat(live.vector(untouched.location())).isEmpty();
    assertThat(live.vectors())
        .extracting(DeleteFile::referencedDataFile)
        .containsExactlyInAnyOrder(first.location(), second.location());
  }

  @Test
  void seesTheSnapshotItIsAskedFor() {
    Table table = unpartitioned();
    DataFile dataFile = append(table, "data");
    delete(table, dataFile, 1);
    Snapshot earlier = table.currentSnapshot();
    delete(table, dataFile, 2);

    LiveDeletes live = LiveDeletes.of(table, earlier);

    assertThat(live.snapshotId()).hasValue(earlier.snapshotId());
    assertThat(live.vector(dataFile.location()).orElseThrow().recordCount()).isOne();
  }

  // apache/iceberg-go#1372, apache/iceberg#17206
  @Test
  void keepsTwoVectorsOfOneDataFileAndRefusesToChoose() {
    Table table = unpartitioned();
    DataFile dataFile = append(table, "data");
    DataFile sound = append(table, "sound");
    delete(table, sound, 9);
    DeleteFile one = addUnvalidated(table, dataFile, 1);
    DeleteFile two = addUnvalidated(table, dataFile, 2);

    LiveDeletes live = LiveDeletes.of(table);

    assertThat(live.vectors()).hasSize(3);
    assertThat(live.duplicateVectors()).containsOnlyKeys(dataFile.location());
    assertThat(live.duplicateVectors().get(dataFile.location()))
        .extracting(DeletionVectorIdentity::of)
        .containsExactlyInAnyOrder(DeletionVectorIdentity.of(one), DeletionVectorIdentity.of(two));
    assertThatThrownBy(() -> live.vector(dataFile.location()))
        .isInstanceOfSatisfying(
            InvalidDeletionVectorException.class,
            e -> assertThat(e.reason()).isEqualTo(Reason.DUPLICATE_VECTOR))
        .hasMessageStartingWith(
            "Cannot choose among 2 deletion vectors of data file " + dataFile.location())
        .hasMessageContaining(DeletionVectorEntry.describe(one))
        .hasMessageContaining(DeletionVectorEntry.describe(two));
    assertThat(live.vector(sound.location())).isPresent();
  }

  @Test
  void findsVectorsWhoseDataFileIsNotLive() {
    Table table = unpartitioned();
    DataFile live = append(table, "live");
    delete(table, live, 1);
    DataFile absent = dataFile(table.spec(), "absent", 100).build();
    addUnvalidated(table, absent, 1);

    assertThat(LiveDeletes.of(table).danglingVectors())
        .extracting(DeleteFile::referencedDataFile)
        .containsExactly(absent.location());
  }

  @Test
  void offersTheLiveDataFilesWithTheirRows() throws IOException {
    Table table = TestTables.create(BY_CATEGORY, 3);
    DataFile a = append(table, "a", "category=a");
    append(table, "removed", "category=a");
    table.newDelete().deleteFile("memory://data/removed.parquet").commit();
    DataFile b = append(table, "b", "category=__HIVE_DEFAULT_PARTITION__");

    LiveDeletes live = LiveDeletes.of(table);

    assertThat(rows(live))
        .containsOnly(Map.entry(a.location(), 100L), Map.entry(b.location(), 100L));
    try (CloseableIterable<DataFile> files = live.dataFiles()) {
      assertThat(files)
          .allSatisfy(
              file -> {
                assertThat(file.specId()).isEqualTo(table.spec().specId());
                assertThat(file.dataSequenceNumber()).isPositive();
                assertThat(file.lowerBounds()).isNull();
              })
          .extracting(file -> file.partition().get(0, String.class))
          .containsExactlyInAnyOrder(
              a.partition().get(0, String.class), b.partition().get(0, String.class));
    }
  }

  @Test
  void listsOlderDeletesByWhatTheyApplyTo() {
    Table table = TestTables.create(BY_CATEGORY, 2);
    DataFile a1 = append(table, "a1", "category=a");
    DataFile a2 = append(table, "a2", "category=a");
    DataFile b = append(table, "b", "category=b");
    DeleteFile ofFile =
        positionDeletes("of-file", "category=a").withReferencedDataFile(a1.location()).build();
    DeleteFile byBounds =
        positionDeletes("by-bounds", "category=a").withMetrics(pathBounds(a2)).build();
    DeleteFile ofPartition = positionDeletes("of-partition", "category=a").build();
    DeleteFile equality =
        FileMetadata.deleteFileBuilder(BY_CATEGORY)
            .ofEqualityDeletes(1)
            .withPath("memory://data/equality.parquet")
            .withFormat(FileFormat.PARQUET)
            .withPartitionPath("category=b")
            .withFileSizeInBytes(10)
            .withRecordCount(1)
            .build();
    table
        .newRowDelta()
        .addDeletes(ofFile)
        .addDeletes(byBounds)
        .addDeletes(ofPartition)
        .addDeletes(equality)
        .commit();
    upgrade(table);
    DataFile younger = append(table, "younger", "category=a");

    LiveDeletes live = LiveDeletes.of(table);

    assertThat(locations(live.positionDeletes()))
        .containsExactlyInAnyOrder(ofFile.location(), byBounds.location(), ofPartition.location());
    assertThat(locations(live.equalityDeletes())).containsExactly(equality.location());
    assertThat(locations(live.positionDeletes(a1)))
        .containsExactly(ofFile.location(), ofPartition.location());
    assertThat(locations(live.positionDeletes(a2)))
        .containsExactly(byBounds.location(), ofPartition.location());
    assertThat(live.positionDeletes(b)).isEmpty();
    assertThat(live.positionDeletes(committed(live, younger))).isEmpty();
    assertThat(live.vectors()).isEmpty();
  }

  private static DataFile committed(LiveDeletes live, DataFile dataFile) {
    try (CloseableIterable<DataFile> files = live.dataFiles()) {
      for (DataFile file : files) {
        if (file.location().equals(dataFile.location())) {
          return file;
        }
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    throw new AssertionError("not live: " + dataFile.location());
  }

  private static FileMetadata.Builder positionDeletes(String name, String partition) {
    return FileMetadata.deleteFileBuilder(BY_CATEGORY)
        .ofPositionDeletes()
        .withPath("memory://data/" + name + ".parquet")
        .withFormat(FileFormat.PARQUET)
        .withPartitionPath(partition)
        .withFileSizeInBytes(10)
        .withRecordCount(1);
  }

  private static Metrics pathBounds(DataFile dataFile) {
    int path = MetadataColumns.DELETE_FILE_PATH.fieldId();
    ByteBuffer bound = ByteBuffer.wrap(dataFile.location().getBytes(StandardCharsets.UTF_8));
    return new Metrics(1L, null, null, null, null, Map.of(path, bound), Map.of(path, bound));
  }

  @Test
  void refusesFormatVersionsThatItDoesNotKnow() {
    assertThatThrownBy(() -> FormatVersions.checkReadable("db.table", 4))
        .isInstanceOfSatisfying(
            InvalidDeletionVectorException.class,
            e -> assertThat(e.reason()).isEqualTo(Reason.FORMAT_VERSION))
        .hasMessage(
            "Cannot read deletes of table db.table: its format version is 4, expected at most 3");
  }

  // Iceberg knows version 4 since 1.10.
  @Test
  void refusesTablesOfFormatVersionFour() {
    assertThatThrownBy(() -> LiveDeletes.of(TestTables.create(PartitionSpec.unpartitioned(), 4)))
        .isInstanceOf(RuntimeException.class)
        .hasMessageMatching("(?s).*(format version is 4|[Uu]nsupported format version: v4).*");
  }

  public static void upgrade(Table table) {
    table.updateProperties().set(TableProperties.FORMAT_VERSION, "3").commit();
  }

  private static List<String> locations(List<DeleteFile> files) {
    return files.stream().map(DeleteFile::location).toList();
  }

  private static Map<String, Long> rows(LiveDeletes live) throws IOException {
    Map<String, Long> rows = new HashMap<>();
    try (CloseableIterable<DataFile> files = live.dataFiles()) {
      files.forEach(file -> rows.put(file.location(), file.recordCount()));
    }
    return rows;
  }

  private static void delete(Table table, DataFile dataFile, long... positions) {
    try (DeletionVectorWriter writer = DeletionVectorWriter.of(table, LiveDeletes.of(table))) {
      writer.delete(dataFile, positions(positions));
      writer.flush().applyTo(table.newRowDelta()).commit();
    }
  }

  /** Commits a vector past every validation, as faulty writers do. */
  private static DeleteFile addUnvalidated(Table table, DataFile dataFile, long... positions) {
    long current = table.currentSnapshot().snapshotId();
    try (DeletionVectorWriter writer =
        DeletionVectorWriter.of(table, PreviousDeletes.none(current))) {
      writer.delete(dataFile, positions(positions));
      DeleteFile vector = writer.flush().vectors().get(0).entry();
      table.newRowDelta().addDeletes(vector).validateFromSnapshot(current).commit();
      return vector;
    }
  }
}
