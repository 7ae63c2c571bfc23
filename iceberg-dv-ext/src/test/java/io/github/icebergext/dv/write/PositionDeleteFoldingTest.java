package io.github.icebergext.dv.write;

import static io.github.icebergext.testing.TestEntries.positions;
import static io.github.icebergext.testing.TestScans.deleted;
import static io.github.icebergext.testing.TestScans.plan;
import static io.github.icebergext.testing.TestScans.positionDeletes;
import static io.github.icebergext.testing.TestTables.append;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.dv.InvalidDeletionVectorException;
import io.github.icebergext.dv.scan.ScanDeletes;
import io.github.icebergext.dv.table.LiveDeletes;
import io.github.icebergext.dv.table.LiveDeletesTest;
import io.github.icebergext.puffin.Reason;
import io.github.icebergext.testing.RecordingFile.Call;
import io.github.icebergext.testing.RecordingFileIO;
import io.github.icebergext.testing.TestScans;
import io.github.icebergext.testing.TestTables;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileMetadata;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.MetadataColumns;
import org.apache.iceberg.Metrics;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.RowDelta;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.BaseDeleteLoader;
import org.apache.iceberg.deletes.PositionDeleteIndex;
import org.apache.iceberg.types.Conversions;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Position deletes of version 2 go into the first vector of their data file. */
class PositionDeleteFoldingTest {
  private static final String DELETES = "memory://deletes/deletes.avro";
  private static final String MORE = "memory://deletes/more.avro";

  private final RecordingFileIO storage = RecordingFileIO.rangeReadable();
  private final Table table = TestTables.withFiles(storage, PartitionSpec.unpartitioned(), 2);
  private final DataFile a = append(table, "a");
  private final DataFile b = append(table, "b");

  /** What the entry of a delete file tells about its data files. */
  private enum Scope {
    NAMED,
    BOUNDS,
    UNKNOWN
  }

  private DeleteFile write(String location, Scope scope, TestScans.Deleted... rows) {
    DeleteFile written = positionDeletes(storage, location, List.of(rows));
    String dataFile = rows[0].dataFile().location();
    return switch (scope) {
      case NAMED -> builder(written).withReferencedDataFile(dataFile).build();
      case BOUNDS -> withBounds(written, dataFile, dataFile);
      case UNKNOWN -> builder(written).build();
    };
  }

  private static FileMetadata.Builder builder(DeleteFile written) {
    return FileMetadata.deleteFileBuilder(PartitionSpec.unpartitioned())
        .ofPositionDeletes()
        .withPath(written.location())
        .withFormat(written.format())
        .withFileSizeInBytes(written.fileSizeInBytes())
        .withRecordCount(written.recordCount());
  }

  private static DeleteFile withBounds(DeleteFile written, String lower, String upper) {
    int path = MetadataColumns.DELETE_FILE_PATH.fieldId();
    Metrics metrics =
        new Metrics(
            written.recordCount(),
            null,
            null,
            null,
            null,
            Map.of(path, bound(lower)),
            Map.of(path, bound(upper)));
    return builder(written).withMetrics(metrics).build();
  }

  private static ByteBuffer bound(String value) {
    return Conversions.toByteBuffer(Types.StringType.get(), value);
  }

  /** Commits deletes of version 2, and makes the table one of version 3. */
  private void commit(DeleteFile... deleteFiles) {
    RowDelta delta = table.newRowDelta();
    for (DeleteFile deleteFile : deleteFiles) {
      delta.addDeletes(deleteFile);
    }
    delta.commit();
    LiveDeletesTest.upgrade(table);
    storage.forget();
  }

  private static FlushResult flush(Table table, PreviousDeletes previous, DataFile... dataFiles) {
    try (DeletionVectorWriter writer = DeletionVectorWriter.of(table, previous)) {
      for (DataFile dataFile : dataFiles) {
        writer.delete(dataFile, 50);
      }
      return writer.flush();
    }
  }

  private FlushResult flush(DataFile... dataFiles) {
    return flush(table, PreviousDeletes.of(LiveDeletes.of(table)), dataFiles);
  }

  /** What a scan of ours and one of Iceberg's find deleted. */
  private DeletedPositions deletedRows(DataFile dataFile) {
    FileScanTask task =
        plan(table).stream()
            .filter(each -> each.file().location().equals(dataFile.location()))
            .toList()
            .get(0);
    DeletedPositions ours =
        TestScans.list(ScanDeletes.of(table).read(List.of(task))).get(0).positions();
    PositionDeleteIndex icebergs =
        new BaseDeleteLoader(deletes -> table.io().newInputFile(deletes))
            .loadPositionDeletes(task.deletes(), dataFile.location());
    assertThat(DeletedPositions.copyOf(icebergs)).isEqualTo(ours);
    return ours;
  }

  private List<String> livePositionDeletes() {
    return LiveDeletes.of(table).positionDeletes().stream().map(DeleteFile::location).toList();
  }

  private static List<String> replaced(FlushResult result, int index) {
    return result.vectors().get(index).replaced().stream().map(DeleteFile::location).toList();
  }

  static Stream<Function<Table, PreviousDeletes>> sources() {
    return Stream.of(
        table -> PreviousDeletes.of(LiveDeletes.of(table)),
        table -> PreviousDeletes.ofTasks(snapshotId(table), plan(table)),
        table ->
            PreviousDeletes.ofFiles(
                table,
                snapshotId(table),
                plan(table).stream().flatMap(task -> task.deletes().stream()).toList()),
        table -> PreviousDeletes.ofLoaded(snapshotId(table), location -> load(table, location)));
  }

  private static long snapshotId(Table table) {
    return table.currentSnapshot().snapshotId();
  }

  private static PositionDeleteIndex load(Table table, String location) {
    List<DeleteFile> deletes =
        plan(table).stream()
            .filter(task -> task.file().location().equals(location))
            .flatMap(task -> task.deletes().stream())
            .toList();
    return new BaseDeleteLoader(file -> table.io().newInputFile(file))
        .loadPositionDeletes(deletes, location);
  }

  @ParameterizedTest
  @MethodSource("sources")
  void aFileOfOneNamedDataFileIsFoldedInAndRemoved(Function<Table, PreviousDeletes> source) {
    commit(write(DELETES, Scope.NAMED, deleted(a, 3), deleted(a, 7)));

    FlushResult result = flush(table, source.apply(table), a);

    assertThat(replaced(result, 0)).containsExactly(DELETES);
    assertThat(result.vectors().get(0).newPositions()).isEqualTo(positions(50));
    result.applyTo(table.newRowDelta()).commit();
    assertThat(livePositionDeletes()).isEmpty();
    assertThat(deletedRows(a)).isEqualTo(positions(3, 7, 50));
  }

  @ParameterizedTest
  @MethodSource("sources")
  void aFileOfOneDataFileByBoundsIsFoldedInAndRemoved(Function<Table, PreviousDeletes> source) {
    commit(write(DELETES, Scope.BOUNDS, deleted(a, 3), deleted(a, 7)));

    FlushResult result = flush(table, source.apply(table), a);

    assertThat(replaced(result, 0)).containsExactly(DELETES);
    result.applyTo(table.newRowDelta()).commit();
    assertThat(livePositionDeletes()).isEmpty();
    assertThat(deletedRows(a)).isEqualTo(positions(3, 7, 50));
  }

  @ParameterizedTest
  @MethodSource("sources")
  void aSharedFileIsFoldedInAndStays(Function<Table, PreviousDeletes> source) {
    commit(write(DELETES, Scope.UNKNOWN, deleted(a, 3), deleted(b, 7)));

    FlushResult result = flush(table, source.apply(table), a);

    assertThat(replaced(result, 0)).isEmpty();
    result.applyTo(table.newRowDelta()).commit();
    assertThat(livePositionDeletes()).containsExactly(DELETES);
    assertThat(deletedRows(a)).isEqualTo(positions(3, 50));
    assertThat(deletedRows(b)).isEqualTo(positions(7));
  }

  // ClickHouse#118113: equal bounds may be those of a writer that cuts them, or gets them wrong
  @ParameterizedTest
  @MethodSource("sources")
  void aFileWithRowsOfAnotherDataFileIsNeverRemovedByItsBounds(
      Function<Table, PreviousDeletes> source) {
    commit(write(DELETES, Scope.BOUNDS, deleted(a, 3), deleted(b, 7)));

    FlushResult result = flush(table, source.apply(table), a);

    assertThat(replaced(result, 0)).isEmpty();
    result.applyTo(table.newRowDelta()).commit();
    assertThat(livePositionDeletes()).containsExactly(DELETES);
    assertThat(deletedRows(a)).isEqualTo(positions(3, 50));
  }

  @Test
  void ofSeveralFilesEachOneThatNoOtherDataFileUsesIsRemoved() {
    String shared = "memory://deletes/shared.avro";
    commit(
        write(DELETES, Scope.BOUNDS, deleted(a, 3), deleted(a, 4)),
        write(MORE, Scope.BOUNDS, deleted(a, 4), deleted(b, 1)),
        write(shared, Scope.UNKNOWN, deleted(b, 9), deleted(a, 9)));

    FlushResult result = flush(a);

    assertThat(replaced(result, 0)).containsExactly(DELETES);
    result.applyTo(table.newRowDelta()).commit();
    assertThat(deletedRows(a)).isEqualTo(positions(3, 4, 9, 50));
    assertThat(livePositionDeletes()).containsExactlyInAnyOrder(MORE, shared);
  }

  // ClickHouse#105888
  @Test
  void rowsInNoOrderAndSeveralTimesAreFoldedIn() {
    commit(
        write(
            DELETES,
            Scope.UNKNOWN,
            deleted(b, 9),
            deleted(a, 4),
            deleted(b, 2),
            deleted(a, 1),
            deleted(a, 4)));

    flush(a, b).applyTo(table.newRowDelta()).commit();

    assertThat(deletedRows(a)).isEqualTo(positions(1, 4, 50));
    assertThat(deletedRows(b)).isEqualTo(positions(2, 9, 50));
  }

  // ClickHouse#118113, ClickHouse#96061
  @Test
  void boundsThatAreInvertedOrCutExcludeNothing() {
    DeleteFile inverted =
        withBounds(positionDeletes(storage, DELETES, List.of(deleted(a, 3))), "z", "b");
    DeleteFile cut =
        withBounds(
            positionDeletes(storage, MORE, List.of(deleted(a, 4))), "memory://", "memory:/0");
    commit(inverted, cut);

    FlushResult result = flush(a);

    assertThat(replaced(result, 0)).isEmpty();
    result.applyTo(table.newRowDelta()).commit();
    assertThat(deletedRows(a)).isEqualTo(positions(3, 4, 50));
  }

  @Test
  void aSharedFileIsReadOnceForAllDataFiles() {
    commit(write(DELETES, Scope.UNKNOWN, deleted(a, 3), deleted(b, 7)));

    FlushResult result = flush(a, b);

    assertThat(storage.file(DELETES).count(Call.OPEN)).isOne();
    assertThat(result.vectors())
        .extracting(flushed -> flushed.entry().recordCount())
        .containsExactly(2L, 2L);
  }

  @Test
  void aFileByBoundsIsReadOnceAlsoAmongSeveral() {
    commit(write(DELETES, Scope.BOUNDS, deleted(a, 3)), write(MORE, Scope.BOUNDS, deleted(a, 4)));

    assertThat(replaced(flush(a), 0)).containsExactlyInAnyOrder(DELETES, MORE);

    assertThat(storage.file(DELETES).count(Call.OPEN)).isOne();
    assertThat(storage.file(MORE).count(Call.OPEN)).isOne();
  }

  @Test
  void onceThereIsAVectorPositionDeletesAreNotReadAgain() {
    commit(write(DELETES, Scope.UNKNOWN, deleted(a, 3), deleted(b, 7)));
    flush(a).commit();
    storage.forget();
    try (DeletionVectorWriter writer = DeletionVectorWriter.of(table, LiveDeletes.of(table))) {
      writer.delete(a, 51);
      writer.flush().commit();
    }

    assertThat(storage.file(DELETES).count(Call.OPEN)).isZero();
    assertThat(deletedRows(a)).isEqualTo(positions(3, 50, 51));
  }

  @Test
  void aLoadedFileThatNamesAnotherDataFileIsNotRemoved() {
    DeleteFile ofB = write(DELETES, Scope.NAMED, deleted(b, 7));
    commit(ofB);
    PreviousDeletes previous =
        PreviousDeletes.ofLoaded(
            snapshotId(table), location -> positions(3).asPositionDeleteIndex(ofB));

    assertThat(replaced(flush(table, previous, a), 0)).isEmpty();
  }

  @Test
  void positionsPastTheRowsNameTheFilesTheyMayBeIn() {
    commit(write(DELETES, Scope.NAMED, deleted(a, 3)), write(MORE, Scope.NAMED, deleted(a, 100)));

    assertThatThrownBy(() -> flush(a))
        .isInstanceOfSatisfying(
            InvalidDeletionVectorException.class,
            e -> assertThat(e.reason()).isEqualTo(Reason.POSITION_RANGE))
        .hasMessageContaining("one of the position delete files ")
        .hasMessageContaining(DELETES)
        .hasMessageContaining(MORE)
        .hasMessageEndingWith("deletes position 100, but the data file has 100 rows");
  }

  @Test
  void threeRoundsLoseNothingOfVersionTwo() {
    commit(
        write(DELETES, Scope.NAMED, deleted(a, 0)),
        write(MORE, Scope.UNKNOWN, deleted(b, 1), deleted(a, 1)));
    try (DeletionVectorWriter writer = DeletionVectorWriter.of(table, LiveDeletes.of(table))) {
      for (long round = 10; round < 13; round++) {
        writer.delete(a, round);
        writer.delete(b, round + 10);
        writer.flush().commit();
      }
    }

    assertThat(deletedRows(a)).isEqualTo(positions(0, 1, 10, 11, 12));
    assertThat(deletedRows(b)).isEqualTo(positions(1, 20, 21, 22));
    assertThat(LiveDeletes.of(table).vectors()).hasSize(2);
  }
}
