package io.github.icebergext.dv.scan;

import static io.github.icebergext.testing.TestEntries.positions;
import static io.github.icebergext.testing.TestScans.equalityDeletes;
import static io.github.icebergext.testing.TestScans.task;
import static io.github.icebergext.testing.TestTables.dataFile;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.PartitionSpec;
import org.junit.jupiter.api.Test;

class TaskDeletesTest {
  private static final FileScanTask TASK =
      task(dataFile(PartitionSpec.unpartitioned(), "data", 100).build());
  private static final DeleteFile EQUALITY = equalityDeletes("memory://equality.avro");

  @Test
  void aRangeIsFullyDeletedByPositionWhateverEqualityDeletesSay() {
    TaskDeletes deletes = new TaskDeletes(TASK, positions(10, 11, 12), List.of(EQUALITY));

    assertThat(deletes.isFullyDeleted(10, 13)).isTrue();
    assertThat(deletes.isFullyDeleted(10, 14)).isFalse();
    assertThat(deletes.isFullyDeleted(5, 5)).isTrue();
  }

  @Test
  void aRangeIsFullyLiveOnlyWithoutEqualityDeletes() {
    TaskDeletes byPosition = new TaskDeletes(TASK, positions(10), List.of());
    TaskDeletes byEquality = new TaskDeletes(TASK, positions(10), List.of(EQUALITY));

    assertThat(byPosition.isFullyLive(11, 100)).isTrue();
    assertThat(byPosition.isFullyLive(10, 100)).isFalse();
    assertThat(byEquality.isFullyLive(11, 100)).isFalse();
    assertThat(byEquality.isFullyLive(11, 11)).isTrue();
  }

  @Test
  void keepsACopyOfTheList() {
    List<DeleteFile> equalityDeletes = new ArrayList<>(List.of(EQUALITY));
    TaskDeletes deletes = new TaskDeletes(TASK, positions(), equalityDeletes);
    equalityDeletes.clear();

    assertThat(deletes.equalityDeletes()).containsExactly(EQUALITY);
  }
}
