package io.github.icebergext.dv.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.puffin.ByteRange;
import io.github.icebergext.puffin.PuffinLimits;
import io.github.icebergext.testing.RecordingFileIO;
import io.github.icebergext.testing.TestEntries;
import io.github.icebergext.testing.TestPuffin;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.apache.iceberg.DeleteFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is asked of the storage and not yet handed out, however many the entries are. */
class BytesInFlightTest {
  private static final int PUFFINS = 1000;
  private static final int VECTORS = 100;

  private final RecordingFileIO io = RecordingFileIO.rangeReadable();

  /** Adds up the bytes asked for, and takes off again what was handed out. */
  private static final class Meter implements ReadListener {
    private final Map<String, AtomicLong> byFile = new ConcurrentHashMap<>();
    private final AtomicLong inFlight = new AtomicLong();
    private final AtomicLong peak = new AtomicLong();
    private final AtomicInteger requests = new AtomicInteger();

    @Override
    public void requested(String location, ByteRange range) {
      requests.incrementAndGet();
      byFile.computeIfAbsent(location, key -> new AtomicLong()).addAndGet(range.length());
      peak.accumulateAndGet(inFlight.addAndGet(range.length()), Math::max);
    }

    /** Takes off a vector, or all of its file when no more of it comes. */
    void handedOut(DeleteFile entry, boolean last) {
      AtomicLong ofFile = byFile.computeIfAbsent(entry.location(), key -> new AtomicLong());
      long bytes = last ? ofFile.get() : entry.contentSizeInBytes();
      ofFile.addAndGet(-bytes);
      inFlight.addAndGet(-bytes);
    }
  }

  private static String location(int file) {
    return "s3://bucket/" + file + ".puffin";
  }

  private List<DeleteFile> store(DeletedPositions positions) {
    TestPuffin puffin = new TestPuffin(location(0));
    for (int i = 0; i < VECTORS; i++) {
      puffin.vector("data-" + i, positions);
    }
    byte[] bytes = puffin.toBytes();
    IntStream.range(0, PUFFINS).forEach(file -> io.put(location(file), bytes));
    return puffin.entries(bytes.length);
  }

  /** Returns 100,000 entries of 1,000 files, made when they are asked for. */
  private static Iterable<DeleteFile> entries(List<DeleteFile> ofOneFile, AtomicInteger taken) {
    return () -> entryIterator(ofOneFile, taken);
  }

  private static Iterator<DeleteFile> entryIterator(
      List<DeleteFile> ofOneFile, AtomicInteger taken) {
    return IntStream.range(0, PUFFINS * VECTORS)
        .mapToObj(
            i -> {
              taken.incrementAndGet();
              DeleteFile entry = ofOneFile.get(i % VECTORS);
              return TestPuffin.entry(
                  location(i / VECTORS),
                  entry.fileSizeInBytes(),
                  entry.referencedDataFile(),
                  entry.contentOffset(),
                  entry.contentSizeInBytes(),
                  entry.recordCount());
            })
        .iterator();
  }

  @ParameterizedTest
  @EnumSource(ReadCheck.class)
  void aHundredThousandEntriesStayUnderTheLimit(ReadCheck check) {
    PuffinLimits limits = PuffinLimits.builder().maxBytesInFlight(1 << 20).build();
    List<DeleteFile> ofOneFile = store(TestEntries.positions(1, 5, 9));
    Meter meter = new Meter();
    DeletionVectorReader reader =
        DeletionVectorReader.builder(io)
            .withCheck(check)
            .withLimits(limits)
            .withListener(meter)
            .build();
    AtomicInteger taken = new AtomicInteger();
    int handedOut = 0;
    int mostAhead = 0;

    for (ReadVector vector : reader.readAll(entries(ofOneFile, taken))) {
      handedOut++;
      mostAhead = Math.max(mostAhead, taken.get() - handedOut);
      assertThat(vector.positions().cardinality()).isEqualTo(3);
      meter.handedOut(vector.deleteFile(), handedOut % VECTORS == 0);
    }

    assertThat(handedOut).isEqualTo(100_000);
    assertThat(mostAhead).isLessThanOrEqualTo(30_000);
    // Of a file that spans two windows the footer is only taken off with its last vector.
    assertThat(meter.peak.get())
        .isLessThanOrEqualTo(limits.maxBytesInFlight() + ofOneFile.get(0).fileSizeInBytes());
    // Where a window ends inside a file, the rest of it is one more request.
    assertThat(meter.requests.get()).isLessThan(PUFFINS * 5 / 4);
    assertThat(meter.inFlight.get()).isZero();
  }

  @Test
  void vectorsLargerThanTheLimitAreReadOneByOne() {
    DeletedPositions large = DeletedPositions.builder().addAll(every(3, 40_000)).build();
    TestPuffin puffin = new TestPuffin(location(0));
    IntStream.range(0, 20).forEach(i -> puffin.vector("data-" + i, large));
    List<DeleteFile> entries = puffin.store(io);
    long size = entries.get(0).contentSizeInBytes();
    PuffinLimits limits =
        PuffinLimits.builder()
            .maxBytesInFlight((int) size - 1)
            .tailBytes(16)
            .mergeGapBytes(0)
            .build();
    Meter meter = new Meter();

    for (ReadVector vector :
        DeletionVectorReader.builder(io)
            .withLimits(limits)
            .withCheck(ReadCheck.ENTRY)
            .withListener(meter)
            .build()
            .readAll(entries)) {
      meter.handedOut(vector.deleteFile(), false);
    }

    assertThat(meter.peak.get()).isEqualTo(size);
  }

  private static Iterator<Long> every(int step, int count) {
    return IntStream.range(0, count).mapToLong(i -> (long) i * step).boxed().iterator();
  }

  // The bytes between vectors count too, where reading them saves a request.
  @Test
  void unneededBytesBetweenVectorsCount() {
    TestPuffin puffin = new TestPuffin(location(0));
    for (int i = 0; i < 50; i++) {
      puffin.vector("data-" + i, i).padding(100_000);
    }
    List<DeleteFile> entries = puffin.store(io);
    PuffinLimits limits = PuffinLimits.builder().maxBytesInFlight(1_000_000).build();
    Meter meter = new Meter();
    Map<Integer, Long> asked = new HashMap<>();
    int handedOut = 0;

    for (ReadVector vector :
        DeletionVectorReader.builder(io)
            .withLimits(limits)
            .withCheck(ReadCheck.ENTRY)
            .withListener(meter)
            .build()
            .readAll(entries)) {
      asked.put(handedOut++, meter.inFlight.get());
      assertThat(vector.positions().cardinality()).isOne();
    }

    // When the first vector is handed out, no more than two windows were asked for.
    assertThat(asked.get(0)).isLessThanOrEqualTo(limits.maxBytesInFlight());
  }
}
