package io.github.icebergext.dv.write;

import static io.github.icebergext.testing.TestTables.append;
import static io.github.icebergext.testing.TestTables.unpartitioned;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.icebergext.dv.table.LiveDeletes;
import io.github.icebergext.testing.FaultyFileIO;
import io.github.icebergext.testing.FaultyFileIO.Call;
import io.github.icebergext.testing.TestScans;
import io.github.icebergext.testing.TestTables;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.Table;
import org.apache.iceberg.encryption.EncryptedFiles;
import org.apache.iceberg.encryption.EncryptedOutputFile;
import org.apache.iceberg.io.OutputFileFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A flush may take several Puffin files, all of them or none. */
class RollingPuffinWriterTest {
  private final FaultyFileIO storage = new FaultyFileIO();
  private final Table table = unpartitioned(storage);
  private final List<DataFile> files = new ArrayList<>();

  RollingPuffinWriterTest() {
    for (String name : List.of("e", "a", "d", "b", "c")) {
      files.add(append(table, name, 1_000_000));
    }
  }

  private DeletionVectorWriter.Builder builder() {
    return DeletionVectorWriter.builder(table, LiveDeletes.of(table))
        .withOutputFiles(numbered("memory://puffins/"));
  }

  private Supplier<EncryptedOutputFile> numbered(String folder) {
    Iterator<String> locations =
        Stream.iterate(1, number -> number + 1)
            .map(number -> folder + number + ".puffin")
            .iterator();
    return () -> EncryptedFiles.plainAsEncryptedOutput(storage.newOutputFile(locations.next()));
  }

  private void deleteSome(DeletesWriter writer) {
    for (DataFile file : files) {
      // 5,000 scattered positions take some 10,000 bytes.
      for (long position = 0; position < 1_000_000; position += 200) {
        writer.delete(file, position);
      }
    }
  }

  private FlushResult flush(DeletionVectorWriter writer) {
    try (writer) {
      deleteSome(writer);
      return writer.flush();
    }
  }

  private static List<DeleteFile> vectors(FlushResult result) {
    return result.vectors().stream().map(FlushedVector::entry).toList();
  }

  @Test
  void rollsWhenAFileHasAsManyVectorsAsItMay() {
    FlushResult result = flush(builder().withVectorsPerFile(2).build());

    assertThat(vectors(result))
        .extracting(DeleteFile::location)
        .containsExactly(
            "memory://puffins/1.puffin",
            "memory://puffins/1.puffin",
            "memory://puffins/2.puffin",
            "memory://puffins/2.puffin",
            "memory://puffins/3.puffin");
    assertThat(vectors(result))
        .extracting(DeleteFile::referencedDataFile)
        .containsExactlyElementsOf(files.stream().map(DataFile::location).toList());
    assertThat(vectors(result))
        .allSatisfy(
            vector ->
                assertThat(vector.fileSizeInBytes())
                    .isEqualTo(storage.bytes(vector.location()).length));
    result.applyTo(table.newRowDelta()).commit();
    assertThat(TestScans.plan(table)).allSatisfy(task -> assertThat(task.deletes()).hasSize(1));
  }

  @Test
  void rollsWhenAFileIsAsLargeAsItMayBe() {
    FlushResult result = flush(builder().withTargetFileSizeInBytes(15_000).build());

    assertThat(vectors(result).stream().map(DeleteFile::location).distinct()).hasSize(3);
    assertThat(vectors(result).get(0).location()).isEqualTo(vectors(result).get(1).location());
  }

  @Test
  void aVectorLargerThanAFileShouldBeHasOneOfItsOwn() {
    FlushResult result = flush(builder().withTargetFileSizeInBytes(1).build());

    assertThat(vectors(result).stream().map(DeleteFile::location).distinct()).hasSize(5);
  }

  @Test
  void offsetsAreInOrderOfFirstUseWithinAFile() {
    FlushResult result = flush(builder().withVectorsPerFile(3).build());

    assertThat(vectors(result).subList(0, 3))
        .extracting(DeleteFile::contentOffset)
        .isSorted()
        .first()
        .isEqualTo(4L);
    assertThat(vectors(result).get(3).contentOffset()).isEqualTo(4L);
  }

  @Test
  void theTableSaysHowLargeAFileShouldBe() {
    table.updateProperties().set("write.delete.target-file-size-bytes", "15000").commit();

    FlushResult result = flush(builder().build());

    assertThat(vectors(result).stream().map(DeleteFile::location).distinct()).hasSize(3);
  }

  @Test
  void anOutputFileFactoryGivesEveryFileANameOfItsOwn() {
    OutputFileFactory factory =
        OutputFileFactory.builderFor(table, 1, 2).format(FileFormat.PUFFIN).build();

    FlushResult result = flush(builder().withOutputFiles(factory).withVectorsPerFile(1).build());

    assertThat(vectors(result))
        .extracting(DeleteFile::location)
        .doesNotHaveDuplicates()
        .allMatch(location -> location.startsWith(table.location()))
        .allMatch(location -> location.endsWith(".puffin"));
    assertThat(storage.locations()).hasSize(5);
  }

  // datazip-inc/olake#1162
  @Test
  void aFactoryOfAnotherFormatIsRefusedBeforeAFileIsCreated() {
    OutputFileFactory factory =
        OutputFileFactory.builderFor(table, 1, 2).format(FileFormat.PARQUET).build();

    assertThatThrownBy(() -> flush(builder().withOutputFiles(factory).build()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageMatching(
            "Cannot write deletion vectors to .*\\.parquet: its name does not end in \\.puffin; the"
                + " output file factory has to be one of format PUFFIN");
    assertThat(storage.count(Call.CREATE)).isZero();
  }

  // apache/iceberg-go#1589
  @ParameterizedTest
  @EnumSource(
      value = Call.class,
      names = {"CREATE", "CLOSE"})
  void aFailureInTheThirdFileRemovesTheTwoBefore(Call call) {
    storage.failAt(call, 3, new IOException("no " + call));
    try (DeletionVectorWriter writer = builder().withVectorsPerFile(2).build()) {
      deleteSome(writer);

      assertThatThrownBy(writer::flush)
          .isInstanceOf(UncheckedIOException.class)
          .hasRootCauseMessage("no " + call);
      assertThat(storage.locations()).isEmpty();

      storage.failAt(call, Integer.MAX_VALUE, new IOException());
      FlushResult retried = writer.flush();
      assertThat(vectors(retried)).hasSize(5);
      assertThat(storage.locations())
          .containsExactlyInAnyOrderElementsOf(
              vectors(retried).stream().map(DeleteFile::location).distinct().toList());
    }
  }

  @Test
  void aFailureAtEveryWriteLeavesNothing() {
    flush(builder().withVectorsPerFile(2).build()).discard();
    int writes = storage.count(Call.WRITE);
    assertThat(writes).isPositive();

    for (int write = 1; write <= writes; write++) {
      FaultyFileIO faulty = new FaultyFileIO();
      Table other = TestTables.withStorage(table, faulty);
      faulty.failAt(Call.WRITE, write, new IOException("disk full"));
      try (DeletionVectorWriter writer =
          DeletionVectorWriter.builder(other, LiveDeletes.of(other))
              .withVectorsPerFile(2)
              .build()) {
        deleteSome(writer);
        assertThatThrownBy(writer::flush).hasRootCauseMessage("disk full");
      }
      assertThat(faulty.locations()).as("after write %s", write).isEmpty();
    }
  }

  @Test
  void aFileThatCannotBeRemovedDoesNotHideTheFailure() {
    storage.failAt(Call.CREATE, 2, new IOException("no more files"));
    storage.failAt(Call.DELETE, 1, new IOException("read-only"));

    assertThatThrownBy(() -> flush(builder().withVectorsPerFile(2).build()))
        .isInstanceOf(UncheckedIOException.class)
        .hasRootCauseMessage("no more files")
        .satisfies(
            e ->
                assertThat(e.getSuppressed())
                    .anySatisfy(
                        suppressed -> assertThat(suppressed).hasRootCauseMessage("read-only")));
  }

  @Test
  void theSameDeletesGiveTheSameBytesInEveryFile() {
    List<DeleteFile> first = vectors(flush(builder().withVectorsPerFile(2).build()));
    List<DeleteFile> second =
        vectors(
            flush(
                builder()
                    .withVectorsPerFile(2)
                    .withOutputFiles(numbered("memory://again/"))
                    .build()));

    for (int i = 0; i < first.size(); i++) {
      assertThat(storage.bytes(second.get(i).location()))
          .isEqualTo(storage.bytes(first.get(i).location()));
    }
  }

  @Test
  void refusesLimitsThatNoFileFits() {
    assertThatThrownBy(() -> builder().withVectorsPerFile(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("Invalid number of vectors per file: 0");
    assertThatThrownBy(() -> builder().withTargetFileSizeInBytes(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("0");
  }
}
