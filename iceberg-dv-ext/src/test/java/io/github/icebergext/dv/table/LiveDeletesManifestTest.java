package io.github.icebergext.dv.table;

import static io.github.icebergext.testing.TestEntries.positions;
import static io.github.icebergext.testing.TestManifests.added;
import static io.github.icebergext.testing.TestManifests.snapshot;
import static io.github.icebergext.testing.TestTables.append;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.icebergext.dv.DeletionVectorIdentity;
import io.github.icebergext.dv.InvalidDeletionVectorException;
import io.github.icebergext.dv.write.DeletionVectorWriter;
import io.github.icebergext.puffin.Reason;
import io.github.icebergext.testing.RecordingFileIO;
import io.github.icebergext.testing.TestEntries;
import io.github.icebergext.testing.TestManifests;
import io.github.icebergext.testing.TestTables;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.stream.StreamSupport;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileMetadata;
import org.apache.iceberg.GenericBlobMetadata;
import org.apache.iceberg.GenericStatisticsFile;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Table;
import org.apache.iceberg.io.CloseableIterable;
import org.junit.jupiter.api.Test;

/** What is read of manifests, and what is not. */
class LiveDeletesManifestTest {
  private final RecordingFileIO storage = RecordingFileIO.rangeReadable();
  private final Table table =
      TestTables.withFiles(storage, PartitionSpec.unpartitioned(), /* formatVersion= */ 3);
  private final DataFile first = append(table, "first");
  private final DataFile second = append(table, "second");

  private void delete(DataFile dataFile, long... positions) {
    try (DeletionVectorWriter writer = DeletionVectorWriter.of(table, LiveDeletes.of(table))) {
      writer.delete(dataFile, positions(positions));
      writer.flush().applyTo(table.newRowDelta()).commit();
    }
  }

  private static DeleteFile vectorOf(DataFile dataFile, long offset) {
    return FileMetadata.deleteFileBuilder(PartitionSpec.unpartitioned())
        .ofPositionDeletes()
        .withFormat(FileFormat.PUFFIN)
        .withPath(TestEntries.PUFFIN)
        .withFileSizeInBytes(500)
        .withReferencedDataFile(dataFile.location())
        .withContentOffset(offset)
        .withContentSizeInBytes(44)
        .withRecordCount(2)
        .build();
  }

  private ManifestFile with(ManifestFile manifest, String method, Object answer) {
    return TestManifests.with(ManifestFile.class, manifest, method, answer);
  }

  private int requests(ManifestFile manifest) {
    return storage.file(manifest.path()).requests().size();
  }

  @Test
  void streamsEntriesManifestByManifestAndClosesThem() throws IOException {
    ManifestFile one = added(table, vectorOf(first, 4), vectorOf(second, 48));
    ManifestFile two = added(table, vectorOf(first, 92));
    storage.forget();

    try (CloseableIterable<DeleteFile> entries =
        LiveDeletes.entries(table, snapshot(table, one, two))) {
      assertThat(requests(one)).isZero();
      Iterator<DeleteFile> iterator = entries.iterator();
      assertThat(iterator.next().contentOffset()).isEqualTo(4);
      assertThat(requests(one)).isPositive();
      assertThat(requests(two)).isZero();
      assertThat(iterator.next().contentOffset()).isEqualTo(48);
      assertThat(iterator.next().contentOffset()).isEqualTo(92);
      assertThat(storage.openStreams()).isLessThanOrEqualTo(1);
      assertThat(iterator.hasNext()).isFalse();
    }
    assertThat(storage.openStreams()).isZero();
  }

  @Test
  void closesTheManifestThatIsReadWhenTheCallerStopsEarly() throws IOException {
    ManifestFile one = added(table, vectorOf(first, 4), vectorOf(second, 48));

    try (CloseableIterable<DeleteFile> entries = LiveDeletes.entries(table, snapshot(table, one))) {
      assertThat(entries.iterator().next().contentOffset()).isEqualTo(4);
    }

    assertThat(storage.openStreams()).isZero();
  }

  @Test
  void streamsTheEntriesAnewForEveryIteratorEachACopy() throws IOException {
    ManifestFile one = added(table, vectorOf(first, 4), vectorOf(second, 48));

    try (CloseableIterable<DeleteFile> entries = LiveDeletes.entries(table, snapshot(table, one))) {
      List<DeleteFile> kept = new ArrayList<>();
      entries.forEach(kept::add);
      assertThat(kept).extracting(DeleteFile::contentOffset).containsExactly(4L, 48L);
      assertThat(entries).extracting(DeleteFile::contentOffset).containsExactly(4L, 48L);
    }
  }

  @Test
  void streamsNothingOfATableWithoutSnapshot() throws IOException {
    try (CloseableIterable<DeleteFile> entries =
        LiveDeletes.entries(TestTables.unpartitioned(), null)) {
      assertThat(entries).isEmpty();
    }
  }

  // duckdb/duckdb-iceberg#1314: iceberg-go refuses such a manifest, Iceberg reads it
  @Test
  void readsADeleteManifestWhoseHeaderSaysThatItIsOfData() throws IOException {
    ManifestFile manifest = sayingData(added(table, vectorOf(first, 4)));

    LiveDeletes live = LiveDeletes.of(table, snapshot(table, manifest));

    assertThat(live.vector(first.location()))
        .hasValueSatisfying(vector -> assertThat(vector.contentOffset()).isEqualTo(4));
    assertThat(live.deletes(first).vector()).isPresent();
  }

  /** Changes the header's {@code content}, each string of which stands behind twice its length. */
  private ManifestFile sayingData(ManifestFile manifest) throws IOException {
    String file;
    try (InputStream stream = storage.newInputFile(manifest.path()).newStream()) {
      file = new String(stream.readAllBytes(), StandardCharsets.ISO_8859_1);
    }
    String changed = file.replace("\u000econtent\u000edeletes", "\u000econtent\bdata");
    assertThat(changed).hasSize(file.length() - 3);
    storage.put(manifest.path(), changed.getBytes(StandardCharsets.ISO_8859_1));
    return with(manifest, "length", (long) changed.length());
  }

  @Test
  void leavesNoStreamOpen() {
    delete(first, 1);
    delete(second, 2);
    delete(first, 3);

    LiveDeletes live = LiveDeletes.of(table);

    assertThat(live.danglingVectors()).isEmpty();
    assertThat(live.danglingPositionDeletes()).isEmpty();
    assertThat(storage.openStreams()).isZero();
  }

  // apache/iceberg#17764
  @Test
  void seesOnlyTheVectorThatIsLiveInTheSnapshotNotTheOneItReplaced() {
    delete(first, 1);
    DeleteFile replaced = LiveDeletes.of(table).vector(first.location()).orElseThrow();
    delete(first, 2);

    LiveDeletes live = LiveDeletes.of(table);

    assertThat(live.duplicateVectors()).isEmpty();
    assertThat(live.vectors())
        .singleElement()
        .satisfies(
            vector -> {
              assertThat(vector.recordCount()).isEqualTo(2);
              assertThat(DeletionVectorIdentity.of(vector))
                  .isNotEqualTo(DeletionVectorIdentity.of(replaced));
            });
  }

  @Test
  void doesNotOpenManifestsWithoutLiveFiles() {
    delete(first, 1);
    delete(first, 2);
    List<ManifestFile> manifests = table.currentSnapshot().deleteManifests(table.io());
    List<ManifestFile> dead =
        manifests.stream()
            .filter(manifest -> !manifest.hasAddedFiles() && !manifest.hasExistingFiles())
            .toList();
    assertThat(dead).isNotEmpty();
    storage.forget();

    LiveDeletes.of(table);

    assertThat(dead).allSatisfy(manifest -> assertThat(requests(manifest)).isZero());
  }

  @Test
  void leavesOutDeletedEntriesOfAManifestWithLiveOnes() {
    ManifestFile manifest =
        TestManifests.write(
            table,
            table.spec(),
            writer -> {
              writer.delete(vectorOf(first, 4), 2, 2L);
              writer.existing(vectorOf(first, 48), 1, 3, 3L);
              writer.add(vectorOf(second, 92));
            });

    LiveDeletes live = LiveDeletes.of(table, snapshot(table, manifest));

    assertThat(live.vectors()).extracting(DeleteFile::contentOffset).containsExactly(48L, 92L);
    assertThat(live.duplicateVectors()).isEmpty();
  }

  @Test
  void inheritsSequenceNumbersOfAddedEntriesAndKeepsThoseOfExistingOnes() {
    ManifestFile manifest =
        TestManifests.write(
            table,
            table.spec(),
            writer -> {
              writer.existing(vectorOf(first, 4), 1, 3, 3L);
              writer.add(vectorOf(second, 48));
            });

    assertThat(LiveDeletes.of(table, snapshot(table, manifest)).vectors())
        .extracting(DeleteFile::dataSequenceNumber)
        .containsExactly(3L, TestManifests.SEQUENCE_NUMBER);
  }

  @Test
  void readsManifestsOfWhichTheListHasNeitherCountsNorPartitions() {
    ManifestFile manifest = added(table, vectorOf(first, 4));
    for (String method :
        List.of("addedFilesCount", "existingFilesCount", "deletedFilesCount", "partitions")) {
      manifest = withNull(manifest, method);
    }

    assertThat(LiveDeletes.of(table, snapshot(table, manifest)).vectors()).hasSize(1);
  }

  private static ManifestFile withNull(ManifestFile manifest, String method) {
    return TestManifests.with(ManifestFile.class, manifest, method, null);
  }

  @Test
  void refusesAManifestOfAPartitionSpecThatTheTableDoesNotHave() {
    ManifestFile manifest = with(added(table, vectorOf(first, 4)), "partitionSpecId", 9);

    assertThatThrownBy(() -> LiveDeletes.of(table, snapshot(table, manifest)))
        .isInstanceOfSatisfying(
            InvalidDeletionVectorException.class,
            e -> assertThat(e.reason()).isEqualTo(Reason.PARTITION))
        .hasMessage(
            "Cannot read manifest "
                + manifest.path()
                + " of table "
                + table.name()
                + ": its partition spec is 9, the table has [0]");
  }

  // apache/iceberg#17334, apache/iceberg-python#3478, trinodb/trino#27788
  @Test
  void keepsAllVectorsOfOnePuffinFileAndItsLocationOnce() {
    ManifestFile manifest = added(table, vectorOf(first, 4), vectorOf(second, 48));

    LiveDeletes live = LiveDeletes.of(table, snapshot(table, manifest));

    assertThat(live.vectors()).hasSize(2);
    assertThat(live.vector(first.location()).orElseThrow().contentOffset()).isEqualTo(4);
    assertThat(live.vector(second.location()).orElseThrow().contentOffset()).isEqualTo(48);
    assertThat(live.puffinLocations()).containsExactly(TestEntries.PUFFIN);
  }

  // apache/iceberg-go#835
  @Test
  void namesThePuffinFilesOfVectorsAndOfTheStatisticsOfThisSnapshot() {
    delete(first, 1);
    long older = table.currentSnapshot().snapshotId();
    String olderVector = LiveDeletes.of(table).vectors().get(0).location();
    delete(first, 2);
    long current = table.currentSnapshot().snapshotId();
    String currentVector = LiveDeletes.of(table).vectors().get(0).location();
    addStatistics(older, "memory://statistics/older.stats");
    addStatistics(current, "memory://statistics/current.stats");

    assertThat(LiveDeletes.of(table).puffinLocations())
        .containsExactlyInAnyOrder(currentVector, "memory://statistics/current.stats");
    assertThat(LiveDeletes.of(table, table.snapshot(older)).puffinLocations())
        .containsExactlyInAnyOrder(olderVector, "memory://statistics/older.stats");
  }

  private void addStatistics(long snapshotId, String location) {
    table
        .updateStatistics()
        .setStatistics(
            new GenericStatisticsFile(
                snapshotId,
                location,
                100,
                20,
                List.of(
                    new GenericBlobMetadata(
                        "apache-datasketches-theta-v1", snapshotId, 1, List.of(1), Map.of()))))
        .commit();
  }

  @Test
  void readsTheSnapshotsOfBranchesAndTags() {
    delete(first, 1);
    long tagged = table.currentSnapshot().snapshotId();
    table.manageSnapshots().createTag("tag", tagged).createBranch("branch", tagged).commit();
    try (DeletionVectorWriter writer =
        DeletionVectorWriter.of(table, LiveDeletes.of(table, table.snapshot("branch")))) {
      writer.delete(second, positions(5));
      writer.flush().applyTo(table.newRowDelta().toBranch("branch")).commit();
    }
    delete(first, 2);

    assertThat(recordCounts(LiveDeletes.of(table, table.snapshot("tag")))).containsExactly(1L);
    assertThat(recordCounts(LiveDeletes.of(table, table.snapshot("branch"))))
        .containsExactly(1L, 1L);
    assertThat(recordCounts(LiveDeletes.of(table))).containsExactly(2L);
  }

  private static List<Long> recordCounts(LiveDeletes live) {
    return live.vectors().stream().map(DeleteFile::recordCount).toList();
  }

  @Test
  void refusesASnapshotThatIsNullForATableThatHasOne() {
    assertThatThrownBy(() -> LiveDeletes.of(table, table.snapshot("misspelt")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "Cannot read deletes of table "
                + table.name()
                + ": the snapshot is null, but the table has snapshots");
  }

  @Test
  void takesASnapshotThatIsNullForATableWithoutAny() {
    Table empty = TestTables.unpartitioned();

    LiveDeletes live = LiveDeletes.of(empty, empty.currentSnapshot());

    assertThat(live.snapshotId()).isEmpty();
    assertThat(live.puffinLocations()).isEmpty();
    assertThat(StreamSupport.stream(live.dataFiles().spliterator(), false)).isEmpty();
  }

  @Test
  void keepsNoStatisticsOfColumns() {
    delete(first, 1);

    assertThat(LiveDeletes.of(table).vectors())
        .allSatisfy(
            vector -> {
              assertThat(vector.lowerBounds()).isNull();
              assertThat(vector.upperBounds()).isNull();
              assertThat(vector.columnSizes()).isNull();
              assertThat(vector.valueCounts()).isNull();
            });
  }
}
