package io.github.icebergext.puffin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.icebergext.testing.RecordingFile;
import io.github.icebergext.testing.RecordingFile.Call;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.CloseableIterator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class RangeReaderParallelTest {
  private static final byte[] BYTES = new byte[1 << 16];
  private static final PuffinLimits LIMITS = PuffinLimits.builder().mergeGapBytes(0).build();

  static {
    new Random(2).nextBytes(BYTES);
  }

  private final RecordingFile file = RecordingFile.seekable("mem://file", BYTES);
  private final RangeReader reader = RangeReader.of(file, LIMITS);
  private final ExecutorService pool = Executors.newFixedThreadPool(3);

  @AfterEach
  void stopThePool() {
    pool.shutdownNow();
  }

  @Test
  void sendsTheRequestsOfAWindowAtTheSameTime() {
    CyclicBarrier all = new CyclicBarrier(4); // three of the pool, and the caller
    file.beforeRead(range -> await(all));

    assertReads(ranges(4), pool);
    assertThat(file.requests()).containsExactlyInAnyOrderElementsOf(ranges(4));
  }

  @Test
  void opensNoMoreStreamsThanThreadsThatRead() {
    assertReads(ranges(100), pool);
    assertReads(ranges(100), pool);

    assertThat(file.count(Call.OPEN)).isLessThanOrEqualTo(4);
    reader.close();
    assertThat(file.openStreams()).isZero();
  }

  @Test
  void readsWithAnExecutorThatRunsTasksInTheCallersThread() {
    assertReads(ranges(20), Runnable::run);
    assertThat(file.count(Call.OPEN)).isEqualTo(1);
  }

  @Test
  void readsWithAnExecutorThatRunsNothing() {
    assertReads(ranges(20), task -> {});
    assertThat(file.count(Call.OPEN)).isEqualTo(1);
  }

  @Test
  void readsOnTheOnlyThreadOfItsExecutor() throws Exception {
    ExecutorService single = Executors.newSingleThreadExecutor();
    try {
      single.submit(() -> assertReads(ranges(20), single)).get(30, TimeUnit.SECONDS);
    } finally {
      single.shutdownNow();
    }
  }

  @Test
  void needsNoExecutorForASingleRequest() {
    assertReads(
        ranges(1),
        task -> {
          throw new AssertionError("nothing to hand out");
        });
  }

  @Test
  void leavesTheExceptionOfARejectedTask() {
    RejectedExecutionException rejection = new RejectedExecutionException("shut down");
    Queue<Runnable> accepted = new ArrayDeque<>();
    Executor full =
        task -> {
          if (accepted.size() == 2) {
            throw rejection;
          }
          accepted.add(task);
        };
    CloseableIterator<byte[]> results = reader.readAll(ranges(5), full).iterator();

    assertThatThrownBy(results::next).isSameAs(rejection);
    accepted.forEach(Runnable::run);
    assertThat(file.count(Call.OPEN)).isZero();
  }

  @Test
  void cancelsTheRequestsNotSentAfterAFailure() {
    IllegalStateException failure = new IllegalStateException("down");
    file.failAt(Call.READ, 1, failure);
    Queue<Runnable> later = new ArrayDeque<>();
    CloseableIterator<byte[]> results = reader.readAll(ranges(5), later::add).iterator();

    assertThatThrownBy(results::next).isSameAs(failure);
    assertThat(later).hasSize(4);
    later.forEach(Runnable::run);
    assertThat(file.count(Call.READ)).isEqualTo(1);
    assertThat(file.openStreams()).isZero();
  }

  @Test
  void throwsTheVeryExceptionOfAnotherThread() {
    IllegalStateException failure = new IllegalStateException("access denied");
    Thread caller = Thread.currentThread();
    file.beforeRead(
        range -> {
          if (Thread.currentThread() != caller) {
            throw failure;
          }
        });
    Executor otherThread = task -> join(new Thread(task));
    CloseableIterator<byte[]> results = reader.readAll(ranges(2), otherThread).iterator();

    assertThat(results.next()).isEqualTo(slice(ranges(1).get(0)));
    assertThatThrownBy(results::next).isSameAs(failure);
    reader.close();
    assertThat(file.openStreams()).isZero();
  }

  @Test
  void throwsTheErrorOfAnotherThread() {
    Thread caller = Thread.currentThread();
    file.beforeRead(
        range -> {
          if (Thread.currentThread() != caller) {
            throw new StackOverflowError("made up");
          }
        });
    CloseableIterator<byte[]> results =
        reader.readAll(ranges(2), task -> join(new Thread(task))).iterator();
    results.next();

    assertThatThrownBy(results::next).isInstanceOf(StackOverflowError.class);
  }

  @Test
  void sendsNothingMoreOnceTheResultIsClosed() throws IOException {
    Queue<Runnable> later = new ArrayDeque<>();
    try (CloseableIterable<byte[]> results = reader.readAll(ranges(5), later::add)) {
      results.iterator().next();
    }
    later.forEach(Runnable::run);

    assertThat(file.requests()).hasSize(1);
  }

  @Test
  void closesAStreamThatIsInUseWhenTheReaderIsClosed() throws Exception {
    CountDownLatch reading = new CountDownLatch(3);
    CountDownLatch closed = new CountDownLatch(1);
    Thread caller = Thread.currentThread();
    file.beforeRead(
        range -> {
          if (Thread.currentThread() != caller) {
            reading.countDown();
            await(closed);
          }
        });
    CloseableIterator<byte[]> results = reader.readAll(ranges(50), pool).iterator();
    results.next();
    await(reading);

    reader.close();
    assertThat(file.openStreams()).isEqualTo(3);
    closed.countDown();
    pool.shutdown();

    assertThat(pool.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
    assertThat(file.openStreams()).isZero();
    assertThat(file.requests()).hasSize(4);
  }

  @Test
  void closesAStreamWhoseRangeNobodyWantsAnyMore() throws Exception {
    CountDownLatch reading = new CountDownLatch(1);
    CountDownLatch abandoned = new CountDownLatch(1);
    Thread caller = Thread.currentThread();
    file.beforeRead(
        range -> {
          if (Thread.currentThread() != caller) {
            reading.countDown();
            await(abandoned);
          }
        });
    try (CloseableIterable<byte[]> results = reader.readAll(ranges(50), pool)) {
      results.iterator().next();
      await(reading);
    }
    abandoned.countDown();
    pool.shutdown();
    assertThat(pool.awaitTermination(30, TimeUnit.SECONDS)).isTrue();

    assertThat(file.requests()).hasSizeLessThanOrEqualTo(4);
    assertReads(ranges(5), null);
    reader.close();
    assertThat(file.openStreams()).isZero();
  }

  @Test
  void endsWaitingWhenInterrupted() throws Exception {
    CountDownLatch reading = new CountDownLatch(1);
    CountDownLatch interrupted = new CountDownLatch(1);
    Thread caller = Thread.currentThread();
    file.beforeRead(
        range -> {
          if (Thread.currentThread() != caller) {
            reading.countDown();
            await(interrupted);
          }
        });
    CloseableIterator<byte[]> results = reader.readAll(ranges(2), pool).iterator();
    results.next();
    await(reading);
    Thread.currentThread().interrupt();

    assertThatThrownBy(results::next)
        .isInstanceOf(UncheckedIOException.class)
        .hasCauseInstanceOf(InterruptedIOException.class);
    assertThat(Thread.interrupted()).isTrue();
    interrupted.countDown();
    reader.close();
    pool.shutdown();
    assertThat(pool.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
    assertThat(file.openStreams()).isZero();
  }

  @Test
  void holdsNoMoreBytesThanAllowedWhileManyThreadsRead() {
    PuffinLimits limits = PuffinLimits.builder().mergeCapBytes(0).maxBytesInFlight(1000).build();
    RangeReader bounded = RangeReader.of(file, limits);
    long handedOut = 0;
    for (byte[] bytes : bounded.readAll(ranges(300), pool)) {
      assertThat(file.bytesRead() - handedOut).isLessThanOrEqualTo(1000);
      handedOut += bytes.length;
    }
    assertThat(handedOut).isEqualTo(30_000);
  }

  @Test
  void isReadByManyThreadsAtOnce() throws Exception {
    List<Future<?>> readers = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      readers.add(pool.submit(() -> assertReads(ranges(200), pool)));
    }
    for (Future<?> each : readers) {
      each.get(30, TimeUnit.SECONDS);
    }
    reader.close();
    assertThat(file.openStreams()).isZero();
  }

  private void assertReads(List<ByteRange> ranges, @Nullable Executor executor) {
    List<byte[]> results = new ArrayList<>();
    reader.readAll(ranges, executor).forEach(results::add);
    assertThat(results)
        .containsExactly(
            ranges.stream().map(RangeReaderParallelTest::slice).toArray(byte[][]::new));
  }

  /** Returns ranges of 100 bytes, 100 bytes apart. */
  private static List<ByteRange> ranges(int count) {
    List<ByteRange> ranges = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      ranges.add(new ByteRange(200L * i, 100));
    }
    return ranges;
  }

  private static byte[] slice(ByteRange range) {
    return Arrays.copyOfRange(BYTES, (int) range.offset(), (int) range.end());
  }

  private static void join(Thread thread) {
    thread.start();
    try {
      thread.join(30_000);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    assertThat(thread.isAlive()).isFalse();
  }

  private static void await(CyclicBarrier barrier) {
    try {
      barrier.await(30, TimeUnit.SECONDS);
    } catch (InterruptedException | BrokenBarrierException | TimeoutException e) {
      throw new AssertionError(e);
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
