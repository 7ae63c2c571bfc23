package io.github.icebergext.dv.write;

import static io.github.icebergext.testing.TestEntries.positions;
import static io.github.icebergext.testing.TestEntries.with;
import static io.github.icebergext.testing.TestScans.plan;
import static io.github.icebergext.testing.TestScans.task;
import static io.github.icebergext.testing.TestTables.BY_CATEGORY;
import static io.github.icebergext.testing.TestTables.append;
import static io.github.icebergext.testing.TestTables.dataFile;
import static io.github.icebergext.testing.TestTables.unpartitioned;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.dv.DeletionVectorCodec;
import io.github.icebergext.dv.DeletionVectorIdentity;
import io.github.icebergext.dv.InvalidDeletionVectorException;
import io.github.icebergext.dv.read.DeletionVectorReader;
import io.github.icebergext.dv.table.LiveDeletes;
import io.github.icebergext.puffin.Reason;
import io.github.icebergext.testing.RecordingFile.Call;
import io.github.icebergext.testing.RecordingFileIO;
import io.github.icebergext.testing.TestScans;
import io.github.icebergext.testing.TestTables;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.deletes.PositionDeleteIndex;
import org.apache.iceberg.types.Types;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** New vectors contain the previous deletes, wherever those come from. */
class PreviousDeletesTest {
  private final RecordingFileIO storage = RecordingFileIO.rangeReadable();
  private final Table table = unpartitioned(storage);
  private final DataFile data = append(table, "data");
  private final DataFile other = append(table, "other");

  /** How a caller comes by the deletes of the table's current snapshot. */
  private record Source(String name, Function<Table, PreviousDeletes> of) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Source> sources() {
    return Stream.of(
        new Source("live", table -> PreviousDeletes.of(LiveDeletes.of(table))),
        new Source("tasks", table -> PreviousDeletes.ofTasks(snapshotId(table), plan(table))),
        new Source("splits", table -> PreviousDeletes.ofTasks(snapshotId(table), splits(table))),
        new Source(
            "files",
            table ->
                PreviousDeletes.ofFiles(table, snapshotId(table), LiveDeletes.of(table).vectors())),
        new Source("Iceberg's indexes", table -> loaded(table, PreviousDeletesTest::icebergs)),
        new Source(
            "positions in memory",
            table ->
                loaded(table, (positions, vector) -> positions.asPositionDeleteIndex(vector))));
  }

  private static List<FileScanTask> splits(Table table) {
    List<FileScanTask> splits = new ArrayList<>();
    plan(table).forEach(task -> task.split(task.length() / 3).forEach(splits::add));
    assertThat(splits).hasSizeGreaterThan(plan(table).size());
    return splits;
  }

  private interface Loading {
    PositionDeleteIndex index(DeletedPositions positions, DeleteFile vector);
  }

  private static PreviousDeletes loaded(Table table, Loading loading) {
    DeletionVectorReader reader = DeletionVectorReader.of(table);
    Map<String, PositionDeleteIndex> loaded = new HashMap<>();
    for (DeleteFile vector : LiveDeletes.of(table).vectors()) {
      loaded.put(vector.referencedDataFile(), loading.index(reader.read(vector), vector));
    }
    return PreviousDeletes.ofLoaded(snapshotId(table), loaded::get);
  }

  private static PositionDeleteIndex icebergs(DeletedPositions positions, DeleteFile vector) {
    byte[] blob = new byte[(int) vector.contentSizeInBytes().longValue()];
    DeletionVectorCodec.encode(positions).get(blob);
    return PositionDeleteIndex.deserialize(blob, vector);
  }

  private static long snapshotId(Table table) {
    return table.currentSnapshot().snapshotId();
  }

  private void commit(DataFile dataFile, long... positions) {
    try (DeletionVectorWriter writer = DeletionVectorWriter.of(table, LiveDeletes.of(table))) {
      writer.delete(dataFile, positions);
      writer.flush().commit();
    }
  }

  private DeleteFile vector(DataFile dataFile) {
    return LiveDeletes.of(table).vector(dataFile.location()).orElseThrow();
  }

  private DeletedPositions live(DataFile dataFile) {
    return DeletionVectorReader.of(table).read(vector(dataFile));
  }

  private FlushResult flush(PreviousDeletes previous, DataFile dataFile, long... positions) {
    try (DeletionVectorWriter writer = DeletionVectorWriter.of(table, previous)) {
      writer.delete(dataFile, positions);
      return writer.flush();
    }
  }

  // duckdb-iceberg#1052, apache/iceberg-go#1372, trinodb/trino#24648
  @ParameterizedTest
  @MethodSource("sources")
  void theNewVectorContainsTheOldOneAndReplacesIt(Source source) {
    commit(data, 1, 70);
    commit(other, 5);
    DeleteFile old = vector(data);

    FlushResult result = flush(source.of().apply(table), data, 1, 2);

    assertThat(result.snapshotId()).hasValue(snapshotId(table));
    assertThat(result.vectors())
        .singleElement()
        .satisfies(
            flushed -> {
              assertThat(flushed.entry().recordCount()).isEqualTo(3);
              assertThat(flushed.newPositions()).isEqualTo(positions(2));
              assertThat(flushed.replaced())
                  .extracting(DeletionVectorIdentity::of)
                  .containsExactly(DeletionVectorIdentity.of(old));
            });
    result.applyTo(table.newRowDelta()).commit();
    assertThat(live(data)).isEqualTo(positions(1, 2, 70));
    assertThat(live(other)).isEqualTo(positions(5));
    assertThat(LiveDeletes.of(table).duplicateVectors()).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("sources")
  void aDataFileWithoutDeletesGetsItsFirstVector(Source source) {
    commit(other, 5);

    FlushResult result = flush(source.of().apply(table), data, 3);

    assertThat(result.vectors().get(0).replaced()).isEmpty();
    result.applyTo(table.newRowDelta()).commit();
    assertThat(live(data)).isEqualTo(positions(3));
  }

  @ParameterizedTest
  @MethodSource("sources")
  void theSnapshotStaysThatOfTheDeletesWhenOthersCommit(Source source) {
    commit(other, 5);
    PreviousDeletes previous = source.of().apply(table);
    long snapshotId = snapshotId(table);
    commit(other, 6);

    assertThat(flush(previous, data, 3).snapshotId()).hasValue(snapshotId);
  }

  @Test
  void noneHasASnapshotAndNothingElse() {
    FlushResult result = flush(PreviousDeletes.none(snapshotId(table)), data, 3);

    assertThat(result.snapshotId()).hasValue(snapshotId(table));
    assertThat(result.vectors().get(0).replaced()).isEmpty();
  }

  @Test
  void aDataFileThatWasNotPlannedIsRefused() {
    List<FileScanTask> tasks = plan(table).stream().filter(task -> !isOf(data, task)).toList();

    assertThatThrownBy(() -> flush(PreviousDeletes.ofTasks(snapshotId(table), tasks), data, 3))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "Cannot tell the previous deletes of data file memory://data/data.parquet:"
                + " it is not among the tasks of the scan");
    assertThat(storage.locations()).isEmpty();
  }

  private static boolean isOf(DataFile dataFile, FileScanTask task) {
    return task.file().location().equals(dataFile.location());
  }

  @Test
  void tasksOfDifferentSnapshotsAreRefused() {
    List<FileScanTask> tasks = new ArrayList<>(plan(table));
    commit(data, 1);
    tasks.addAll(plan(table));

    assertThatThrownBy(() -> PreviousDeletes.ofTasks(snapshotId(table), tasks))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "Cannot tell the previous deletes of data file memory://data/data.parquet:"
                + " two tasks have different ones, as if of different snapshots");
  }

  @Test
  void twoVectorsOfOneTaskAreRefusedAndBothNamed() {
    commit(data, 1);
    DeleteFile vector = vector(data);
    DeleteFile second = with(vector, "contentOffset", 50L);
    PreviousDeletes tasks =
        PreviousDeletes.ofTasks(snapshotId(table), List.of(task(data, vector, second)));

    assertInvalid(tasks, Reason.DUPLICATE_VECTOR)
        .hasMessageContaining(data.location())
        .hasMessageContaining("content offset 4,")
        .hasMessageContaining("content offset 50,");
  }

  @Test
  void twoVectorsAmongGivenFilesAreRefusedAndBothNamed() {
    commit(data, 1);
    DeleteFile vector = vector(data);
    DeleteFile second = with(vector, "contentOffset", 50L);
    PreviousDeletes files =
        PreviousDeletes.ofFiles(table, snapshotId(table), List.of(vector, second));

    assertInvalid(files, Reason.DUPLICATE_VECTOR)
        .hasMessageContaining("content offset 4,")
        .hasMessageContaining("content offset 50,");
  }

  @Test
  void theSameVectorGivenTwiceIsOne() {
    commit(data, 1);
    PreviousDeletes files =
        PreviousDeletes.ofFiles(
            table, snapshotId(table), List.of(vector(data), vector(data).copy()));

    assertThat(flush(files, data, 2).vectors().get(0).replaced()).hasSize(1);
  }

  @Test
  void aGivenVectorWithoutACoordinateIsRefusedAtOnce() {
    commit(data, 1);
    DeleteFile vector = with(vector(data), "contentSizeInBytes", null);

    assertThatThrownBy(() -> PreviousDeletes.ofFiles(table, snapshotId(table), List.of(vector)))
        .isInstanceOfSatisfying(
            InvalidDeletionVectorException.class,
            e -> assertThat(e.reason()).isEqualTo(Reason.ENTRY_COORDINATES))
        .hasMessageContaining(vector.location());
  }

  @Test
  void aLoadedVectorOfAnotherDataFileIsRefused() {
    commit(other, 5);
    PositionDeleteIndex index = positions(5).asPositionDeleteIndex(vector(other));

    assertInvalid(
            PreviousDeletes.ofLoaded(snapshotId(table), location -> index),
            Reason.REFERENCED_DATA_FILE)
        .hasMessageContaining(other.location())
        .hasMessageContaining("it is not of data file " + data.location());
  }

  // Without the entry the old vector would stay live beside the new one: duckdb-iceberg#1052
  @Test
  void loadedPositionsWithoutTheirEntriesAreRefused() {
    PreviousDeletes previous =
        PreviousDeletes.ofLoaded(
            snapshotId(table), location -> positions(5, 6).asPositionDeleteIndex());

    assertThatThrownBy(() -> flush(previous, data, 7))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "Cannot take the previous deletes of data file memory://data/data.parquet: there are"
                + " 2 positions, and deleteFiles() does not say which entries they came from");
    assertThat(storage.locations()).isEmpty();
  }

  @Test
  void loadedPositionsThatLackSomeOfTheirVectorAreRefused() {
    commit(data, 1, 2);
    DeleteFile vector = vector(data);
    PreviousDeletes previous =
        PreviousDeletes.ofLoaded(
            snapshotId(table), location -> positions(1).asPositionDeleteIndex(vector));

    assertThatThrownBy(() -> flush(previous, data, 7))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(
            "Cannot take the previous deletes of data file memory://data/data.parquet: there are"
                + " 1 positions, but 2 in their deletion vector in "
                + vector.location());
  }

  @Test
  void deletesAreLoadedOnceADataFileWhenTheirVectorIsWritten() {
    List<String> loaded = new ArrayList<>();
    PreviousDeletes previous =
        PreviousDeletes.ofLoaded(
            snapshotId(table),
            location -> {
              loaded.add(location);
              return null;
            });
    try (DeletionVectorWriter writer = DeletionVectorWriter.of(table, previous)) {
      writer.delete(other, 1);
      writer.delete(data, 1);
      writer.delete(other, 2);
      assertThat(loaded).isEmpty();

      writer.flush();
    }
    assertThat(loaded).containsExactly(other.location(), data.location());
  }

  @Test
  void whatWasLoadedIsNotKeptInTheResult() {
    commit(data, 5, 6);
    DeleteFile vector = vector(data);
    List<WeakReference<DeletedPositions>> loaded = new ArrayList<>();
    PreviousDeletes previous =
        PreviousDeletes.ofLoaded(
            snapshotId(table),
            location -> {
              DeletedPositions positions = positions(5, 6);
              loaded.add(new WeakReference<>(positions));
              return positions.asPositionDeleteIndex(vector);
            });

    FlushResult result = flush(previous, data, 7);
    System.gc();

    assertThat(loaded).hasSize(1).allMatch(reference -> reference.refersTo(null));
    assertThat(result.vectors().get(0).entry().recordCount()).isEqualTo(3);
  }

  @Test
  void positionsInMemoryAreNotReadAgain() {
    commit(data, 1);
    PreviousDeletes previous =
        loaded(table, (positions, vector) -> positions.asPositionDeleteIndex(vector));
    storage.forget();

    flush(previous, data, 2);

    assertThat(storage.count(Call.OPEN)).isZero();
  }

  @Test
  void loadedPositionsPastTheRowsAreRefusedAndBothNamed() {
    commit(data, 1);
    DeleteFile vector = vector(data);
    PreviousDeletes previous =
        PreviousDeletes.ofLoaded(
            snapshotId(table), location -> positions(1, 100).asPositionDeleteIndex(vector));

    assertInvalid(previous, Reason.POSITION_RANGE)
        .hasMessageStartingWith(
            "Cannot write deletion vector of memory://data/data.parquet: deletion vector in "
                + vector.location())
        .hasMessageEndingWith("deletes position 100, but the data file has 100 rows");
  }

  @Test
  void aVectorOlderThanItsDataFileIsRefused() {
    commit(data, 1);
    DataFile live = plan(table).stream().filter(task -> isOf(data, task)).toList().get(0).file();
    DeleteFile older = with(vector(data), "dataSequenceNumber", 0L);
    PreviousDeletes files = PreviousDeletes.ofFiles(table, snapshotId(table), List.of(older));

    assertThatThrownBy(() -> flush(files, live, 2))
        .isInstanceOfSatisfying(
            InvalidDeletionVectorException.class,
            e -> assertThat(e.reason()).isEqualTo(Reason.SEQUENCE_NUMBER))
        .hasMessageContaining(older.location())
        .hasMessageEndingWith(
            "its data sequence number is 0, expected at least that of the data file, 1");
  }

  /** The age may be learned from a second description of the data file. */
  @Test
  void theAgeOfTheDataFileIsLearnedLater() {
    commit(data, 1);
    DataFile live = plan(table).stream().filter(task -> isOf(data, task)).toList().get(0).file();
    DeleteFile older = with(vector(data), "dataSequenceNumber", 0L);
    PreviousDeletes files = PreviousDeletes.ofFiles(table, snapshotId(table), List.of(older));
    try (DeletionVectorWriter writer = DeletionVectorWriter.of(table, files)) {
      writer.delete(data, 2);
      writer.delete(live, 3);

      assertThatThrownBy(writer::flush).hasMessageContaining("data sequence number is 0");
    }
  }

  // apache/iceberg#16957, apache/iceberg-go#1975
  @Test
  void aVectorInAnotherPartitionIsRefusedAlsoBesideNull() {
    Table partitioned = TestTables.withStorage(TestTables.create(BY_CATEGORY, 3), storage);
    DataFile inNull =
        dataFile(partitioned.spec(), "null", 100)
            .withPartitionPath("category=__HIVE_DEFAULT_PARTITION__")
            .build();
    partitioned.newAppend().appendFile(inNull).commit();
    DataFile inA = append(partitioned, "a", "category=a");
    try (DeletionVectorWriter writer =
        DeletionVectorWriter.of(partitioned, LiveDeletes.of(partitioned))) {
      writer.delete(inNull, 1);
      writer.flush().commit();
    }
    DeleteFile vector = LiveDeletes.of(partitioned).vector(inNull.location()).orElseThrow();
    DeleteFile wrong = with(vector, "partition", inA.partition());
    long snapshotId = snapshotId(partitioned);

    try (DeletionVectorWriter writer =
        DeletionVectorWriter.of(
            partitioned, PreviousDeletes.ofFiles(partitioned, snapshotId, List.of(wrong)))) {
      writer.delete(inNull, 2);
      assertThatThrownBy(writer::flush)
          .isInstanceOfSatisfying(
              InvalidDeletionVectorException.class,
              e -> assertThat(e.reason()).isEqualTo(Reason.PARTITION))
          .hasMessageContaining("PartitionData{category=a}")
          .hasMessageContaining("PartitionData{category=null}");
    }
    try (DeletionVectorWriter writer =
        DeletionVectorWriter.of(
            partitioned, PreviousDeletes.ofFiles(partitioned, snapshotId, List.of(vector)))) {
      writer.delete(inNull, 2);
      writer.flush().commit();
    }
    assertThat(LiveDeletes.of(partitioned).vectors()).hasSize(1);
  }

  /** A data file keeps the spec it was written under. */
  @Test
  void theVectorOfADataFileOfAnOldSpecStaysInThatSpec() {
    Schema schema =
        new Schema(
            Types.NestedField.required(1, "id", Types.LongType.get()),
            Types.NestedField.optional(2, "category", Types.StringType.get()));
    Table evolved =
        TestTables.withStorage(
            TestTables.create(PartitionSpec.builderFor(schema).identity("category").build(), 3),
            storage);
    DataFile before = append(evolved, "before", "category=a");
    evolved.updateSpec().addField("id").commit();
    for (long position = 0; position < 3; position++) {
      try (DeletionVectorWriter writer =
          DeletionVectorWriter.of(evolved, LiveDeletes.of(evolved))) {
        writer.delete(before, position);
        writer.flush().commit();
      }
    }

    DeleteFile vector = LiveDeletes.of(evolved).vector(before.location()).orElseThrow();
    assertThat(vector.specId()).isEqualTo(before.specId()).isNotEqualTo(evolved.spec().specId());
    assertThat(vector.recordCount()).isEqualTo(3);
    assertThat(TestScans.list(evolved.newScan().planFiles())).hasSize(1);
  }

  private AbstractThrowableAssert<?, ? extends Throwable> assertInvalid(
      PreviousDeletes previous, Reason reason) {
    return assertThatThrownBy(() -> flush(previous, data, 2))
        .isInstanceOfSatisfying(
            InvalidDeletionVectorException.class, e -> assertThat(e.reason()).isEqualTo(reason));
  }
}
