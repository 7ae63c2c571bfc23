package io.github.icebergext.dv.table;

import static io.github.icebergext.testing.TestTables.append;
import static io.github.icebergext.testing.TestTables.unpartitioned;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.icebergext.dv.InvalidDeletionVectorException;
import io.github.icebergext.dv.write.DeleteTarget;
import io.github.icebergext.dv.write.DeletionVectorWriter;
import io.github.icebergext.dv.write.FlushedVector;
import io.github.icebergext.testing.RecordingFileIO;
import io.github.icebergext.testing.TestEntries;
import io.github.icebergext.testing.TestManifests;
import io.github.icebergext.testing.TestScans;
import java.util.List;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.exceptions.ValidationException;
import org.junit.jupiter.api.Test;

class FullyDeletedFilesTest {
  private final RecordingFileIO storage = RecordingFileIO.rangeReadable();
  private final Table table = unpartitioned(storage);
  private final DataFile full = append(table, "full");
  private final DataFile part = append(table, "part");
  private final DataFile none = append(table, "none");

  private void delete(DataFile dataFile, long startInclusive, long endExclusive) {
    try (DeletionVectorWriter writer = DeletionVectorWriter.of(table, LiveDeletes.of(table))) {
      writer.delete(dataFile, startInclusive, endExclusive);
      writer.flush().commit();
    }
  }

  private FullyDeletedFiles find() {
    return FullyDeletedFiles.of(table, table.currentSnapshot());
  }

  private static List<String> locations(List<DataFile> files) {
    return files.stream().map(DataFile::location).toList();
  }

  // trinodb/trino#31165
  @Test
  void dataFileAndVectorGoInOneCommit() {
    delete(full, 0, 100);
    delete(part, 0, 99);

    FullyDeletedFiles found = find();

    assertThat(locations(found.dataFiles())).containsExactly(full.location());
    assertThat(found.vectors())
        .singleElement()
        .satisfies(vector -> assertThat(vector.referencedDataFile()).isEqualTo(full.location()));
    found.applyTo(table.newRewrite()).commit();
    assertThat(TestScans.plan(table).stream().map(task -> task.file().location()))
        .containsExactlyInAnyOrder(part.location(), none.location());
    assertThat(LiveDeletes.of(table).vectors()).hasSize(1);
    assertThat(LiveDeletes.of(table).danglingVectors()).isEmpty();
  }

  @Test
  void withoutVectorsThereAreNone() {
    storage.forget();

    assertThat(find().dataFiles()).isEmpty();
    assertThat(find().vectors()).isEmpty();
  }

  @Test
  void onlyVectorsThatMayBeFullAreRead() {
    delete(part, 0, 99);
    storage.forget();

    assertThat(find().dataFiles()).isEmpty();
    assertThat(storage.requests()).isZero();
  }

  /** The count in the entry is that of the data file, the vector is not. */
  @Test
  void aRecordCountThatLiesIsNotBelieved() {
    delete(full, 0, 99);
    DeleteFile vector = LiveDeletes.of(table).vector(full.location()).orElseThrow();
    DeleteFile lying = TestEntries.with(vector, "recordCount", 100L);
    Snapshot snapshot = TestManifests.snapshot(table, TestManifests.added(table, lying));

    assertThatThrownBy(() -> FullyDeletedFiles.of(table, snapshot))
        .isInstanceOf(InvalidDeletionVectorException.class)
        .hasMessageContaining(vector.location());
  }

  /** As many positions as rows, one of them past the rows. */
  @Test
  void asManyPositionsAsRowsAreNotAllRows() {
    DeleteTarget unknown = DeleteTarget.of(full.location(), table.spec(), null);
    FlushedVector flushed;
    try (DeletionVectorWriter writer = DeletionVectorWriter.of(table, LiveDeletes.of(table))) {
      writer.delete(unknown, 1, 101);
      flushed = writer.flush().vectors().get(0);
    }
    table.newRowDelta().addDeletes(flushed.entry()).commit();

    assertThat(find().dataFiles()).isEmpty();
  }

  @Test
  void aVectorThatChangedMeanwhileIsAConflict() {
    delete(full, 0, 100);
    FullyDeletedFiles found = find();
    delete(full, 0, 1);

    assertThatThrownBy(() -> found.applyTo(table.newRewrite()).commit())
        .isInstanceOf(ValidationException.class);
    assertThat(LiveDeletes.of(table).vectors()).hasSize(1);
  }
}
