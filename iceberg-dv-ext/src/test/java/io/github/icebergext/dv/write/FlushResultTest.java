package io.github.icebergext.dv.write;

import static io.github.icebergext.testing.TestEntries.list;
import static io.github.icebergext.testing.TestTables.append;
import static io.github.icebergext.testing.TestTables.unpartitioned;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.icebergext.dv.DeletionVectorIdentity;
import io.github.icebergext.dv.read.DeletionVectorReader;
import io.github.icebergext.dv.table.LiveDeletes;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.RowDelta;
import org.apache.iceberg.Table;
import org.apache.iceberg.exceptions.ValidationException;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.DeleteWriteResult;
import org.junit.jupiter.api.Test;

class FlushResultTest {
  private final Table table = unpartitioned();
  private final DataFile data = append(table, "data");

  private FlushResult flush(LiveDeletes previous, long position) {
    return flush(PreviousDeletes.of(previous), position);
  }

  private FlushResult flush(PreviousDeletes previous, long position) {
    try (DeletionVectorWriter writer = DeletionVectorWriter.of(table, previous)) {
      writer.delete(data, position);
      return writer.flush();
    }
  }

  private void commit(FlushResult result) {
    result.applyTo(table.newRowDelta()).commit();
  }

  @Test
  void aScanPlansTheCommittedVector() throws IOException {
    FlushResult result = flush(LiveDeletes.of(table), 1);
    commit(result);

    List<DeleteFile> planned = new ArrayList<>();
    try (CloseableIterable<FileScanTask> tasks = table.newScan().planFiles()) {
      tasks.forEach(task -> planned.addAll(task.deletes()));
    }
    assertThat(planned)
        .extracting(DeletionVectorIdentity::of)
        .containsExactly(DeletionVectorIdentity.of(result.vectors().get(0).entry()));
  }

  // velox#18117, hive#6072
  @Test
  void aConcurrentFirstVectorIsAConflict() {
    LiveDeletes stale = LiveDeletes.of(table);
    commit(flush(stale, 1));
    FlushResult late = flush(stale, 2);

    assertThatThrownBy(() -> commit(late))
        .isInstanceOf(ValidationException.class)
        .hasMessageStartingWith("Found concurrently added DV for " + data.location());
    assertThat(positions()).containsExactly(1L);
  }

  @Test
  void aConcurrentReplacementIsAConflict() {
    commit(flush(LiveDeletes.of(table), 1));
    LiveDeletes stale = LiveDeletes.of(table);
    commit(flush(stale, 2));
    FlushResult late = flush(stale, 3);

    assertThatThrownBy(() -> commit(late)).isInstanceOf(ValidationException.class);
    assertThat(positions()).containsExactly(1L, 2L);
  }

  @Test
  void aConcurrentVectorOfAnotherDataFileIsNoConflict() {
    DataFile other = append(table, "other");
    LiveDeletes stale = LiveDeletes.of(table);
    commit(flush(stale, 1));
    try (DeletionVectorWriter writer = DeletionVectorWriter.of(table, stale)) {
      writer.delete(other, 5);
      commit(writer.flush());
    }

    assertThat(LiveDeletes.of(table).vectors()).hasSize(2);
  }

  @Test
  void theRemovalOfTheDataFileIsAConflict() {
    FlushResult late = flush(LiveDeletes.of(table), 1);
    table.newDelete().deleteFile(data).commit();

    assertThatThrownBy(() -> commit(late))
        .isInstanceOf(ValidationException.class)
        .hasMessageContaining(data.location());
    assertThat(LiveDeletes.of(table).vectors()).isEmpty();
  }

  @Test
  void aWrongWordOfNoDeletesIsAConflict() {
    long before = table.currentSnapshot().snapshotId();
    commit(flush(LiveDeletes.of(table), 1));

    assertThatThrownBy(() -> commit(flush(PreviousDeletes.none(before), 2)))
        .isInstanceOf(ValidationException.class);
    assertThat(positions()).containsExactly(1L);
  }

  // A first append may happen after the deletes were read from a table without snapshot.
  @Test
  void withoutASnapshotTheWholeHistoryIsValidated() {
    Table empty = unpartitioned();
    PreviousDeletes none = PreviousDeletes.of(LiveDeletes.of(empty));
    DataFile first = append(empty, "first");
    commit(empty, none, first, 1);

    assertThatThrownBy(() -> commit(empty, none, first, 2))
        .isInstanceOf(ValidationException.class)
        .hasMessageStartingWith("Found concurrently added DV");
  }

  private static void commit(Table table, PreviousDeletes previous, DataFile dataFile, long row) {
    try (DeletionVectorWriter writer = DeletionVectorWriter.of(table, previous)) {
      writer.delete(dataFile, row);
      writer.flush().applyTo(table.newRowDelta()).commit();
    }
  }

  @Test
  void anEmptyResultLeavesTheRowDeltaAsItIs() {
    try (DeletionVectorWriter writer = DeletionVectorWriter.of(table, PreviousDeletes.none(-7))) {
      RowDelta rowDelta = table.newRowDelta();

      assertThat(writer.flush().applyTo(rowDelta)).isSameAs(rowDelta);
      rowDelta.commit();
    }
  }

  @Test
  void isADeleteWriteResultToo() {
    commit(flush(LiveDeletes.of(table), 1));
    DeleteFile old = LiveDeletes.of(table).vector(data.location()).orElseThrow();
    FlushResult result = flush(LiveDeletes.of(table), 2);

    DeleteWriteResult converted = result.toDeleteWriteResult();

    assertThat(converted.deleteFiles()).containsExactly(result.vectors().get(0).entry());
    assertThat(converted.referencedDataFiles()).containsExactly(data.location());
    assertThat(converted.rewrittenDeleteFiles())
        .extracting(DeletionVectorIdentity::of)
        .containsExactly(DeletionVectorIdentity.of(old));
    assertThat(result.snapshotId()).hasValue(table.currentSnapshot().snapshotId());
  }

  private List<Long> positions() {
    DeleteFile vector = LiveDeletes.of(table).vector(data.location()).orElseThrow();
    return list(DeletionVectorReader.of(table).read(vector));
  }
}
