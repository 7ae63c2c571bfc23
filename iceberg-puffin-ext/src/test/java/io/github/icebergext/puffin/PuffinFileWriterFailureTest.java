package io.github.icebergext.puffin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.github.icebergext.testing.FaultyFileIO;
import io.github.icebergext.testing.FaultyFileIO.Call;
import io.github.icebergext.testing.WarningLog;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.puffin.Blob;
import org.apache.iceberg.puffin.BlobMetadata;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PuffinFileWriterFailureTest {
  private static final String LOCATION = "mem:/100%s.puffin";
  private static final String DELETE_WARNING =
      "WARN Cannot delete " + LOCATION + ", which was not finished and is used by nothing";

  /** Writes to storage of a file with two blobs: its head, the blobs, its footer. */
  private static final int WRITES = 4;

  private final FaultyFileIO io = new FaultyFileIO();
  private final IOException checked = new IOException("disk full");
  private final RuntimeException unchecked = new RuntimeException("service unavailable");

  @BeforeEach
  @AfterEach
  void forgetWarnings() {
    WarningLog.drain();
  }

  @Test
  void writesAsOftenAsTheFailuresBelowAssume() {
    writeAll();

    assertThat(io.count(Call.WRITE)).isEqualTo(WRITES);
    assertThat(io.locations()).containsExactly(LOCATION);
  }

  @Test
  void touchesNothingWhenTheFileCannotBeCreated() {
    io.failAt(Call.CREATE, 1, unchecked);

    assertThatThrownBy(this::writeAll).isSameAs(unchecked);
    assertThat(io.calls()).containsExactly(Call.CREATE);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, WRITES})
  void deletesTheFileWhenAWriteFails(int occurrence) {
    // iceberg-go#1589
    io.failAt(Call.WRITE, occurrence, checked);

    assertThatThrownBy(this::writeAll)
        .isInstanceOf(UncheckedIOException.class)
        .hasMessage("Cannot write " + LOCATION + ": disk full")
        .hasCause(checked);
    assertNothingIsLeft();
  }

  @ParameterizedTest
  @CsvSource({"WRITE, 1", "WRITE, 2", "WRITE, 3", "WRITE, 4", "CLOSE, 1"})
  void leavesTheStoragesOwnExceptionsAsTheyAre(Call call, int occurrence) {
    io.failAt(call, occurrence, unchecked);

    assertThatThrownBy(this::writeAll).isSameAs(unchecked);
    assertNothingIsLeft();
  }

  @Test
  void deletesTheFileWhenItsStreamCannotBeClosed() {
    io.failAt(Call.CLOSE, 1, checked);

    assertThatThrownBy(this::writeAll)
        .isInstanceOf(UncheckedIOException.class)
        .hasMessage("Cannot close " + LOCATION + ": disk full")
        .hasCause(checked);
    assertNothingIsLeft();
    assertThat(io.count(Call.CLOSE)).isEqualTo(1);
  }

  @Test
  void asksTheStorageWhenTheClosedStreamDoesNotKnowTheSize() {
    io.failAt(Call.STORED_LENGTH, 1, checked).withStoredOverhead(28);

    PuffinFile file = writeAll();

    assertThat(file.fileSizeInBytes()).isEqualTo(io.bytes(LOCATION).length + 28);
    assertThat(io.calls()).endsWith(Call.STORED_LENGTH, Call.LENGTH);
  }

  @Test
  void deletesTheFileWhenNobodyKnowsTheSize() {
    io.failAt(Call.STORED_LENGTH, 1, checked).failAt(Call.LENGTH, 1, unchecked);

    assertThatThrownBy(this::writeAll).isSameAs(unchecked).hasSuppressedException(checked);
    assertNothingIsLeft();
  }

  @Test
  void refusesEveryCallAfterAFailedWrite() {
    io.failAt(Call.WRITE, 2, checked);
    PuffinFileWriter writer = builder().build();
    assertThat(catchThrowable(() -> writer.write(blob()))).isInstanceOf(UncheckedIOException.class);

    assertThatIllegalStateException()
        .isThrownBy(() -> writer.write(blob()))
        .withMessage("Cannot write a blob to " + LOCATION + ": an earlier call failed")
        .withCause(checked);
    assertThatIllegalStateException()
        .isThrownBy(() -> writer.writeStored(storedBlob(), ByteBuffer.allocate(3)))
        .withCause(checked);
    assertThatIllegalStateException()
        .isThrownBy(writer::finish)
        .withMessage("Cannot finish " + LOCATION + ": an earlier call failed")
        .withCause(checked);
    assertThat(io.count(Call.WRITE)).isEqualTo(2);
    writer.close();
    assertNothingIsLeft();
  }

  @Test
  void refusesEveryCallAfterAFailedFinish() {
    io.failAt(Call.CLOSE, 1, unchecked);
    PuffinFileWriter writer = builder().build();
    assertThat(catchThrowable(writer::finish)).isSameAs(unchecked);
    assertNothingIsLeft();

    assertThatIllegalStateException().isThrownBy(writer::finish).withCause(unchecked);
    assertThatIllegalStateException()
        .isThrownBy(() -> writer.write(blob()))
        .withMessage("Cannot write a blob to " + LOCATION + ": an earlier call failed")
        .withCause(unchecked);
    writer.close();
    assertThat(io.count(Call.DELETE)).isEqualTo(1);
  }

  @Test
  void staysUsableAfterAnArgumentThatIsRefused() {
    try (PuffinFileWriter writer = builder().build()) {
      assertThat(catchThrowable(() -> writer.writeStored(storedBlob(), ByteBuffer.allocate(1))))
          .isInstanceOf(IllegalArgumentException.class);
      writer.write(blob());
      assertThat(writer.finish().footer().blobs()).hasSize(1);
    }
  }

  @Test
  void keepsTheFirstFailureWhenClosingAndDeletingFailToo() {
    RuntimeException deleting = new RuntimeException("forbidden");
    IOException closing = new IOException("connection lost");
    io.failAt(Call.WRITE, 2, unchecked)
        .failAt(Call.CLOSE, 1, closing)
        .failAt(Call.DELETE, 1, deleting);

    assertThatThrownBy(this::writeAll)
        .isSameAs(unchecked)
        .hasSuppressedException(closing)
        .hasSuppressedException(deleting);
    assertThat(WarningLog.drain()).containsExactly(DELETE_WARNING);
  }

  @Test
  void warnsOnceWhenAnAbandonedFileCannotBeDeleted() {
    io.failAt(Call.DELETE);
    PuffinFileWriter writer = builder().build();
    writer.close();
    writer.close();

    assertThat(WarningLog.drain()).containsExactly(DELETE_WARNING);
    assertThat(io.count(Call.DELETE)).isEqualTo(1);
  }

  @Test
  void doesNotWarnWhenThereIsNothingToDelete() {
    PuffinFileWriter writer = builder().build();
    io.deleteFile(LOCATION);
    io.failAt(Call.CLOSE);
    writer.close();

    assertThat(WarningLog.drain()).isEmpty();
  }

  @Test
  void deletesTheFileWhenItsStreamCannotBeClosedOnAbandoning() {
    io.failAt(Call.CLOSE);
    builder().build().close();

    assertNothingIsLeft();
  }

  private PuffinFile writeAll() {
    try (PuffinFileWriter writer = builder().build()) {
      writer.write(blob());
      writer.writeStored(storedBlob(), ByteBuffer.allocate(3));
      return writer.finish();
    }
  }

  private void assertNothingIsLeft() {
    assertThat(io.locations()).isEmpty();
    assertThat(io.deleted()).containsExactly(LOCATION);
    assertThat(WarningLog.drain()).isEmpty();
  }

  private PuffinFileWriter.Builder builder() {
    return PuffinFileWriter.write(io.newOutputFile(LOCATION), io);
  }

  private static Blob blob() {
    return new Blob("t", List.of(1), 2, 3, ByteBuffer.allocate(5));
  }

  private static BlobMetadata storedBlob() {
    return new BlobMetadata("t", List.of(), 7, 8, 4, 3, null, Map.of());
  }
}
