package io.github.icebergext.dv.read;

import static io.github.icebergext.testing.TestEntries.DATA_FILE;
import static io.github.icebergext.testing.TestEntries.PUFFIN;
import static io.github.icebergext.testing.TestEntries.list;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.icebergext.dv.DeletionVectorIdentity;
import io.github.icebergext.puffin.ByteRange;
import io.github.icebergext.testing.RecordingFileIO;
import io.github.icebergext.testing.RecordingListener;
import io.github.icebergext.testing.TestEntries;
import io.github.icebergext.testing.TestPuffin;
import io.github.icebergext.testing.WarningLog;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.DeleteFile;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ReadListenerTest {
  private final RecordingFileIO io = RecordingFileIO.rangeReadable();

  @BeforeEach
  void forgetWarnings() {
    WarningLog.drain();
  }

  @Test
  void isToldOfEveryRequest() {
    List<DeleteFile> entries =
        new TestPuffin(PUFFIN).vector(DATA_FILE, 1).padding(1 << 20).vector("b", 2).store(io);
    RecordingListener listener = new RecordingListener();

    DeletionVectorReader.builder(io)
        .withListener(listener)
        .build()
        .readAll(entries)
        .forEach(vector -> {});

    assertThat(listener.requests()).containsExactlyInAnyOrderElementsOf(io.file(PUFFIN).requests());
  }

  @Test
  void whatItThrowsIsLoggedOnceAndBreaksNothing() {
    DeleteFile entry =
        new TestPuffin(PUFFIN)
            .vector(
                DATA_FILE,
                TestEntries.positions(1),
                TestPuffin.TYPE,
                null,
                Map.of("referenced-data-file", DATA_FILE))
            .store(io)
            .get(0);
    DeletionVectorReader reader =
        DeletionVectorReader.builder(io)
            .withListener(new FailingListener())
            .withVectorCache(DeletionVectorCache.ofMaxBytes(10_000))
            .withFooterCache(FooterCache.ofMaxBytes(10_000))
            .build();

    assertThat(list(reader.read(entry))).containsExactly(1L);
    assertThat(list(reader.read(entry))).containsExactly(1L);
    assertThat(io.openStreams()).isZero();
    assertThat(WarningLog.drain())
        .filteredOn(message -> message.contains("Read listener failed"))
        .hasSize(1);
  }

  private static final class FailingListener implements ReadListener {
    private final IllegalStateException failure = new IllegalStateException("metrics are down");

    @Override
    public void requested(String location, ByteRange range) {
      throw failure;
    }

    @Override
    public void vectorFromCache(DeletionVectorIdentity identity) {
      throw failure;
    }

    @Override
    public void footerFromCache(String location) {
      throw failure;
    }

    @Override
    public void warned(ReadWarning warning) {
      throw failure;
    }
  }
}
