package io.github.icebergext.dv.read;

import static io.github.icebergext.testing.TestEntries.DATA_FILE;
import static io.github.icebergext.testing.TestEntries.PUFFIN;
import static io.github.icebergext.testing.TestEntries.list;
import static io.github.icebergext.testing.TestEntries.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.icebergext.dv.DeletionVectorEntry;
import io.github.icebergext.dv.InvalidDeletionVectorException;
import io.github.icebergext.puffin.Reason;
import io.github.icebergext.testing.RecordingFile;
import io.github.icebergext.testing.RecordingFile.Call;
import io.github.icebergext.testing.RecordingFileIO;
import io.github.icebergext.testing.TestPuffin;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import org.apache.iceberg.DeleteFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The file size of an entry is a hint: some writers leave it out or get it wrong. */
class FileLengthTest {
  private static final int PADDING = 300_000;

  private final RecordingFileIO io = RecordingFileIO.rangeReadable();
  private final DeletionVectorReader reader = DeletionVectorReader.builder(io).build();
  private final List<DeleteFile> entries =
      new TestPuffin(PUFFIN).vector(DATA_FILE, 7, 9).padding(PADDING).vector("b", 3).store(io);

  private RecordingFile puffin() {
    return io.file(PUFFIN);
  }

  private DeleteFile entry(long fileSize) {
    return with(entries.get(0), "fileSizeInBytes", fileSize);
  }

  @Test
  void aRightSizeIsNeverAskedForAgain() {
    assertThat(list(reader.read(entries.get(0)))).containsExactly(7L, 9L);

    assertThat(puffin().count(Call.LENGTH)).isZero();
  }

  // Paimon leaves the size out as -1; Delta's ends with the vector; the rest is damage.
  @ParameterizedTest
  @ValueSource(
      longs = {-1, 0, 10, 48, 49, 1000, 250_000, 300_500, 1 << 20, 1L << 40, Long.MAX_VALUE})
  void anAbsentOrWrongSizeCostsOneQuestionAndChangesNoResult(long fileSize) {
    assertThat(list(reader.read(entry(fileSize)))).containsExactly(7L, 9L);

    assertThat(puffin().count(Call.LENGTH)).isOne();
    assertThat(puffin().openStreams()).isZero();
  }

  @ParameterizedTest
  @ValueSource(longs = {-1, 0, 48, 1000, 1L << 40})
  void aWrongSizeDoesNotHideASwap(long fileSize) {
    DeleteFile wrong = with(entry(fileSize), "referencedDataFile", "b");

    assertThatThrownBy(() -> reader.read(wrong))
        .isInstanceOfSatisfying(
            InvalidDeletionVectorException.class,
            e -> assertThat(e.reason()).isEqualTo(Reason.REFERENCED_DATA_FILE));
  }

  @Test
  void aWrongSizeOfOneEntryChangesNothingForItsSiblings() {
    List<DeleteFile> mixed = List.of(entry(1L << 40), entries.get(1));

    assertThat(reader.readAll(mixed))
        .extracting(vector -> list(vector.positions()))
        .containsExactly(List.of(7L, 9L), List.of(3L));
    assertThat(puffin().count(Call.LENGTH)).isOne();
  }

  @ParameterizedTest
  @EnumSource(ReadCheck.class)
  void anEntryThatPointsPastTheEndIsInvalid(ReadCheck check) {
    DeletionVectorReader checking = DeletionVectorReader.builder(io).withCheck(check).build();
    DeleteFile past = with(entries.get(0), "contentOffset", puffin().size() - 20);

    assertThatThrownBy(() -> checking.read(past))
        .isInstanceOfSatisfying(
            InvalidDeletionVectorException.class,
            e -> assertThat(e.reason()).isEqualTo(Reason.BLOB_RANGE))
        .hasMessageStartingWith("Cannot read " + DeletionVectorEntry.describe(past) + ": ")
        .hasMessageContaining("ends at " + puffin().size());
    assertThat(puffin().count(Call.LENGTH)).isOne();
  }

  // The size that the entry gives agrees with its offset, so that only the storage knows better.
  @ParameterizedTest
  @EnumSource(ReadCheck.class)
  void anEntryThatPointsPastTheEndIsInvalidWhateverItsSizeSays(ReadCheck check) {
    DeletionVectorReader checking = DeletionVectorReader.builder(io).withCheck(check).build();
    DeleteFile past = with(entry(1L << 40), "contentOffset", 1L << 30);

    assertThatThrownBy(() -> checking.read(past))
        .isInstanceOfSatisfying(
            InvalidDeletionVectorException.class,
            e -> assertThat(e.reason()).isEqualTo(Reason.BLOB_RANGE))
        .hasMessageContaining("ends at " + puffin().size());
    assertThat(puffin().count(Call.LENGTH)).isOne();
  }

  @ParameterizedTest
  @EnumSource(ReadCheck.class)
  void aFailureOfTheStorageInsideTheFileIsTheStorages(ReadCheck check) {
    DeletionVectorReader checking = DeletionVectorReader.builder(io).withCheck(check).build();
    IOException failure = new IOException("connection reset");
    puffin().failAt(Call.READ, 1, failure);

    assertThatThrownBy(() -> checking.read(entries.get(0)))
        .isInstanceOf(UncheckedIOException.class)
        .hasCause(failure)
        .satisfies(
            e ->
                assertThat(e.getSuppressed())
                    .anySatisfy(
                        note ->
                            assertThat(note)
                                .hasMessage(
                                    "while reading "
                                        + DeletionVectorEntry.describe(entries.get(0)))));
    assertThat(puffin().openStreams()).isZero();
  }

  @Test
  void aStorageThatCannotTellTheLengthIsNotAskedTwice() {
    puffin().failAt(Call.READ, 1, new IOException("connection reset"));
    puffin().failAt(Call.LENGTH, 1, new UncheckedIOException(new IOException("no HEAD")));

    assertThatThrownBy(() -> reader.read(entries.get(0))).hasMessageContaining("connection reset");
    assertThat(puffin().count(Call.LENGTH)).isOne();
  }

  @Test
  void aFileOpenedByTheCallerIsAskedForItsLengthOnlyUnderTheFullCheck() {
    DeleteFile entry = entries.get(0);
    long offset = entry.contentOffset();
    long size = entry.contentSizeInBytes();

    DeletionVectorReader.builder(io)
        .withCheck(ReadCheck.ENTRY)
        .build()
        .read(io.newInputFile(PUFFIN), offset, size);
    assertThat(puffin().count(Call.LENGTH)).isZero();
    reader.read(io.newInputFile(PUFFIN), offset, size);
    assertThat(puffin().count(Call.LENGTH)).isOne();
  }
}
