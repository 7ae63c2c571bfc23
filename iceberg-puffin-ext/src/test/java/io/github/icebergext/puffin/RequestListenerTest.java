package io.github.icebergext.puffin;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.icebergext.testing.RecordingFile;
import io.github.icebergext.testing.RecordingFile.Call;
import io.github.icebergext.testing.WarningLog;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

class RequestListenerTest {
  private static final String LOCATION = "s3://bucket/file.puffin";

  private final List<ByteRange> told = new CopyOnWriteArrayList<>();
  private final RequestListener listener =
      (location, range) -> {
        assertThat(location).isEqualTo(LOCATION);
        told.add(range);
      };

  private final RecordingFile file = RecordingFile.rangeReadable(LOCATION, new byte[1000]);

  @Test
  void isToldOfTheRequestsAndNotOfTheRanges() {
    PuffinLimits limits = PuffinLimits.builder().mergeGapBytes(10).build();
    try (RangeReader reader = RangeReader.of(file, limits, listener)) {
      reader.read(new ByteRange(7, 3));
      reader.read(new ByteRange(7, 0));
      reader
          .readAll(List.of(new ByteRange(0, 10), new ByteRange(15, 5), new ByteRange(500, 5)), null)
          .forEach(bytes -> {});
    }

    assertThat(told)
        .containsExactly(new ByteRange(7, 3), new ByteRange(0, 20), new ByteRange(500, 5))
        .isEqualTo(file.requests());
  }

  @Test
  void isToldBeforeTheStorageIsAsked() {
    RequestListener first = (location, range) -> assertThat(file.count(Call.OPEN)).isZero();

    try (RangeReader reader = RangeReader.of(file, PuffinLimits.defaults(), first)) {
      reader.read(new ByteRange(0, 1));
    }
  }

  @Test
  void isToldOfWhatAPuffinReaderAsksFor() {
    RecordingFile puffin = RecordingFile.rangeReadable(LOCATION, FooterBytes.icebergFile());
    try (PuffinFileReader reader = PuffinFileReader.read(puffin).withListener(listener).build()) {
      reader.footer();
    }

    assertThat(told).hasSize(1).isEqualTo(puffin.requests());
  }

  @Test
  void whatItThrowsIsLoggedOnceAndBreaksNoRead() {
    WarningLog.drain();
    RequestListener failing =
        (location, range) -> {
          throw new IllegalStateException("metrics are down");
        };

    try (RangeReader reader = RangeReader.of(file, PuffinLimits.defaults(), failing)) {
      assertThat(reader.read(new ByteRange(0, 4))).hasSize(4);
      assertThat(reader.read(new ByteRange(0, 4))).hasSize(4);
    }

    assertThat(WarningLog.drain())
        .containsExactly("WARN Request listener failed, further failures are not logged");
  }

  @Test
  void requestsArePlannedAsTheyAreSentThen() {
    PuffinLimits limits = PuffinLimits.builder().mergeGapBytes(10).build();
    List<ByteRange> ranges =
        List.of(
            new ByteRange(500, 5),
            new ByteRange(0, 10),
            new ByteRange(300, 0),
            new ByteRange(15, 5));
    List<ByteRange> planned;
    try (RangeReader reader = RangeReader.of(file, limits)) {
      planned = reader.requests(ranges);
      assertThat(file.count(Call.OPEN)).isZero();
      reader.readAll(ranges, null).forEach(bytes -> {});
    }

    assertThat(planned).containsExactly(new ByteRange(0, 20), new ByteRange(500, 5));
    assertThat(file.requests()).containsExactlyInAnyOrderElementsOf(planned);
  }
}
