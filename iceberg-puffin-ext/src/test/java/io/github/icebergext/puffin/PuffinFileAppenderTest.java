package io.github.icebergext.puffin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.github.icebergext.testing.FaultyFileIO;
import io.github.icebergext.testing.FaultyFileIO.Call;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import org.apache.iceberg.io.FileAppender;
import org.apache.iceberg.puffin.Blob;
import org.apache.iceberg.puffin.PuffinCompressionCodec;
import org.junit.jupiter.api.Test;

class PuffinFileAppenderTest {
  private static final String LOCATION = "mem:/appended.puffin";

  private final FaultyFileIO io = new FaultyFileIO();
  private final PuffinFileWriter writer =
      PuffinFileWriter.write(io.newOutputFile(LOCATION), io).build();
  private final FileAppender<Blob> appender = writer.asFileAppender();

  @Test
  void publishesWhenClosed() throws IOException {
    appender.add(blob());
    appender.addAll(List.of(blob(), blob()));
    appender.close();

    assertThat(writer.result().footer().blobs()).hasSize(3);
    assertThat(io.locations()).containsExactly(LOCATION);
  }

  @Test
  void publishesOnceWhenClosedTwice() throws IOException {
    appender.close();
    appender.close();

    assertThat(io.count(Call.CLOSE)).isEqualTo(1);
    assertThat(io.locations()).containsExactly(LOCATION);
  }

  @Test
  void leavesTheWriterNothingToAbandon() throws IOException {
    appender.close();
    writer.close();

    assertThat(io.locations()).containsExactly(LOCATION);
  }

  @Test
  void knowsItsLengthBeforeAndAfterClosing() throws IOException {
    io.withStoredOverhead(28);
    appender.add(blob());
    assertThat(appender.length()).isEqualTo(4 + 5);
    appender.close();

    assertThat(appender.length()).isEqualTo(io.bytes(LOCATION).length + 28);
  }

  @Test
  void hasNeitherMetricsNorSplitOffsets() {
    assertThat(appender.metrics().recordCount()).isNull();
    assertThat(appender.splitOffsets()).isNull();
  }

  @Test
  void neverPublishesAfterAFailedWrite() {
    IOException failure = new IOException("disk full");
    io.failAt(Call.WRITE, 2, failure);
    assertThatThrownBy(() -> appender.add(blob())).isInstanceOf(UncheckedIOException.class);

    assertThatIllegalStateException()
        .isThrownBy(appender::close)
        .withMessage("Cannot publish mem:/appended.puffin: adding a blob failed, so it was deleted")
        .withRootCauseInstanceOf(IOException.class);
    assertThat(io.locations()).isEmpty();
  }

  @Test
  void neverPublishesWithoutABlobThatWasRefused() {
    Blob refused =
        new Blob(
            "deletion-vector-v1",
            List.of(),
            -1,
            -1,
            ByteBuffer.allocate(5),
            PuffinCompressionCodec.LZ4,
            Map.of());
    Throwable failure = catchThrowable(() -> appender.add(refused));
    assertThat(failure).isInstanceOf(IllegalArgumentException.class);

    assertThatIllegalStateException().isThrownBy(appender::close).withCause(failure);
    assertThat(io.locations()).isEmpty();
  }

  @Test
  void neverPublishesAPartOfBlobsWhoseSourceFailed() {
    Iterator<Blob> failing =
        new Iterator<>() {
          private int given;

          @Override
          public boolean hasNext() {
            return true;
          }

          @Override
          public Blob next() {
            if (given == 2) {
              throw new NoSuchElementException("source failed");
            }
            given++;
            return blob();
          }
        };
    assertThatThrownBy(() -> appender.addAll(failing)).hasMessage("source failed");

    assertThatIllegalStateException().isThrownBy(appender::close);
    assertThat(io.locations()).isEmpty();
  }

  @Test
  void closesQuietlyTheSecondTimeAfterAFailure() throws IOException {
    io.failAt(Call.WRITE, 2, new IOException("disk full"));
    assertThat(catchThrowable(() -> appender.add(blob()))).isNotNull();
    assertThat(catchThrowable(appender::close)).isNotNull();

    appender.close();
    assertThat(io.deleted()).containsExactly(LOCATION);
  }

  @Test
  void deletesTheFileWhenPublishingFails() {
    io.failAt(Call.CLOSE, 1, new IOException("disk full"));

    assertThatThrownBy(appender::close).isInstanceOf(UncheckedIOException.class);
    assertThat(io.locations()).isEmpty();
  }

  private static Blob blob() {
    return new Blob("t", List.of(1), 2, 3, ByteBuffer.allocate(5));
  }
}
