package io.github.icebergext.puffin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.icebergext.testing.RecordingFile;
import io.github.icebergext.testing.RecordingFile.Call;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Random;
import org.apache.iceberg.exceptions.NotFoundException;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.CloseableIterator;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RangeReaderTest {
  private static final byte[] BYTES = new byte[1000];

  static {
    new Random(1).nextBytes(BYTES);
  }

  private static final PuffinLimits LIMITS =
      PuffinLimits.builder().mergeGapBytes(10).mergeCapBytes(100).maxBytesInFlight(300).build();

  private final RecordingFile file = RecordingFile.rangeReadable("mem://file", BYTES);
  private final RecordingFile seekable = RecordingFile.seekable("mem://file", BYTES);
  private final RangeReader reader = RangeReader.of(file, LIMITS);

  @Test
  void opensNothingBeforeTheFirstRead() {
    assertThat(reader.readAll(ranges(0, 10), null).iterator()).hasNext();
    assertThat(file.count(Call.OPEN)).isZero();
  }

  @Test
  void readsOneRangeInOneRequest() {
    // ClickHouse#110781, datafusion-comet#5853: nothing is read from byte 0, no length is asked for
    assertThat(reader.read(new ByteRange(500, 20))).isEqualTo(slice(500, 20));
    assertThat(file.requests()).isEqualTo(ranges(500, 20));
    assertThat(file.count(Call.SEEK)).isZero();
    assertThat(file.count(Call.LENGTH)).isZero();
  }

  @Test
  void seeksAndReadsWhereTheStreamCannotReadByPosition() {
    RangeReader seeking = RangeReader.of(seekable, LIMITS);

    assertThat(seeking.read(new ByteRange(500, 20))).isEqualTo(slice(500, 20));
    assertThat(seekable.requests()).isEqualTo(ranges(500, 20));
    assertThat(seekable.count(Call.LENGTH)).isZero();
  }

  @Test
  void goesOnAfterShortReads() {
    RangeReader seeking = RangeReader.of(seekable.withShortReads(3), LIMITS);

    assertThat(seeking.read(new ByteRange(500, 20))).isEqualTo(slice(500, 20));
    assertThat(seekable.requests()).isEqualTo(ranges(500, 20));
  }

  @Test
  void usesOneStreamForReadsOneAfterAnother() {
    reader.read(new ByteRange(0, 10));
    reader.read(new ByteRange(900, 10));
    readAll(reader, ranges(100, 10, 500, 10));

    assertThat(file.count(Call.OPEN)).isEqualTo(1);
  }

  @Test
  void sendsNoRequestForAnEmptyRange() {
    assertThat(reader.read(new ByteRange(5000, 0))).isEmpty();
    assertThat(readAll(reader, ranges(5000, 0, 7, 0))).containsExactly(new byte[0], new byte[0]);
    assertThat(file.count(Call.OPEN)).isZero();
  }

  @Test
  void readsNoRangesAtAll() {
    assertThat(readAll(reader, List.of())).isEmpty();
  }

  @Test
  void readsNearRangesInOneRequest() {
    // iceberg#15649, #17418, #18170
    assertThat(readAll(reader, ranges(100, 20, 130, 20))).containsExactly(slices(100, 20, 130, 20));
    assertThat(file.requests()).isEqualTo(ranges(100, 50));
  }

  @Test
  void readsRangesFurtherApartThanTheGapOneByOne() {
    assertThat(readAll(reader, ranges(100, 20, 131, 20))).containsExactly(slices(100, 20, 131, 20));
    assertThat(file.requests()).isEqualTo(ranges(100, 20, 131, 20));
  }

  @Test
  void mergesNoFurtherThanTheCap() {
    readAll(reader, ranges(0, 50, 50, 50, 100, 1));

    assertThat(file.requests()).isEqualTo(ranges(0, 100, 100, 1));
  }

  @Test
  void readsARangeLargerThanTheCapInOneRequest() {
    readAll(reader, ranges(0, 101, 101, 10, 20, 30));

    assertThat(file.requests()).isEqualTo(ranges(0, 101, 101, 10));
  }

  @Test
  void mergesOnlyRangesThatTouchWhenTheGapIsZero() {
    RangeReader strict = RangeReader.of(file, PuffinLimits.builder().mergeGapBytes(0).build());

    readAll(strict, ranges(0, 10, 10, 10, 21, 10));

    assertThat(file.requests()).isEqualTo(ranges(0, 20, 21, 10));
  }

  @Test
  void readsEachRangeByItselfWhenTheCapIsZero() {
    RangeReader strict = RangeReader.of(file, PuffinLimits.builder().mergeCapBytes(0).build());

    readAll(strict, ranges(0, 10, 10, 10));

    assertThat(file.requests()).isEqualTo(ranges(0, 10, 10, 10));
  }

  @Test
  void returnsResultsInTheOrderOfTheRanges() {
    assertThat(readAll(reader, ranges(130, 20, 900, 5, 100, 20)))
        .containsExactly(slices(130, 20, 900, 5, 100, 20));
    assertThat(file.requests()).isEqualTo(ranges(100, 50, 900, 5));
  }

  @Test
  void givesEveryRangeAnArrayOfItsOwn() {
    List<byte[]> results = readAll(reader, ranges(100, 20, 100, 20, 110, 20, 100, 30));
    results.forEach(bytes -> bytes[0] = (byte) ~bytes[0]);

    assertThat(file.requests()).isEqualTo(ranges(100, 30));
    byte[][] expected = slices(100, 20, 100, 20, 110, 20, 100, 30);
    List.of(expected).forEach(bytes -> bytes[0] = (byte) ~bytes[0]);
    assertThat(results).containsExactly(expected);
  }

  @Test
  void fetchesAWindowOnlyWhenTheOneBeforeIsHandedOut() {
    Iterator<byte[]> results = reader.readAll(ranges(0, 150, 200, 150, 400, 150), null).iterator();
    results.next();
    results.next();
    assertThat(file.requests()).isEqualTo(ranges(0, 150, 200, 150));

    results.next();
    assertThat(file.requests()).isEqualTo(ranges(0, 150, 200, 150, 400, 150));
  }

  @Test
  void readsARangeLargerThanTheBytesInFlightAlone() {
    assertThat(readAll(reader, ranges(0, 10, 20, 400, 430, 10)))
        .containsExactly(slices(0, 10, 20, 400, 430, 10));
    assertThat(file.requests()).isEqualTo(ranges(0, 10, 20, 400, 430, 10));
  }

  @Test
  void readsOneRangeAtATimeWhenNoBytesMayBeInFlight() {
    RangeReader strict = RangeReader.of(file, PuffinLimits.builder().maxBytesInFlight(0).build());

    readAll(strict, ranges(0, 10, 10, 10));

    assertThat(file.requests()).isEqualTo(ranges(0, 10, 10, 10));
  }

  @Test
  void readsWithSeveralIteratorsAtOnce() {
    CloseableIterable<byte[]> results = reader.readAll(ranges(0, 10, 500, 10), null);
    Iterator<byte[]> one = results.iterator();
    Iterator<byte[]> two = results.iterator();

    assertThat(one.next()).isEqualTo(slice(0, 10));
    assertThat(two.next()).isEqualTo(slice(0, 10));
    assertThat(two.next()).isEqualTo(slice(500, 10));
    assertThat(one.next()).isEqualTo(slice(500, 10));
    assertThat(file.count(Call.OPEN)).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
  void readsAnyRangesLikeSlicesOfTheFile(int seed) throws IOException {
    Random random = new Random(seed);
    for (int i = 0; i < 250; i++) {
      PuffinLimits limits =
          PuffinLimits.builder()
              .mergeGapBytes(random.nextInt(1 << random.nextInt(8)))
              .mergeCapBytes(random.nextInt(1 << random.nextInt(11)))
              .maxBytesInFlight(random.nextInt(1 << random.nextInt(12)))
              .build();
      RecordingFile any = random.nextBoolean() ? file : seekable;
      any.forget();
      RangeReader anyReader = RangeReader.of(any, limits);

      assertReadsLikeSlices(anyReader, any, randomRanges(random), random.nextBoolean());

      anyReader.close();
      assertThat(any.openStreams()).isZero();
    }
  }

  /** Reads with a window fetched as a whole, or each request when it is needed. */
  private static void assertReadsLikeSlices(
      RangeReader reader, RecordingFile file, List<ByteRange> ranges, boolean eager)
      throws IOException {
    int next = 0;
    try (CloseableIterable<byte[]> results = reader.readAll(ranges, eager ? Runnable::run : null);
        CloseableIterator<byte[]> iterator = results.iterator()) {
      while (iterator.hasNext()) {
        ByteRange range = ranges.get(next++);
        long readBefore = file.bytesRead();
        assertThat(iterator.next()).isEqualTo(slice(range.offset(), range.length()));
        assertThat(file.bytesRead() - readBefore)
            .isLessThanOrEqualTo(Math.max(reader.limits().maxBytesInFlight(), range.length()));
      }
    }
    assertThat(next).isEqualTo(ranges.size());
  }

  private static List<ByteRange> randomRanges(Random random) {
    List<ByteRange> ranges = new ArrayList<>();
    int count = random.nextInt(40);
    int longest = 1 << random.nextInt(10);
    for (int i = 0; i < count; i++) {
      boolean again = i > 0 && random.nextInt(8) == 0;
      int offset = random.nextInt(BYTES.length);
      int length = random.nextInt(Math.min(longest, BYTES.length - offset) + 1);
      ranges.add(again ? ranges.get(random.nextInt(ranges.size())) : new ByteRange(offset, length));
    }
    return ranges;
  }

  @Test
  void countsTheBytesBetweenMergedRangesAsInFlight() {
    PuffinLimits limits =
        PuffinLimits.builder().mergeGapBytes(99).mergeCapBytes(1000).maxBytesInFlight(301).build();
    List<ByteRange> sparse = ranges(0, 1, 100, 1, 200, 1, 300, 1, 400, 1, 500, 1);

    CloseableIterator<byte[]> results =
        RangeReader.of(file, limits).readAll(sparse, Runnable::run).iterator();
    results.next();

    assertThat(file.requests()).isEqualTo(ranges(0, 301));
  }

  @Test
  void refusesARangeThatFitsNoArray() {
    ByteRange range = new ByteRange(0, Integer.MAX_VALUE);

    assertThatThrownBy(() -> reader.read(range))
        .isInstanceOfSatisfying(
            PuffinFormatException.class, e -> assertThat(e.reason()).isEqualTo(Reason.LIMIT))
        .hasMessage("Cannot read mem://file: bytes 0 to 2147483647: more than 2147483639 bytes");
    assertThatThrownBy(() -> reader.readAll(List.of(range), null))
        .isInstanceOf(PuffinFormatException.class);
    assertThat(file.count(Call.OPEN)).isZero();
  }

  @Test
  void namesTheFilesLengthWhenARangeEndsPastIt() {
    for (RecordingFile any : List.of(file, seekable)) {
      assertThatThrownBy(() -> RangeReader.of(any, LIMITS).read(new ByteRange(990, 11)))
          .isInstanceOfSatisfying(
              PuffinFormatException.class, e -> assertThat(e.reason()).isEqualTo(Reason.BLOB_RANGE))
          .hasMessage("Cannot read mem://file: bytes 990 to 1001: the file ends at 1000")
          .hasCauseInstanceOf(EOFException.class);
      assertThat(any.count(Call.LENGTH)).isEqualTo(1);
      assertThat(any.openStreams()).isZero();
    }
  }

  @Test
  void knowsARangePastTheEndByWhateverTheStorageThrows() {
    file.failAt(Call.READ, 1, new IllegalStateException("416 range not satisfiable"));

    assertThatThrownBy(() -> reader.read(new ByteRange(1000, 1)))
        .isInstanceOf(PuffinFormatException.class)
        .hasMessage("Cannot read mem://file: bytes 1000 to 1001: the file ends at 1000")
        .hasRootCauseMessage("416 range not satisfiable");
  }

  @Test
  void leavesAnEndOfFileInsideTheFileToTheStorage() {
    EOFException early = new EOFException("connection lost");
    file.failAt(Call.READ, 1, early);

    assertThatThrownBy(() -> reader.read(new ByteRange(10, 20)))
        .isInstanceOf(UncheckedIOException.class)
        .hasMessage("Cannot read mem://file: bytes 10 to 30: java.io.EOFException: connection lost")
        .hasCause(early);
  }

  @Test
  void leavesRuntimeExceptionsOfTheStorageAsTheyAre() {
    IllegalStateException failure = new IllegalStateException("access denied");
    file.failAt(Call.READ, 1, failure);

    assertThatThrownBy(() -> reader.read(new ByteRange(10, 20))).isSameAs(failure);
  }

  @Test
  void doesNotAskForTheLengthOfAFileThatIsNotThere() {
    NotFoundException failure = new NotFoundException("no such key");
    file.failAt(Call.READ, 1, failure);

    assertThatThrownBy(() -> reader.read(new ByteRange(10, 20))).isSameAs(failure);
    assertThat(file.count(Call.LENGTH)).isZero();
  }

  @Test
  void notesFailuresThatFollowAFailure() {
    IllegalStateException failure = new IllegalStateException("throttled");
    IllegalStateException second = new IllegalStateException("throttled again");
    IOException third = new IOException("closed by peer");
    file.failAt(Call.READ, 1, failure).failAt(Call.LENGTH, 1, second).failAt(Call.CLOSE, 1, third);

    assertThatThrownBy(() -> reader.read(new ByteRange(10, 20))).isSameAs(failure);
    assertThat(failure.getSuppressed()).hasSize(2).contains(second);
    assertThat(failure.getSuppressed()[0]).hasCause(third);
  }

  @Test
  void survivesAStorageThatThrowsOneExceptionTwice() {
    IllegalStateException failure = new IllegalStateException("down");
    file.failAt(Call.READ, 1, failure)
        .failAt(Call.LENGTH, 1, failure)
        .failAt(Call.CLOSE, 1, failure);

    assertThatThrownBy(() -> reader.read(new ByteRange(10, 20))).isSameAs(failure);
    assertThat(failure.getSuppressed()).isEmpty();
  }

  @Test
  void closesTheStreamOfAReadThatEndedInAnError() {
    file.beforeRead(
        range -> {
          throw new OutOfMemoryError("made up");
        });

    assertThatThrownBy(() -> reader.read(new ByteRange(10, 20)))
        .isInstanceOf(OutOfMemoryError.class);
    assertThat(file.openStreams()).isZero();
  }

  @Test
  void doesNotUseAStreamAgainThatFailed() {
    file.failAt(Call.READ, 1, new IOException("reset"));
    assertThatThrownBy(() -> reader.read(new ByteRange(10, 20)))
        .isInstanceOf(UncheckedIOException.class);

    assertThat(file.openStreams()).isZero();
  }

  @Test
  void leavesNoStreamOpenWhateverCallFails() {
    int runs = 0;
    for (boolean byPosition : new boolean[] {true, false}) {
      for (boolean parallel : new boolean[] {true, false}) {
        for (Call call : Call.values()) {
          for (int occurrence = 1; occurrence <= 4; occurrence++) {
            assertFailsCleanly(byPosition, parallel, call, occurrence);
            runs++;
          }
        }
      }
    }
    assertThat(runs).isEqualTo(80);
  }

  private static void assertFailsCleanly(
      boolean byPosition, boolean parallel, Call call, int occurrence) {
    RecordingFile faulty =
        byPosition
            ? RecordingFile.rangeReadable("mem://file", BYTES)
            : RecordingFile.seekable("mem://file", BYTES);
    IOException failure = new IOException("injected");
    faulty.failAt(call, occurrence, failure);
    try (RangeReader faultyReader = RangeReader.of(faulty, LIMITS)) {
      List<ByteRange> ranges = ranges(0, 10, 200, 10, 400, 10, 600, 10);
      for (byte[] bytes : faultyReader.readAll(ranges, parallel ? Runnable::run : null)) {
        assertThat(bytes).hasSize(10);
      }
    } catch (UncheckedIOException e) {
      assertThat(e).hasRootCause(failure);
    }
    assertThat(faulty.openStreams()).isZero();
  }

  @Test
  void refusesToReadOnceClosed() {
    Iterator<byte[]> begun = reader.readAll(ranges(0, 10, 10, 10), null).iterator();
    begun.next();
    reader.close();
    reader.close();

    assertClosed(() -> reader.read(new ByteRange(0, 10)));
    assertClosed(() -> reader.read(new ByteRange(0, 0)));
    assertClosed(() -> reader.readAll(ranges(0, 10), null));
    assertClosed(begun::next);
    assertThat(file.openStreams()).isZero();
  }

  private static void assertClosed(ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("Cannot read mem://file: the reader is closed");
  }

  @Test
  void throwsWhatClosingAStreamThrew() {
    IOException failure = new IOException("reset");
    file.failAt(Call.CLOSE, 1, failure);
    reader.read(new ByteRange(0, 10));

    assertThatThrownBy(reader::close).isInstanceOf(UncheckedIOException.class).hasCause(failure);
    reader.close();
  }

  @Test
  void doesNotGoOnAfterAFailure() {
    file.failAt(Call.READ, 2, new IllegalStateException("down"));
    Iterator<byte[]> results = reader.readAll(ranges(0, 10, 500, 10, 900, 10), null).iterator();
    results.next();

    assertThatThrownBy(results::next).hasMessage("down");
    assertThatThrownBy(results::next)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("Cannot read range 1: the iterator was closed, or failed before");
  }

  @Test
  void endsAfterTheLastRange() {
    Iterator<byte[]> results = reader.readAll(ranges(0, 10), null).iterator();
    results.next();

    assertThat(results.hasNext()).isFalse();
    assertThatThrownBy(results::next).isInstanceOf(NoSuchElementException.class);
  }

  private static List<byte[]> readAll(RangeReader reader, List<ByteRange> ranges) {
    List<byte[]> results = new ArrayList<>();
    reader.readAll(ranges, null).forEach(results::add);
    return results;
  }

  private static List<ByteRange> ranges(long... offsetsAndLengths) {
    List<ByteRange> ranges = new ArrayList<>();
    for (int i = 0; i < offsetsAndLengths.length; i += 2) {
      ranges.add(new ByteRange(offsetsAndLengths[i], offsetsAndLengths[i + 1]));
    }
    return ranges;
  }

  private static byte[][] slices(long... offsetsAndLengths) {
    return ranges(offsetsAndLengths).stream()
        .map(range -> slice(range.offset(), range.length()))
        .toArray(byte[][]::new);
  }

  private static byte[] slice(long offset, long length) {
    return Arrays.copyOfRange(BYTES, (int) offset, (int) (offset + length));
  }
}
