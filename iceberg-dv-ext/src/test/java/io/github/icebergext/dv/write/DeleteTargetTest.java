package io.github.icebergext.dv.write;

import static io.github.icebergext.testing.TestEntries.positions;
import static io.github.icebergext.testing.TestEntries.with;
import static io.github.icebergext.testing.TestTables.BY_CATEGORY;
import static io.github.icebergext.testing.TestTables.append;
import static io.github.icebergext.testing.TestTables.dataFile;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.dv.table.LiveDeletes;
import io.github.icebergext.testing.RecordingFileIO;
import io.github.icebergext.testing.TestScans;
import io.github.icebergext.testing.TestTables;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.List;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.ManifestFiles;
import org.apache.iceberg.PartitionData;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.StructLike;
import org.apache.iceberg.Table;
import org.apache.iceberg.io.CloseableIterable;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Data files that are known by location, spec and partition. */
class DeleteTargetTest {
  private final RecordingFileIO storage = RecordingFileIO.rangeReadable();
  private final Table table = TestTables.withStorage(TestTables.create(BY_CATEGORY, 3), storage);
  private final PartitionSpec spec = table.spec();
  private final DataFile data = append(table, "data", "category=a");
  private final DeletionVectorWriter writer = DeletionVectorWriter.of(table, LiveDeletes.of(table));

  private DeleteTarget target(String partition) {
    return DeleteTarget.of(data.location(), spec, tuple(partition));
  }

  private PartitionData tuple(String value) {
    PartitionData tuple = new PartitionData(spec.partitionType());
    tuple.set(0, value);
    return tuple;
  }

  private List<DeletedPositions> flushed() {
    return writer.flush().vectors().stream().map(FlushedVector::newPositions).toList();
  }

  private static AbstractThrowableAssert<?, ? extends Throwable> assertRefused(Runnable call) {
    return assertThatThrownBy(call::run).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void takesSpecAndPartitionInPlaceOfADataFile() {
    writer.delete(target("a"), 3);
    writer.delete(target("a"), 5, 7);
    writer.delete(target("a"), new long[] {9, 8, 9});
    writer.delete(target("a"), positions(20));
    writer.delete(target("a"), positions(21).asPositionDeleteIndex());

    FlushResult result = writer.flush();

    DeleteFile vector = result.vectors().get(0).entry();
    assertThat(vector.specId()).isEqualTo(data.specId());
    assertThat(vector.partition()).isEqualTo(data.partition());
    assertThat(result.vectors().get(0).newPositions()).isEqualTo(positions(3, 5, 6, 8, 9, 20, 21));
    result.applyTo(table.newRowDelta()).commit();
    assertThat(TestScans.plan(table).get(0).deletes()).hasSize(1);
  }

  @Test
  void takesNullPartitionValues() {
    DataFile inNull =
        dataFile(spec, "null", 100)
            .withPartitionPath("category=__HIVE_DEFAULT_PARTITION__")
            .build();
    table.newAppend().appendFile(inNull).commit();
    try (DeletionVectorWriter fresh = DeletionVectorWriter.of(table, LiveDeletes.of(table))) {
      StructLike none = new PartitionData(spec.partitionType());
      fresh.delete(DeleteTarget.of(inNull.location(), spec, none), 3);
      fresh.delete(inNull, 4);

      FlushResult result = fresh.flush();

      assertThat(result.vectors()).hasSize(1);
      result.commit();
    }
    assertThat(LiveDeletes.of(table).vector(inNull.location()))
        .hasValueSatisfying(vector -> assertThat(vector.recordCount()).isEqualTo(2));
  }

  @Test
  void refusesAnEmptyLocation() {
    assertRefused(() -> DeleteTarget.of("", spec, tuple("a")))
        .hasMessage("Cannot delete rows of a data file without a location");
  }

  @Test
  void refusesAPartitionThatIsNoneOfTheSpec() {
    assertRefused(() -> DeleteTarget.of("memory://x", spec, null))
        .hasMessage(
            "Cannot delete rows of memory://x: its partition has 0 values, its spec 1 fields");
    assertRefused(() -> DeleteTarget.of("memory://x", PartitionSpec.unpartitioned(), tuple("a")))
        .hasMessage(
            "Cannot delete rows of memory://x: its partition has 1 values, its spec 0 fields");
  }

  /** The spec may be one of another table, which has the same ID. */
  @Test
  void refusesAPartitionThatIsNoneOfTheTablesSpec() {
    DeleteTarget target = DeleteTarget.of("memory://x", PartitionSpec.unpartitioned(), null);

    assertRefused(() -> writer.delete(target, 1))
        .hasMessage(
            "Cannot delete rows of memory://x: its partition has 0 values, its spec 1 fields");
  }

  @Test
  void refusesAPartitionValueOfAnotherType() {
    StructLike number = new Single(7);
    DeleteTarget target = DeleteTarget.of("memory://x", spec, number);

    assertRefused(() -> writer.delete(target, 1))
        .hasMessage(
            "Cannot delete rows of memory://x: its value of partition field category is no"
                + " string");
    assertThat(writer.flush().isEmpty()).isTrue();
  }

  @Test
  void refusesAnotherPartitionOfTheSameLocation() {
    writer.delete(data, 1);

    assertRefused(() -> writer.delete(target("b"), 2))
        .hasMessageStartingWith("Cannot delete rows of " + data.location() + ": it was given with")
        .hasMessageContaining("100 rows in spec 0 with partition PartitionData{category=a}")
        .hasMessageEndingWith("now with spec 0 with partition PartitionData{category=b}");
    assertThat(flushed()).containsExactly(positions(1));
  }

  @Test
  void refusesAnotherSpecOfTheSameLocation() {
    table.updateSpec().removeField("category").commit();
    try (DeletionVectorWriter fresh = DeletionVectorWriter.of(table, LiveDeletes.of(table))) {
      fresh.delete(data, 1);

      assertRefused(() -> fresh.delete(DeleteTarget.of(data.location(), table.spec(), empty()), 2))
          .hasMessageContaining("now with spec 1 with partition");
    }
  }

  private StructLike empty() {
    return new PartitionData(table.spec().partitionType());
  }

  @Test
  void refusesAnotherRecordCountOfTheSameLocation() {
    writer.delete(data, 1);
    DataFile longer = with(data, DataFile.class, "recordCount", 101L);

    assertRefused(() -> writer.delete(longer, 2))
        .hasMessageContaining("it was given with 100 rows in")
        .hasMessageContaining("now with 101 rows in");
    assertThat(flushed()).containsExactly(positions(1));
  }

  @Test
  void aRecordCountThatIsLearnedLaterHoldsForPositionsToCome() {
    writer.delete(target("a"), 1);
    writer.delete(data, 2);

    assertRefused(() -> writer.delete(target("a"), 100))
        .hasMessage(
            "Cannot delete row at position 100 of memory://data/data.parquet: expected 0 to 99");
    assertThat(flushed()).containsExactly(positions(1, 2));
  }

  @Test
  void aRecordCountThatIsLearnedLaterHoldsForEarlierPositions() {
    writer.delete(target("a"), 100);

    assertRefused(() -> writer.delete(data, 2))
        .hasMessage(
            "Cannot delete row at position 100 of memory://data/data.parquet: expected 0 to 99");
    assertThat(flushed()).containsExactly(positions(100));
  }

  @ParameterizedTest
  @ValueSource(longs = {-1, Long.MIN_VALUE, 100, Long.MAX_VALUE})
  void positionsThatTheDataFileDoesNotHaveAddNothing(long position) {
    writer.delete(data, 1);

    assertRefused(() -> writer.delete(data, position))
        .hasMessage(
            "Cannot delete row at position "
                + position
                + " of memory://data/data.parquet: expected 0 to 99");
    assertRefused(() -> writer.delete(data, new long[] {5, position, 6}));
    assertThat(flushed()).containsExactly(positions(1));
  }

  @ParameterizedTest
  @ValueSource(longs = {-1, DeletedPositions.MAX_ICEBERG_POSITION + 1, Long.MAX_VALUE})
  void positionsThatNoDataFileHasAddNothing(long position) {
    assertRefused(() -> writer.delete(target("a"), position))
        .hasMessageEndingWith("expected 0 to " + DeletedPositions.MAX_ICEBERG_POSITION);

    assertThat(writer.flush().isEmpty()).isTrue();
  }

  @Test
  void rangesThatLeaveTheDataFileAddNothing() {
    assertRefused(() -> writer.delete(data, 90, 101))
        .hasMessage(
            "Cannot delete row at position 100 of memory://data/data.parquet: expected 0 to 99");
    assertRefused(() -> writer.delete(data, -1, 5));
    assertRefused(() -> writer.delete(data, 5, 4))
        .hasMessage(
            "Cannot delete rows of memory://data/data.parquet: the range from 5 to 4 is inverted");
    assertRefused(() -> writer.delete(data, positions(5, 100)));
    assertRefused(() -> writer.delete(data, positions(5, 100).asPositionDeleteIndex()));

    assertThat(writer.flush().isEmpty()).isTrue();
  }

  // trinodb/trino#23231
  @Test
  void rangesAreHalfOpen() {
    writer.delete(data, 0, 100);
    writer.delete(data, 7, 7);

    FlushedVector flushed = writer.flush().vectors().get(0);

    assertThat(flushed.entry().recordCount()).isEqualTo(100);
    assertThat(flushed.allRowsDeleted()).isTrue();
  }

  @Test
  void aRangeAcrossTheFourthGigabyteIsWhole() {
    long middle = 1L << 32;
    writer.delete(target("a"), middle - 2, middle + 2);

    assertThat(flushed()).containsExactly(positions(middle - 2, middle - 1, middle, middle + 1));
  }

  @Test
  void aPartitionThatTheCallerReusesIsCopied() {
    DataFile inB = append(table, "b", "category=b");
    PartitionData reused = tuple("a");
    try (DeletionVectorWriter fresh = DeletionVectorWriter.of(table, LiveDeletes.of(table))) {
      fresh.delete(DeleteTarget.of(data.location(), spec, reused), 1);
      reused.set(0, "b");
      fresh.delete(DeleteTarget.of(inB.location(), spec, reused), 2);
      reused.set(0, "c");

      FlushResult result = fresh.flush();

      assertThat(result.vectors())
          .extracting(flushed -> flushed.entry().partition())
          .containsExactly(data.partition(), inB.partition());
      result.commit();
    }
  }

  @Test
  void aReusedPartitionOfTheSameLocationIsFoundToDiffer() {
    PartitionData reused = tuple("a");
    writer.delete(DeleteTarget.of(data.location(), spec, reused), 1);
    reused.set(0, "b");

    assertRefused(() -> writer.delete(DeleteTarget.of(data.location(), spec, reused), 2));
    assertThat(flushed()).containsExactly(positions(1));
  }

  @Test
  void dataFilesMayBeThoseThatAManifestReaderGives() throws IOException {
    append(table, "b", "category=b");
    append(table, "c", "category=c");
    try (DeletionVectorWriter fresh = DeletionVectorWriter.of(table, LiveDeletes.of(table))) {
      for (ManifestFile manifest : table.currentSnapshot().dataManifests(table.io())) {
        try (CloseableIterable<DataFile> files =
            ManifestFiles.read(manifest, table.io(), table.specs())) {
          for (DataFile file : files) {
            fresh.delete(file, 1);
            fresh.delete(file, 2);
          }
        }
      }
      fresh.flush().commit();
    }

    assertThat(TestScans.plan(table))
        .hasSize(3)
        .allSatisfy(task -> assertThat(task.deletes().get(0).recordCount()).isEqualTo(2))
        .allSatisfy(
            task -> assertThat(task.deletes().get(0).partition()).isEqualTo(task.partition()));
  }

  /** An object that becomes the next entry whenever its reader moves on. */
  @Test
  void anEntryThatIsReusedForTheNextDataFileIsNoticed() {
    DataFile inB = append(table, "b", "category=b");
    DataFile[] current = {data};
    DataFile reused =
        (DataFile)
            Proxy.newProxyInstance(
                DataFile.class.getClassLoader(),
                new Class<?>[] {DataFile.class},
                (proxy, method, arguments) -> method.invoke(current[0], arguments));
    try (DeletionVectorWriter fresh = DeletionVectorWriter.of(table, LiveDeletes.of(table))) {
      fresh.delete(reused, 1);
      current[0] = inB;
      fresh.delete(reused, 2);

      assertThat(fresh.flush().vectors())
          .extracting(FlushedVector::referencedDataFile)
          .containsExactly(data.location(), inB.location());
    }
  }

  /** A tuple that casts, as those of engines do. */
  private record Single(Object value) implements StructLike {
    @Override
    public int size() {
      return 1;
    }

    @Override
    public <T> T get(int position, Class<T> javaClass) {
      return javaClass.cast(value);
    }

    @Override
    public <T> void set(int position, T newValue) {
      throw new UnsupportedOperationException();
    }
  }

  @Test
  void nothingToDeleteIsNoFirstUse() {
    writer.delete(target("a"), new long[0]);
    writer.delete(target("a"), DeletedPositions.of());

    assertThat(writer.flush().isEmpty()).isTrue();
    assertThat(storage.locations()).isEmpty();
  }
}
