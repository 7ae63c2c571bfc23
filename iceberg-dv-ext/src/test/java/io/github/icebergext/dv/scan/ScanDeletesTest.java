package io.github.icebergext.dv.scan;

import static io.github.icebergext.testing.TestEntries.positions;
import static io.github.icebergext.testing.TestEntries.with;
import static io.github.icebergext.testing.TestScans.deleted;
import static io.github.icebergext.testing.TestScans.equalityDeletes;
import static io.github.icebergext.testing.TestScans.list;
import static io.github.icebergext.testing.TestScans.plan;
import static io.github.icebergext.testing.TestScans.positionDeletes;
import static io.github.icebergext.testing.TestScans.positionsByFile;
import static io.github.icebergext.testing.TestScans.task;
import static io.github.icebergext.testing.TestTables.append;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.dv.InvalidDeletionVectorException;
import io.github.icebergext.dv.internal.IcebergFeatures;
import io.github.icebergext.dv.read.DeletionVectorCache;
import io.github.icebergext.dv.read.DeletionVectorReader;
import io.github.icebergext.dv.table.LiveDeletes;
import io.github.icebergext.dv.table.LiveDeletesTest;
import io.github.icebergext.dv.write.DeletionVectorWriter;
import io.github.icebergext.puffin.Reason;
import io.github.icebergext.testing.RecordingFile.Call;
import io.github.icebergext.testing.RecordingFileIO;
import io.github.icebergext.testing.TestEntries;
import io.github.icebergext.testing.TestScans;
import io.github.icebergext.testing.TestTables;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileContent;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.RowDelta;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.BaseDeleteLoader;
import org.apache.iceberg.io.CloseableIterable;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ScanDeletesTest {
  private static final String SHARED = "memory://deletes/shared.avro";
  private static final String MORE = "memory://deletes/more.avro";

  private final RecordingFileIO storage = RecordingFileIO.rangeReadable();
  private final Table table =
      TestTables.withStorage(TestTables.create(PartitionSpec.unpartitioned(), 2), storage);
  private final DataFile a = append(table, "a");
  private final DataFile b = append(table, "b");
  private final DataFile c = append(table, "c");

  private ScanDeletes scanDeletes() {
    return ScanDeletes.builder(storage).build();
  }

  private List<TaskDeletes> read(FileScanTask... tasks) {
    return read(scanDeletes(), List.of(tasks));
  }

  private static List<TaskDeletes> read(ScanDeletes deletes, List<FileScanTask> tasks) {
    return list(deletes.read(tasks));
  }

  private void commit(DeleteFile... deleteFiles) {
    RowDelta delta = table.newRowDelta();
    for (DeleteFile deleteFile : deleteFiles) {
      delta.addDeletes(deleteFile);
    }
    delta.commit();
  }

  private void deleteByVector(Map<DataFile, DeletedPositions> deleted) {
    try (DeletionVectorWriter writer = DeletionVectorWriter.of(table, LiveDeletes.of(table))) {
      deleted.forEach(writer::delete);
      writer.flush().applyTo(table.newRowDelta()).commit();
    }
  }

  private DeleteFile vector(DataFile dataFile) {
    return LiveDeletes.of(table).vector(dataFile.location()).orElseThrow();
  }

  @Test
  void givesEachTaskItsVectorInOrder() {
    LiveDeletesTest.upgrade(table);
    deleteByVector(Map.of(a, positions(1, 2), c, positions(99)));
    List<FileScanTask> tasks = plan(table);

    storage.forget();

    List<TaskDeletes> deletes = read(scanDeletes(), tasks);

    assertThat(storage.requests()).as("for two vectors and the footer").isLessThanOrEqualTo(2);
    assertThat(deletes).extracting(TaskDeletes::task).containsExactlyElementsOf(tasks);
    assertThat(positionsByFile(deletes))
        .containsOnly(
            Map.entry(a.location(), List.of(1L, 2L)),
            Map.entry(b.location(), List.of()),
            Map.entry(c.location(), List.of(99L)));
    assertThat(storage.openStreams()).isZero();
  }

  // NVIDIA/cudf-spark#15755: each split of a data file read the vector anew
  @Test
  void readsTheVectorOfSplitsOnce() {
    LiveDeletesTest.upgrade(table);
    deleteByVector(Map.of(a, positions(1, 2)));
    FileScanTask task = task(a, vector(a));
    storage.forget();

    List<TaskDeletes> deletes = read(task, task, task);

    DeletedPositions first = deletes.get(0).positions();
    assertThat(TestEntries.list(first)).containsExactly(1L, 2L);
    assertThat(deletes)
        .hasSize(3)
        .allSatisfy(split -> assertThat(split.positions()).isSameAs(first));
    assertThat(storage.requests()).isOne();
  }

  // apache/iceberg#11648: a cache costs those memory who read once
  @Test
  void keepsNothingBetweenReadsUnlessACacheIsGiven() {
    LiveDeletesTest.upgrade(table);
    deleteByVector(Map.of(a, positions(1, 2)));
    FileScanTask task = task(a, vector(a));
    ScanDeletes plain = scanDeletes();
    ScanDeletes caching =
        ScanDeletes.builder(storage)
            .withVectorReader(
                DeletionVectorReader.builder(storage)
                    .withVectorCache(DeletionVectorCache.ofMaxBytes(1 << 20))
                    .build())
            .build();

    assertThat(requestsOfSecondRead(plain, task)).isOne();
    assertThat(requestsOfSecondRead(caching, task)).isZero();
  }

  private int requestsOfSecondRead(ScanDeletes deletes, FileScanTask task) {
    read(deletes, List.of(task));
    storage.forget();
    assertThat(TestEntries.list(read(deletes, List.of(task)).get(0).positions()))
        .containsExactly(1L, 2L);
    return storage.requests();
  }

  @Test
  void unitesThePositionDeletesOfSeveralFiles() {
    commit(
        positionDeletes(storage, SHARED, List.of(deleted(a, 3), deleted(a, 5), deleted(c, 7))),
        positionDeletes(storage, MORE, List.of(deleted(a, 5), deleted(a, 90), deleted(b, 0))));

    assertThat(positionsByFile(read(scanDeletes(), plan(table))))
        .containsOnly(
            Map.entry(a.location(), List.of(3L, 5L, 90L)),
            Map.entry(b.location(), List.of(0L)),
            Map.entry(c.location(), List.of(7L)));
  }

  // ClickHouse#105888: a file of several data files, and in no order
  @Test
  void takesPositionDeletesInAnyOrder() {
    commit(
        positionDeletes(
            storage,
            SHARED,
            List.of(deleted(b, 9), deleted(a, 4), deleted(b, 2), deleted(a, 4), deleted(b, 9))));

    assertThat(positionsByFile(read(scanDeletes(), plan(table))))
        .containsOnly(
            Map.entry(a.location(), List.of(4L)),
            Map.entry(b.location(), List.of(2L, 9L)),
            Map.entry(c.location(), List.of()));
  }

  @Test
  void readsASharedDeleteFileOnceForAllDataFiles() {
    commitShared();
    List<FileScanTask> tasks = plan(table);
    storage.forget();

    List<TaskDeletes> deletes = read(scanDeletes(), tasks);

    assertThat(storage.file(SHARED).count(Call.OPEN)).isOne();
    assertThat(positionsByFile(deletes)).isEqualTo(sharedPositions());

    storage.forget();
    BaseDeleteLoader icebergs = new BaseDeleteLoader(storage::newInputFile);
    tasks.forEach(task -> icebergs.loadPositionDeletes(task.deletes(), task.file().location()));
    assertThat(storage.file(SHARED).count(Call.OPEN)).isEqualTo(3);
  }

  @Test
  void readsADeleteFileThatMayNotFitForEachDataFile() {
    commitShared();
    List<FileScanTask> tasks = plan(table);
    storage.forget();

    ScanDeletes small = ScanDeletes.builder(storage).withPositionDeleteBytes(16).build();
    List<TaskDeletes> deletes = read(small, tasks);

    assertThat(storage.file(SHARED).count(Call.OPEN)).isEqualTo(3);
    assertThat(positionsByFile(deletes)).isEqualTo(sharedPositions());
  }

  /** Each file is taken to need 48 bytes before, and needs some 600 after it was read. */
  @Test
  void keepsTheDeleteFileThatWasUsedLastWithinTheBytesGiven() {
    DeleteFile shared = positionDeletes(storage, SHARED, sharedDeletes());
    DeleteFile more = positionDeletes(storage, MORE, sharedDeletes());
    storage.forget();

    ScanDeletes small = ScanDeletes.builder(storage).withPositionDeleteBytes(800).build();
    List<TaskDeletes> deletes =
        read(small, List.of(task(a, shared), task(b, shared), task(a, more), task(b, shared)));

    assertThat(storage.file(SHARED).count(Call.OPEN)).isEqualTo(2);
    assertThat(storage.file(MORE).count(Call.OPEN)).isOne();
    assertThat(deletes)
        .extracting(each -> TestEntries.list(each.positions()))
        .containsExactly(List.of(10L), List.of(20L), List.of(10L), List.of(20L));
  }

  private void commitShared() {
    commit(positionDeletes(storage, SHARED, sharedDeletes()));
  }

  private List<TestScans.Deleted> sharedDeletes() {
    return List.of(deleted(a, 10), deleted(b, 20), deleted(c, 30));
  }

  private Map<String, List<Long>> sharedPositions() {
    return Map.of(
        a.location(), List.of(10L), b.location(), List.of(20L), c.location(), List.of(30L));
  }

  // ClickHouse#2183 of Altinity
  @Test
  void aVectorReplacesPositionDeletes() {
    DeleteFile older = positionDeletes(storage, SHARED, List.of(deleted(a, 1)));
    LiveDeletesTest.upgrade(table);
    deleteByVector(Map.of(a, positions(2)));
    storage.forget();

    assertThat(read(task(a, older, vector(a), equalityDeletes("memory://deletes/equality.avro"))))
        .singleElement()
        .satisfies(
            deletes -> {
              assertThat(deletes.positions()).isEqualTo(positions(2));
              assertThat(deletes.equalityDeletes()).hasSize(1);
            });
    assertThat(storage.file(SHARED).count(Call.OPEN)).isZero();
  }

  @Test
  void handsEqualityDeletesOnAsPlanned() {
    DeleteFile one = equalityDeletes("memory://deletes/one.avro");
    DeleteFile two = equalityDeletes("memory://deletes/two.avro");

    assertThat(read(task(a, one, two)))
        .singleElement()
        .satisfies(
            deletes -> {
              assertThat(deletes.equalityDeletes()).containsExactly(one, two);
              assertThat(deletes.positions().isEmpty()).isTrue();
            });
  }

  @Test
  void readsNothingBeforeItIsIterated() throws IOException {
    LiveDeletesTest.upgrade(table);
    deleteByVector(Map.of(a, positions(1)));
    storage.forget();
    List<String> planned = new ArrayList<>();
    Iterable<FileScanTask> tasks =
        () ->
            Stream.of(task(a, vector(a)), task(b))
                .peek(task -> planned.add(task.file().location()))
                .iterator();

    try (CloseableIterable<TaskDeletes> deletes = scanDeletes().read(tasks)) {
      assertThat(planned).isEmpty();
      assertThat(storage.requests()).isZero();
      assertThat(deletes.iterator().next().positions()).isEqualTo(positions(1));
    }
  }

  @Test
  void refusesSeveralVectorsOfOneTask() {
    LiveDeletesTest.upgrade(table);
    deleteByVector(Map.of(a, positions(1)));
    DeleteFile vector = vector(a);
    DeleteFile other = with(vector, "contentOffset", 50L);

    assertInvalid(task(a, vector, other), Reason.DUPLICATE_VECTOR)
        .hasMessageContaining("2 ")
        .hasMessageContaining(a.location())
        .hasMessageContaining("content offset " + vector.contentOffset() + ",")
        .hasMessageContaining("content offset 50,");
  }

  // fluree/db#1520: deletes of an unknown kind are refused, not left out
  @Test
  void refusesDeleteFilesOfAnotherKind() {
    DeleteFile unknown = with(equalityDeletes("memory://x.avro"), "content", FileContent.DATA);

    assertInvalid(task(a, unknown), Reason.NOT_DELETION_VECTOR)
        .hasMessage(
            "Cannot apply delete file memory://x.avro to data file memory://data/a.parquet:"
                + " its content is DATA, expected POSITION_DELETES or EQUALITY_DELETES");
  }

  // sirius#1425: a vector without coordinates is an error, never "no vector"
  @ParameterizedTest
  @ValueSource(strings = {"contentOffset", "contentSizeInBytes", "referencedDataFile"})
  void refusesAVectorThatLacksACoordinate(String coordinate) {
    LiveDeletesTest.upgrade(table);
    deleteByVector(Map.of(a, positions(1)));

    assertInvalid(task(a, with(vector(a), coordinate, null)), Reason.ENTRY_COORDINATES)
        .hasMessageContaining("is missing");
  }

  /** Iceberg has vectors in the entries of data files since 1.12. */
  @Test
  void refusesADataFileWhoseOwnEntryHoldsAVector() throws ReflectiveOperationException {
    Method accessor;
    try {
      accessor = DataFile.class.getMethod("deletionVector");
    } catch (NoSuchMethodException e) {
      assertThat(IcebergFeatures.hasVectorInEntry(a)).isFalse();
      return;
    }
    Class<?> pointer = accessor.getReturnType();
    Object vector =
        Proxy.newProxyInstance(
            pointer.getClassLoader(), new Class<?>[] {pointer}, (self, method, none) -> null);
    DataFile versionFour =
        (DataFile)
            Proxy.newProxyInstance(
                DataFile.class.getClassLoader(),
                new Class<?>[] {DataFile.class},
                (self, method, arguments) ->
                    method.equals(accessor) ? vector : method.invoke(a, arguments));

    assertThat(IcebergFeatures.hasVectorInEntry(a)).isFalse();
    assertInvalid(task(versionFour), Reason.FORMAT_VERSION)
        .hasMessage(
            "Cannot apply deletes of data file memory://data/a.parquet: its own entry holds a"
                + " deletion vector, as in tables of format version 4, expected at most 3");
    assertThatThrownBy(() -> LiveRowCount.of(List.of(task(versionFour))))
        .hasMessageContaining("format version 4");
    assertThatThrownBy(() -> TaskWeight.withOpenFileCost(0).applyAsLong(task(versionFour)))
        .hasMessageContaining("format version 4");
  }

  @Test
  void refusesTablesOfFormatVersionFour() {
    assertThatThrownBy(() -> ScanDeletes.of(TestTables.create(PartitionSpec.unpartitioned(), 4)))
        .isInstanceOf(RuntimeException.class)
        .hasMessageMatching("(?s).*(format version is 4|[Uu]nsupported format version: v4).*");
  }

  private AbstractThrowableAssert<?, ? extends Throwable> assertInvalid(
      FileScanTask task, Reason reason) {
    return assertThatThrownBy(() -> read(task))
        .isInstanceOfSatisfying(
            InvalidDeletionVectorException.class, e -> assertThat(e.reason()).isEqualTo(reason));
  }
}
