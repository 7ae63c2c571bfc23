package io.github.icebergext.dv.write;

import static io.github.icebergext.testing.TestEntries.positions;
import static io.github.icebergext.testing.TestEntries.with;
import static io.github.icebergext.testing.TestTables.append;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.github.icebergext.dv.InvalidDeletionVectorException;
import io.github.icebergext.dv.table.LiveDeletes;
import io.github.icebergext.testing.RecordingFileIO;
import io.github.icebergext.testing.TestScans;
import io.github.icebergext.testing.TestTables;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.PartitionData;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.inmemory.InMemoryCatalog;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Deletes that travel from the tasks of a job to the writer that flushes them. */
class PartialDeletesTest {
  private final RecordingFileIO storage = RecordingFileIO.rangeReadable();
  private final Table table = TestTables.unpartitioned(storage);
  private final DataFile a = append(table, "a");
  private final DataFile b = append(table, "b");

  private static DeletionVectorWriter writer(Table table) {
    return DeletionVectorWriter.of(table, LiveDeletes.of(table));
  }

  private PartialDeletes partial(DataFile dataFile, long... positions) {
    try (DeletionVectorWriter task = writer(table)) {
      task.delete(dataFile, positions);
      return task.takePartial();
    }
  }

  private static PartialDeletes sent(PartialDeletes partial) {
    return PartialDeletes.fromBytes(partial.toBytes());
  }

  // duckdb-iceberg#1064
  @Test
  void twoTasksOnOneDataFileMakeOneVector() {
    try (DeletionVectorWriter writer = writer(table)) {
      writer.delete(sent(partial(a, 1, 2)));
      writer.delete(sent(partial(a, 2, 3)));
      writer.delete(sent(partial(b, 9)));
      writer.delete(a, 4);

      FlushResult result = writer.flush();

      assertThat(result.vectors())
          .extracting(FlushedVector::newPositions)
          .containsExactly(positions(1, 2, 3, 4), positions(9));
      result.commit();
    }
    assertThat(LiveDeletes.of(table).vectors()).hasSize(2);
  }

  @Test
  void whatWasTakenIsNotWrittenByTheTask() {
    try (DeletionVectorWriter task = writer(table)) {
      task.delete(a, 1);
      PartialDeletes partial = task.takePartial();

      assertThat(partial.dataFileCount()).isOne();
      assertThat(partial).hasToString("deletes of 1 data files");
      assertThat(task.flush().isEmpty()).isTrue();
      assertThat(task.takePartial().isEmpty()).isTrue();
    }
  }

  static Stream<Arguments> partitionValues() {
    return Stream.of(
        Arguments.of(Types.StringType.get(), "a/ü=%20"),
        Arguments.of(Types.StringType.get(), ""),
        Arguments.of(Types.StringType.get(), null),
        Arguments.of(Types.IntegerType.get(), -7),
        Arguments.of(Types.IntegerType.get(), null),
        Arguments.of(Types.LongType.get(), Long.MIN_VALUE),
        Arguments.of(Types.DateType.get(), 19_000),
        Arguments.of(Types.TimeType.get(), 86_399_999_999L),
        Arguments.of(Types.TimestampType.withZone(), -1L),
        Arguments.of(Types.TimestampType.withoutZone(), 1_700_000_000_000_000L),
        Arguments.of(Types.DecimalType.of(20, 3), new BigDecimal("-12345678901234567.890")),
        Arguments.of(Types.DecimalType.of(5, 2), new BigDecimal("0.00")),
        Arguments.of(Types.UUIDType.get(), new UUID(1, -1)),
        Arguments.of(Types.FixedType.ofLength(3), ByteBuffer.wrap(new byte[] {1, 0, -1})),
        Arguments.of(Types.BinaryType.get(), ByteBuffer.wrap(new byte[] {5, 6})),
        Arguments.of(Types.BinaryType.get(), ByteBuffer.wrap(new byte[0])),
        Arguments.of(Types.BooleanType.get(), false),
        Arguments.of(Types.FloatType.get(), Float.NaN),
        Arguments.of(Types.DoubleType.get(), -0.0));
  }

  @ParameterizedTest
  @MethodSource("partitionValues")
  void partitionValuesArriveAsTheyWere(Type type, @Nullable Object value) {
    Table typed = typed(type);
    PartitionData partition = new PartitionData(typed.spec().partitionType());
    partition.set(0, value);
    DataFile data =
        TestTables.dataFile(typed.spec(), "typed", 100).withPartition(partition).build();
    // Older lines of Iceberg cannot write manifests of such partitions.
    boolean commits = type.typeId() != Type.TypeID.FIXED;
    if (commits) {
      typed.newAppend().appendFile(data).commit();
    }
    PartialDeletes partial;
    try (DeletionVectorWriter task = writer(typed)) {
      task.delete(DeleteTarget.of(data.location(), typed.spec(), partition), 1);
      partial = task.takePartial();
    }
    try (DeletionVectorWriter writer = writer(typed)) {
      writer.delete(sent(partial));
      writer.delete(data, 2);

      FlushResult result = writer.flush();

      DeleteFile vector = result.vectors().get(0).entry();
      assertThat(result.vectors()).hasSize(1);
      assertThat(vector.recordCount()).isEqualTo(2);
      assertThat(vector.partition().get(0, Object.class))
          .isEqualTo(data.partition().get(0, Object.class));
      if (commits) {
        result.commit();
        assertThat(TestScans.plan(typed).get(0).deletes()).hasSize(1);
      }
    }
  }

  @SuppressWarnings("resource") // Closing the catalog would forget its tables.
  private static Table typed(Type type) {
    Schema schema =
        new Schema(
            Types.NestedField.required(1, "id", Types.LongType.get()),
            Types.NestedField.optional(2, "part", type));
    InMemoryCatalog catalog = new InMemoryCatalog();
    catalog.initialize("memory", Map.of());
    catalog.createNamespace(Namespace.of("db"));
    return catalog
        .buildTable(TableIdentifier.of("db", "typed"), schema)
        .withPartitionSpec(PartitionSpec.builderFor(schema).identity("part").build())
        .withProperty(TableProperties.FORMAT_VERSION, "3")
        .create();
  }

  @Test
  void dataFilesOfSeveralSpecsArriveInTheirs() {
    Table evolved = TestTables.create(TestTables.BY_CATEGORY, 3);
    DataFile before = append(evolved, "before", "category=a");
    evolved.updateSpec().removeField("category").addField("id").commit();
    DataFile after = append(evolved, "after", "id=7");
    PartialDeletes partial;
    try (DeletionVectorWriter task = writer(evolved)) {
      task.delete(before, 1);
      task.delete(after, 2);
      partial = task.takePartial();
    }
    try (DeletionVectorWriter writer = writer(evolved)) {
      writer.delete(sent(partial));
      writer.flush().commit();
    }

    assertThat(TestScans.plan(evolved))
        .hasSize(2)
        .allSatisfy(task -> assertThat(task.deletes()).hasSize(1))
        .allSatisfy(
            task -> assertThat(task.deletes().get(0).specId()).isEqualTo(task.file().specId()));
  }

  @Test
  void aSpecThatTheTableDoesNotHaveIsRefused() {
    Table evolved = TestTables.create(TestTables.BY_CATEGORY, 3);
    evolved.updateSpec().removeField("category").commit();
    DataFile data = TestTables.dataFile(evolved.spec(), "x", 100).build();
    PartialDeletes partial;
    try (DeletionVectorWriter task = writer(evolved)) {
      task.delete(data, 1);
      partial = task.takePartial();
    }
    try (DeletionVectorWriter writer = writer(table)) {
      assertThatThrownBy(() -> writer.delete(partial))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith(
              "Cannot delete rows of memory://data/x.parquet: the table has no partition spec 1");
    }
  }

  @Test
  void theSameDeletesInAnotherOrderAreTheSameBytes() {
    byte[] one;
    byte[] other;
    try (DeletionVectorWriter task = writer(table)) {
      task.delete(a, new long[] {1, 2, 3, 99});
      task.delete(b, 7);
      one = task.takePartial().toBytes();
      task.delete(b, 7);
      task.delete(a, 99);
      task.delete(a, 1, 4);
      other = task.takePartial().toBytes();
    }

    assertThat(other).isEqualTo(one);
    assertThat(PartialDeletes.fromBytes(one).toBytes()).isEqualTo(one);
  }

  @Test
  void isSerializable() throws IOException, ClassNotFoundException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    PartialDeletes partial = partial(a, 1, 50);
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(partial);
    }
    try (ObjectInputStream in =
        new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      assertThat(((PartialDeletes) in.readObject()).toBytes()).isEqualTo(partial.toBytes());
    }
  }

  @Test
  void ownsItsBytes() {
    Table partitioned = TestTables.create(TestTables.BY_CATEGORY, 3);
    DataFile data = append(partitioned, "data", "category=abc");
    byte[] bytes;
    try (DeletionVectorWriter task = writer(partitioned)) {
      task.delete(data, 1);
      bytes = task.takePartial().toBytes();
    }
    byte[] sent = bytes.clone();
    PartialDeletes partial = PartialDeletes.fromBytes(sent);
    Arrays.fill(sent, (byte) 0);

    assertThat(partial.toBytes()).isEqualTo(bytes);
  }

  @Test
  void everyPrefixIsRefused() {
    byte[] bytes = partial(a, 1, 50).toBytes();
    for (int length = 0; length < bytes.length; length++) {
      byte[] prefix = Arrays.copyOf(bytes, length);
      assertThatThrownBy(() -> PartialDeletes.fromBytes(prefix))
          .as("prefix of %s bytes", length)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("Cannot read partial deletes: ");
    }
  }

  @Test
  void everyFlippedBitIsRefused() {
    byte[] bytes = partial(a, 1, 50).toBytes();
    for (int bit = 0; bit < bytes.length * 8; bit++) {
      byte[] flipped = flip(bytes, bit);
      assertThatThrownBy(() -> PartialDeletes.fromBytes(flipped))
          .as("bit %s", bit)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("Cannot read partial deletes: ");
    }
  }

  /** A checksum proves nothing about who made the bytes. */
  @Test
  void flippedBitsUnderARightChecksumGiveDeletesOrAreRefused() {
    Table partitioned = typed(Types.IntegerType.get());
    DataFile data = append(partitioned, "data", "part=7");
    byte[] bytes;
    try (DeletionVectorWriter task = writer(partitioned)) {
      task.delete(data, new long[] {1, 50});
      bytes = task.takePartial().toBytes();
    }
    for (int bit = 32; bit < (bytes.length - 4) * 8; bit++) {
      byte[] flipped = withChecksum(flip(bytes, bit));
      Throwable thrown =
          catchThrowable(
              () -> {
                try (DeletionVectorWriter writer = writer(partitioned)) {
                  writer.delete(PartialDeletes.fromBytes(flipped));
                }
              });
      if (thrown != null) {
        assertThat(thrown)
            .as("bit %s", bit)
            .isInstanceOfAny(IllegalArgumentException.class, InvalidDeletionVectorException.class);
      }
    }
  }

  private static byte[] flip(byte[] bytes, int bit) {
    byte[] flipped = bytes.clone();
    flipped[bit / 8] ^= (byte) (1 << bit % 8);
    return flipped;
  }

  private static byte[] withChecksum(byte[] bytes) {
    CRC32 checksum = new CRC32();
    checksum.update(bytes, 0, bytes.length - 4);
    ByteBuffer.wrap(bytes).putInt(bytes.length - 4, (int) checksum.getValue());
    return bytes;
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 1_000, Integer.MAX_VALUE})
  void aCountThatCannotBeTakesNoMemory(int count) {
    byte[] bytes = partial(a, 1).toBytes();
    ByteBuffer.wrap(bytes).putInt(4, count);

    assertThatThrownBy(() -> PartialDeletes.fromBytes(withChecksum(bytes)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("Cannot read partial deletes: a length is " + count);
  }

  @Test
  void bytesAfterTheLastEntryAreRefused() {
    byte[] bytes = partial(a, 1).toBytes();
    byte[] longer = withChecksum(Arrays.copyOf(bytes, bytes.length + 1));

    assertThatThrownBy(() -> PartialDeletes.fromBytes(longer))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("Cannot read partial deletes: 1 bytes are left after the last entry");
  }

  /** Nothing of it is taken, not even what comes before. */
  @Test
  void aContradictionRefusesAllOfThePartialDeletes() {
    PartialDeletes partial;
    try (DeletionVectorWriter task = writer(table)) {
      task.delete(a, 1);
      task.delete(with(b, DataFile.class, "recordCount", 101L), 2);
      partial = task.takePartial();
    }
    try (DeletionVectorWriter writer = writer(table)) {
      writer.delete(b, 3);

      assertThatThrownBy(() -> writer.delete(partial))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("it was given with 100 rows in")
          .hasMessageContaining("now with 101 rows in");
      assertThat(writer.flush().vectors())
          .extracting(FlushedVector::referencedDataFile)
          .containsExactly(b.location());
    }
  }

  @Test
  void positionsThatADataFileDoesNotHaveRefuseAllOfThePartialDeletes() {
    PartialDeletes partial;
    try (DeletionVectorWriter task = writer(table)) {
      task.delete(a, 1);
      task.delete(DeleteTarget.of(b.location(), table.spec(), null), 100);
      partial = task.takePartial();
    }
    try (DeletionVectorWriter writer = writer(table)) {
      writer.delete(b, 3);

      assertThatThrownBy(() -> writer.delete(partial))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("Cannot delete row at position 100 of memory://data/b.parquet");
      assertThat(writer.flush().vectors())
          .extracting(FlushedVector::newPositions)
          .containsExactly(positions(3));
    }
  }

  @Test
  void aClosedWriterTakesNoneAndGivesNone() {
    DeletionVectorWriter writer = writer(table);
    PartialDeletes none = writer.takePartial();
    writer.close();

    assertThatThrownBy(() -> writer.delete(none)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(writer::takePartial).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void noDeletesAreBytesToo() {
    try (DeletionVectorWriter task = writer(table)) {
      PartialDeletes none = sent(task.takePartial());

      assertThat(none.isEmpty()).isTrue();
      assertThat(none.dataFileCount()).isZero();
    }
  }
}
