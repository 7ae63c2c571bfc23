package io.github.icebergext.dv.write;

import static io.github.icebergext.testing.TestEntries.positions;
import static io.github.icebergext.testing.TestTables.BY_CATEGORY;
import static io.github.icebergext.testing.TestTables.append;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.dv.DeletionVectorCodec;
import io.github.icebergext.dv.DeletionVectorIdentity;
import io.github.icebergext.dv.read.DeletionVectorReader;
import io.github.icebergext.dv.table.LiveDeletes;
import io.github.icebergext.testing.FaultyFileIO;
import io.github.icebergext.testing.FaultyFileIO.Call;
import io.github.icebergext.testing.TestEntries;
import io.github.icebergext.testing.TestTables;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.RowDelta;
import org.apache.iceberg.StructLike;
import org.apache.iceberg.Table;
import org.apache.iceberg.deletes.BaseDVFileWriter;
import org.apache.iceberg.deletes.DVFileWriter;
import org.apache.iceberg.deletes.PositionDelete;
import org.apache.iceberg.deletes.PositionDeleteIndex;
import org.apache.iceberg.io.DeleteWriteResult;
import org.apache.iceberg.io.OutputFileFactory;
import org.apache.iceberg.io.PartitioningWriter;
import org.junit.jupiter.api.Test;

/** The contracts of Iceberg's own writers, by comparison with those. */
class DVFileWriterAdapterTest {
  private final FaultyFileIO storage = new FaultyFileIO();
  private final Table table = TestTables.withStorage(TestTables.create(BY_CATEGORY, 3), storage);
  private final PartitionSpec spec = table.spec();
  private final DataFile a = append(table, "a", "category=a");
  private final DataFile b = append(table, "b", "category=b");
  private final DataFile c = append(table, "c", "category=c");

  private interface Calls {
    void on(DVFileWriter writer);
  }

  private DeletionVectorWriter.Builder builder() {
    return DeletionVectorWriter.builder(table, LiveDeletes.of(table));
  }

  private static DeleteWriteResult result(DVFileWriter writer, Calls calls) {
    try (writer) {
      calls.on(writer);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return writer.result();
  }

  private DVFileWriter icebergs() {
    LiveDeletes live = LiveDeletes.of(table);
    DeletionVectorReader reader = DeletionVectorReader.of(table);
    return new BaseDVFileWriter(
        OutputFileFactory.builderFor(table, 1, 1).format(FileFormat.PUFFIN).build(),
        location ->
            live.vector(location)
                .map(vector -> icebergsIndex(reader.read(vector), vector))
                .orElse(null));
  }

  private static PositionDeleteIndex icebergsIndex(DeletedPositions positions, DeleteFile vector) {
    byte[] blob = new byte[Math.toIntExact(vector.contentSizeInBytes())];
    DeletionVectorCodec.encode(positions).get(blob);
    return PositionDeleteIndex.deserialize(blob, vector);
  }

  private Map<String, String> describe(DeleteWriteResult result) {
    Map<String, String> described = new TreeMap<>();
    DeletionVectorReader reader = DeletionVectorReader.of(table);
    for (DeleteFile vector : result.deleteFiles()) {
      described.put(
          vector.referencedDataFile(),
          vector.specId()
              + " "
              + vector.partition()
              + " "
              + vector.contentSizeInBytes()
              + " "
              + TestEntries.list(reader.read(vector)));
    }
    return described;
  }

  private static List<String> identities(List<DeleteFile> vectors) {
    return vectors.stream()
        .map(vector -> DeletionVectorIdentity.of(vector).toString())
        .sorted()
        .toList();
  }

  private static Set<String> referenced(DeleteWriteResult result) {
    Set<String> locations = new TreeSet<>();
    result.referencedDataFiles().forEach(location -> locations.add(location.toString()));
    return locations;
  }

  private void commit(DeleteWriteResult result) {
    RowDelta delta = table.newRowDelta();
    result.deleteFiles().forEach(delta::addDeletes);
    result.rewrittenDeleteFiles().forEach(delta::removeDeletes);
    delta.commit();
  }

  private void assertSame(DeleteWriteResult ours, DeleteWriteResult icebergs) {
    assertThat(describe(ours)).isEqualTo(describe(icebergs));
    assertThat(referenced(ours)).isEqualTo(referenced(icebergs));
    assertThat(identities(ours.rewrittenDeleteFiles()))
        .isEqualTo(identities(icebergs.rewrittenDeleteFiles()));
    assertThat(ours.referencesDataFiles()).isEqualTo(icebergs.referencesDataFiles());
  }

  @Test
  void theSameCallsGiveTheSameAsIcebergs() {
    Calls first =
        writer -> {
          writer.delete(a.location(), 7, spec, a.partition());
          writer.delete(b.location(), 3, spec, b.partition());
          writer.delete(a.location(), 5, spec, a.partition());
        };
    DeleteWriteResult ours = result(builder().buildDVFileWriter(), first);
    assertSame(ours, result(icebergs(), first));
    commit(ours);

    Calls second =
        writer -> {
          writer.delete(a.location(), 7, spec, a.partition());
          writer.delete(a.location(), 8, spec, a.partition());
          writer.delete(c.location(), 1, spec, c.partition());
        };
    DeleteWriteResult next = result(builder().buildDVFileWriter(), second);
    assertThat(next.rewrittenDeleteFiles()).hasSize(1);
    assertSame(next, result(icebergs(), second));
  }

  // apache/iceberg#13666
  @Test
  void withoutDeletesNothingIsWritten() {
    DeleteWriteResult ours = result(builder().buildDVFileWriter(), writer -> {});

    assertThat(ours.deleteFiles()).isEmpty();
    assertThat(storage.count(Call.CREATE)).isZero();
    assertSame(ours, result(icebergs(), writer -> {}));
  }

  @Test
  void thereIsNoResultBeforeTheWriterIsClosed() throws IOException {
    try (DVFileWriter writer = builder().buildDVFileWriter()) {
      writer.delete(a.location(), 1, spec, a.partition());
      assertThatThrownBy(writer::result)
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("Cannot return a result: the writer is not closed");
    }
    try (DVFileWriter icebergs = icebergs()) {
      assertThatThrownBy(icebergs::result).isInstanceOf(IllegalStateException.class);
    }
  }

  @Test
  void closingTwiceWritesOnce() throws IOException {
    DVFileWriter writer = builder().buildDVFileWriter();
    writer.delete(a.location(), 1, spec, a.partition());
    writer.close();
    writer.close();

    assertThat(writer.result().deleteFiles()).hasSize(1);
    assertThat(storage.locations()).hasSize(1);
  }

  @Test
  void afterAFailedCallClosingAbandons() throws IOException {
    DVFileWriter writer = builder().buildDVFileWriter();
    writer.delete(a.location(), 1, spec, a.partition());
    assertThatThrownBy(() -> writer.delete(a.location(), -1, spec, a.partition()))
        .isInstanceOf(IllegalArgumentException.class);
    writer.close();

    assertThat(storage.count(Call.CREATE)).isZero();
    assertThatThrownBy(writer::result)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("Cannot return a result: writing deletes failed")
        .hasCauseInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void afterAnErrorClosingAbandonsToo() throws IOException {
    StructLike failing =
        (StructLike)
            Proxy.newProxyInstance(
                StructLike.class.getClassLoader(),
                new Class<?>[] {StructLike.class},
                (proxy, method, arguments) -> {
                  throw new LinkageError("no such class");
                });
    DVFileWriter writer = builder().buildDVFileWriter();
    writer.delete(a.location(), 1, spec, a.partition());
    assertThatThrownBy(() -> writer.delete(b.location(), 1, spec, failing))
        .isInstanceOf(LinkageError.class);
    writer.close();

    assertThat(storage.count(Call.CREATE)).isZero();
    assertThatThrownBy(writer::result).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void aFailedCloseLeavesNoFileAndNoResult() {
    storage.failAt(Call.CLOSE, 1, new IOException("disk full"));
    DVFileWriter writer = builder().buildDVFileWriter();
    writer.delete(a.location(), 1, spec, a.partition());

    assertThatThrownBy(writer::close)
        .isInstanceOf(UncheckedIOException.class)
        .hasRootCauseMessage("disk full");
    assertThat(storage.locations()).isEmpty();
    assertThatThrownBy(writer::result)
        .isInstanceOf(IllegalStateException.class)
        .hasRootCauseMessage("disk full");
  }

  /** Iceberg has the method since 1.11. */
  @Test
  void takesWholeIndexesThroughTheInterface() throws Exception {
    Method method;
    try {
      method =
          DVFileWriter.class.getMethod(
              "delete",
              String.class,
              PositionDeleteIndex.class,
              PartitionSpec.class,
              StructLike.class);
    } catch (NoSuchMethodException e) {
      return;
    }
    DVFileWriter writer = builder().buildDVFileWriter();
    try (writer) {
      method.invoke(
          writer, a.location(), positions(3, 4).asPositionDeleteIndex(), spec, a.partition());
    }

    assertThat(describe(writer.result()).get(a.location())).endsWith("[3, 4]");
  }

  @Test
  void aPartitioningWriterTakesPositionsWithoutRows() throws IOException {
    PartitioningWriter<PositionDelete<Object>, DeleteWriteResult> writer =
        builder().buildPartitioningWriter();
    try (writer) {
      PositionDelete<Object> reused = PositionDelete.create();
      writer.write(reused.set(b.location(), 3), spec, b.partition());
      writer.write(reused.set(a.location(), 7), spec, a.partition());
      writer.write(reused.set(b.location(), 4), spec, b.partition());
      assertThatThrownBy(writer::result).isInstanceOf(IllegalStateException.class);
    }

    DeleteWriteResult icebergs =
        result(
            icebergs(),
            same -> {
              same.delete(b.location(), 3, spec, b.partition());
              same.delete(a.location(), 7, spec, a.partition());
              same.delete(b.location(), 4, spec, b.partition());
            });
    assertSame(writer.result(), icebergs);
  }

  @Test
  void aPartitioningWriterAbandonsAfterAFailedCall() throws IOException {
    PartitioningWriter<PositionDelete<Object>, DeleteWriteResult> writer =
        builder().buildPartitioningWriter();
    writer.write(PositionDelete.create().set(a.location(), 1), spec, a.partition());
    assertThatThrownBy(() -> writer.write(PositionDelete.create(), spec, a.partition()))
        .isInstanceOf(NullPointerException.class);
    writer.close();

    assertThat(storage.count(Call.CREATE)).isZero();
    assertThatThrownBy(writer::result).isInstanceOf(IllegalStateException.class);
  }
}
