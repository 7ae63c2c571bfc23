package io.github.icebergext.dv.read;

import static io.github.icebergext.testing.TestEntries.list;
import static io.github.icebergext.testing.TestEntries.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.dv.DeletionVectorEntry;
import io.github.icebergext.dv.DeletionVectorIdentity;
import io.github.icebergext.dv.InvalidDeletionVectorException;
import io.github.icebergext.puffin.ByteRange;
import io.github.icebergext.puffin.PuffinLimits;
import io.github.icebergext.puffin.Reason;
import io.github.icebergext.testing.RecordingFile;
import io.github.icebergext.testing.RecordingFile.Call;
import io.github.icebergext.testing.RecordingFileIO;
import io.github.icebergext.testing.TestPuffin;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.exceptions.NotFoundException;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.CloseableIterator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class ReadAllTest {
  private final RecordingFileIO io = RecordingFileIO.rangeReadable();
  private final DeletionVectorReader reader = DeletionVectorReader.builder(io).build();

  @AfterEach
  void noStreamStaysOpen() throws InterruptedException {
    io.awaitClosedStreams();
  }

  /** Stores {@code files} Puffin files of {@code vectors} vectors each; vector i deletes row i. */
  private List<DeleteFile> store(int files, int vectors) {
    List<DeleteFile> entries = new ArrayList<>();
    for (int file = 0; file < files; file++) {
      TestPuffin puffin = new TestPuffin(location(file));
      for (int i = 0; i < vectors; i++) {
        int number = file * vectors + i;
        puffin.vector("data-" + number, number);
      }
      entries.addAll(puffin.store(io));
    }
    return entries;
  }

  private static String location(int file) {
    return "s3://bucket/" + file + ".puffin";
  }

  private static long row(DeleteFile entry) {
    return Long.parseLong(entry.referencedDataFile().substring("data-".length()));
  }

  private static void assertRead(CloseableIterable<ReadVector> all, List<DeleteFile> entries) {
    List<DeleteFile> read = new ArrayList<>();
    for (ReadVector vector : all) {
      assertThat(list(vector.positions())).containsExactly(row(vector.deleteFile()));
      read.add(vector.deleteFile());
    }
    assertThat(read).containsExactlyElementsOf(entries);
  }

  private static void assertInvalid(@Nullable Throwable failure, DeleteFile entry, Reason reason) {
    assertThat(failure)
        .isInstanceOfSatisfying(
            InvalidDeletionVectorException.class, e -> assertThat(e.reason()).isEqualTo(reason))
        .hasMessageContaining(DeletionVectorEntry.describe(entry));
  }

  // iceberg-go#1906: 64 vectors were 72 requests
  @Test
  void readsAPuffinInOneRequest() {
    List<DeleteFile> entries = store(1, 64);

    assertRead(reader.readAll(entries), entries);

    assertThat(io.requests()).isOne();
    assertThat(io.count(Call.OPEN)).isOne();
    assertThat(io.count(Call.LENGTH)).isZero();
  }

  @Test
  void readsAThousandVectorsOfTenPuffinsInAtMostTwoRequestsEach() {
    List<DeleteFile> entries = store(10, 100);
    Collections.shuffle(entries, new Random(1));

    assertRead(reader.readAll(entries), entries);

    assertThat(io.requests()).isLessThanOrEqualTo(20);
  }

  // iceberg#15649: ranges are merged here, whatever the stream does
  @Test
  void mergesOnStreamsThatOnlySeekToo() {
    RecordingFileIO seekable = RecordingFileIO.seekable();
    List<DeleteFile> entries =
        new TestPuffin("s3://bucket/a").vector("data-0", 0).vector("data-1", 1).store(seekable);

    assertRead(DeletionVectorReader.builder(seekable).build().readAll(entries), entries);

    assertThat(seekable.requests()).isOne();
  }

  @Test
  void takesAFooterLargerThanTheTailFromTheRequestThatBringsTheLastVectors() {
    PuffinLimits limits = PuffinLimits.builder().tailBytes(64).mergeGapBytes(2000).build();
    List<DeleteFile> entries =
        new TestPuffin(location(0))
            .vector("data-0", 0)
            .padding(4000)
            .vector("data-1", 1)
            .vector("data-2", 2)
            .store(io);
    long lastOffset = entries.get(1).contentOffset();

    assertRead(
        DeletionVectorReader.builder(io).withLimits(limits).build().readAll(entries), entries);

    RecordingFile file = io.file(location(0));
    assertThat(file.requests())
        .containsExactlyInAnyOrder(
            DeletionVectorEntry.of(entries.get(0)).range(),
            new ByteRange(lastOffset, file.size() - lastOffset));
  }

  @Test
  void readsFarVectorsAndTheFooterInARequestEach() {
    List<DeleteFile> entries =
        new TestPuffin(location(0))
            .vector("data-0", 0)
            .padding(1 << 20)
            .vector("data-1", 1)
            .padding(1 << 20)
            .store(io);

    assertRead(reader.readAll(entries), entries);

    assertThat(io.requests()).isEqualTo(3);
    assertThat(io.file(location(0)).bytesRead()).isLessThan(100_000);
  }

  // iceberg#17334, iceberg-python#3478, starrocks#76228: vectors of one file are not one
  @Test
  void keepsVectorsOfOneFileApart() {
    List<DeleteFile> entries = store(1, 100);
    Map<DeletionVectorIdentity, DeletedPositions> byIdentity = new LinkedHashMap<>();

    reader
        .readAll(entries)
        .forEach(vector -> byIdentity.put(vector.identity(), vector.positions()));

    assertThat(byIdentity).hasSize(100);
  }

  @ParameterizedTest
  @EnumSource(ReadCheck.class)
  void readsAVectorOnceHoweverOftenItIsAskedFor(ReadCheck check) {
    List<DeleteFile> entries = store(1, 2);
    List<DeleteFile> repeated = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      repeated.addAll(entries);
    }

    assertRead(
        DeletionVectorReader.builder(io).withCheck(check).build().readAll(repeated), repeated);

    assertThat(io.requests()).isOne();
  }

  @Test
  void checksEachEntryOfAVectorThatIsAskedForTwice() {
    DeleteFile right = store(1, 1).get(0);
    DeleteFile wrong = with(right, "recordCount", 2L);
    List<RuntimeException> failures = new ArrayList<>();

    assertThat(
            reader.readAll(List.of(right, wrong, right), (entry, failure) -> failures.add(failure)))
        .hasSize(2);
    assertThat(failures)
        .singleElement()
        .satisfies(failure -> assertInvalid(failure, wrong, Reason.CARDINALITY));
  }

  @Test
  void readsNoFooterUnderTheEntryCheck() {
    List<DeleteFile> entries = store(1, 10);

    assertRead(
        DeletionVectorReader.builder(io).withCheck(ReadCheck.ENTRY).build().readAll(entries),
        entries);

    long vectors = entries.stream().mapToLong(DeleteFile::contentSizeInBytes).sum();
    assertThat(io.file(location(0)).requests()).containsExactly(new ByteRange(4, vectors));
  }

  // A small vector that pins the large read it came with would fill a cache with what is not in it.
  @Test
  void eachVectorOwnsAnArrayOfItsSize() {
    List<DeleteFile> entries = store(1, 100);

    for (ReadVector vector : reader.readAll(entries)) {
      assertThat(vector.positions().retainedSizeInBytes())
          .isLessThan(vector.deleteFile().contentSizeInBytes() + 300);
    }
  }

  @Test
  void asksNothingBeforeItIsIterated() {
    List<DeleteFile> entries = store(1, 10);

    CloseableIterable<ReadVector> all = reader.readAll(entries);
    assertThat(io.count(Call.OPEN)).isZero();

    assertRead(all, entries);
    assertRead(all, entries);
    assertThat(io.requests()).isEqualTo(2);
  }

  @Test
  void readsNothingForNothing() {
    assertThat(reader.readAll(List.of())).isEmpty();
    assertThatThrownBy(() -> reader.readAll(List.of()).iterator().next())
        .isInstanceOf(NoSuchElementException.class);
  }

  // One vector more than a window holds of them, in one Puffin.
  @Test
  void readsAFooterOnceAlsoWhenItsVectorsSpanWindows() {
    List<DeleteFile> entries = store(1, 25_000);
    RecordingFile puffin = io.file(location(0));

    assertRead(reader.readAll(entries), entries);

    long footer =
        puffin.size() - 4 - entries.stream().mapToLong(DeleteFile::contentSizeInBytes).sum();
    assertThat(puffin.bytesRead()).isLessThan(puffin.size() + footer / 2);
    assertThat(puffin.requests().stream().filter(range -> range.end() == puffin.size())).hasSize(1);
  }

  @Test
  void readsAFooterAgainWhenItIsTooLargeToBeKept() {
    List<DeleteFile> entries = store(1, 400);
    PuffinLimits limits = PuffinLimits.builder().maxBytesInFlight(20_000).build();

    assertRead(
        DeletionVectorReader.builder(io).withLimits(limits).build().readAll(entries), entries);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 100, 10_000, 1 << 30})
  void readsTheSameWhateverMayBeInFlight(int bytes) {
    List<DeleteFile> entries = store(5, 20);
    Collections.shuffle(entries, new Random(2));
    PuffinLimits limits = PuffinLimits.builder().maxBytesInFlight(bytes).build();

    assertRead(
        DeletionVectorReader.builder(io).withLimits(limits).build().readAll(entries), entries);
  }

  @Test
  void stopsAtTheFirstFailureInItsPlace() {
    List<DeleteFile> entries = store(3, 10);
    DeleteFile wrong = with(entries.get(14), "referencedDataFile", "other");
    entries.set(14, wrong);
    List<DeleteFile> read = new ArrayList<>();

    assertThatThrownBy(
            () -> reader.readAll(entries).forEach(vector -> read.add(vector.deleteFile())))
        .satisfies(failure -> assertInvalid(failure, wrong, Reason.REFERENCED_DATA_FILE));
    assertThat(read).containsExactlyElementsOf(entries.subList(0, 14));
  }

  @Test
  void aFailedIteratorStaysFailed() {
    DeleteFile entry = with(store(1, 1).get(0), "recordCount", 0L);
    CloseableIterator<ReadVector> iterator = reader.readAll(List.of(entry)).iterator();

    assertThatThrownBy(iterator::next).isInstanceOf(InvalidDeletionVectorException.class);
    assertThatThrownBy(iterator::hasNext)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("closed, or failed before");
  }

  @Test
  void collectsFailuresAndGoesOn() {
    List<DeleteFile> entries = store(3, 4);
    io.put(location(1), new byte[1000]);
    io.deleteFile(location(2));
    entries.set(0, with(entries.get(0), "contentOffset", null));
    entries.set(1, with(entries.get(1), "contentOffset", 1L << 40));
    Map<DeleteFile, RuntimeException> failures = new LinkedHashMap<>();

    List<DeleteFile> read = new ArrayList<>();
    reader.readAll(entries, failures::put).forEach(vector -> read.add(vector.deleteFile()));

    assertThat(read).containsExactlyElementsOf(entries.subList(2, 4));
    assertThat(failures).hasSize(10);
    assertInvalid(failures.get(entries.get(0)), entries.get(0), Reason.ENTRY_COORDINATES);
    assertInvalid(failures.get(entries.get(1)), entries.get(1), Reason.BLOB_RANGE);
    for (DeleteFile entry : entries.subList(4, 8)) {
      assertInvalid(failures.get(entry), entry, Reason.VECTOR_LENGTH);
    }
    for (DeleteFile entry : entries.subList(8, 12)) {
      assertThat(failures.get(entry))
          .isInstanceOf(NotFoundException.class)
          .satisfies(
              e ->
                  assertThat(e.getSuppressed())
                      .anySatisfy(
                          note ->
                              assertThat(note)
                                  .hasMessageContaining(DeletionVectorEntry.describe(entry))));
    }
  }

  @Test
  void doesNotRepeatAFailedRequestForEachOfItsVectors() {
    List<DeleteFile> entries = store(1, 100);
    io.file(location(0)).failAt(Call.READ, 1, new IOException("throttled"));
    List<DeleteFile> failed = new ArrayList<>();

    assertThat(reader.readAll(entries, (entry, failure) -> failed.add(entry))).isEmpty();

    assertThat(failed).containsExactlyElementsOf(entries);
    assertThat(io.count(Call.READ)).isOne();
  }

  @Test
  void aDamagedFooterFailsTheVectorsOfItsFileOnly() {
    List<DeleteFile> entries = store(2, 3);
    byte[] damaged =
        new TestPuffin(location(0))
            .vector("data-0", 0)
            .vector("data-1", 1)
            .vector("data-2", 2)
            .toBytes();
    damaged[damaged.length - 30] = '"';
    io.put(location(0), damaged);
    List<DeleteFile> failed = new ArrayList<>();

    assertRead(
        reader.readAll(
            entries,
            (entry, failure) -> {
              assertInvalid(failure, entry, Reason.FOOTER_PAYLOAD);
              failed.add(entry);
            }),
        entries.subList(3, 6));
    assertThat(failed).containsExactlyElementsOf(entries.subList(0, 3));
  }

  @Test
  void whatTheCallerOfFailuresThrowsEndsIt() {
    DeleteFile entry = with(store(1, 1).get(0), "recordCount", 0L);

    assertThatThrownBy(
            () ->
                reader
                    .readAll(
                        List.of(entry),
                        (failed, failure) -> {
                          throw new UnsupportedOperationException("enough");
                        })
                    .forEach(vector -> {}))
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessage("enough");
  }

  @Test
  void sendsRequestsInParallelOnTheCallersExecutor() {
    List<DeleteFile> entries = store(20, 10);
    AtomicInteger tasks = new AtomicInteger();
    ExecutorService executor = Executors.newFixedThreadPool(4);
    try {
      Executor counting =
          task -> {
            tasks.incrementAndGet();
            executor.execute(task);
          };
      assertRead(
          DeletionVectorReader.builder(io).withExecutor(counting).build().readAll(entries),
          entries);
    } finally {
      executor.shutdownNow();
    }
    assertThat(tasks).hasValue(20);
  }

  @Test
  void anExecutorThatNeverRunsAnythingOnlyMakesItSlow() {
    List<DeleteFile> entries = store(5, 10);

    assertRead(
        DeletionVectorReader.builder(io).withExecutor(task -> {}).build().readAll(entries),
        entries);
  }

  @Test
  void anExecutorThatRejectsOnlyMakesItSlow() {
    List<DeleteFile> entries = store(5, 10);
    Executor rejecting =
        task -> {
          throw new RejectedExecutionException("full");
        };

    assertRead(
        DeletionVectorReader.builder(io).withExecutor(rejecting).build().readAll(entries), entries);
  }

  @Test
  void anExecutorThatRunsTasksAtOnceWillDo() {
    List<DeleteFile> entries = store(5, 10);

    assertRead(
        DeletionVectorReader.builder(io).withExecutor(Runnable::run).build().readAll(entries),
        entries);
  }

  @Test
  void refusesAParallelismOfNone() {
    assertThatThrownBy(() -> DeletionVectorReader.builder(io).withParallelism(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("Invalid parallelism: 0, expected at least 1");
  }

  @Test
  void theThreadsOfABatchEndWithIt() throws IOException {
    List<DeleteFile> entries = store(20, 2);
    Set<Thread> before = readThreads();

    reader.readAll(entries).forEach(vector -> {});
    try (CloseableIterable<ReadVector> all = reader.readAll(entries)) {
      all.iterator().next();
    }

    // Less than idle threads wait, so that it is not for that reason that they end.
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(4);
    while (!before.containsAll(readThreads()) && System.nanoTime() < deadline) {
      Thread.onSpinWait();
    }
    assertThat(before).containsAll(readThreads());
  }

  private static Set<Thread> readThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals("deletion-vectors"))
        .collect(Collectors.toSet());
  }

  @Test
  void closingEarlyCancelsWhatHasNotBegun() throws IOException {
    List<DeleteFile> entries = store(50, 2);
    List<Runnable> queue = new ArrayList<>();
    DeletionVectorReader queueing =
        DeletionVectorReader.builder(io).withExecutor(queue::add).build();

    try (CloseableIterable<ReadVector> all = queueing.readAll(entries)) {
      all.iterator().next();
    }
    assertThat(queue).hasSizeGreaterThanOrEqualTo(50);
    queue.forEach(Runnable::run);

    assertThat(io.requests()).isOne();
    assertThat(io.openStreams()).isZero();
  }

  @Test
  void closingClosesTheIteratorOfTheEntries() throws IOException {
    List<DeleteFile> entries = store(1, 2);
    AtomicInteger closed = new AtomicInteger();
    Iterable<DeleteFile> closeable = () -> new ClosingIterator(entries.iterator(), closed);

    try (CloseableIterable<ReadVector> all = reader.readAll(closeable)) {
      all.iterator().next();
      assertThat(closed).hasValue(0);
    }
    assertThat(closed).hasValue(1);
  }

  private record ClosingIterator(Iterator<DeleteFile> entries, AtomicInteger closed)
      implements Iterator<DeleteFile>, Closeable {
    @Override
    public boolean hasNext() {
      return entries.hasNext();
    }

    @Override
    public DeleteFile next() {
      return entries.next();
    }

    @Override
    public void close() {
      closed.incrementAndGet();
    }
  }

  @Test
  void aFailureOfTheEntriesLeavesAsItIs() {
    Iterable<DeleteFile> failing =
        () -> {
          throw new UncheckedIOException(new IOException("manifest"));
        };

    assertThatThrownBy(() -> reader.readAll(failing).iterator())
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining("manifest");
  }

  @Test
  void anInterruptEndsTheWaitForAnotherThread() throws InterruptedException {
    List<DeleteFile> entries = store(1, 1);
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch released = new CountDownLatch(1);
    io.file(location(0))
        .beforeRead(
            range -> {
              begun.countDown();
              await(released);
            });
    List<Thread> threads = new ArrayList<>();
    Executor other =
        task -> {
          Thread thread = new Thread(task);
          threads.add(thread);
          thread.start();
          await(begun);
          Thread.currentThread().interrupt();
        };
    CloseableIterator<ReadVector> iterator =
        DeletionVectorReader.builder(io).withExecutor(other).build().readAll(entries).iterator();

    try {
      assertThatThrownBy(iterator::next)
          .isInstanceOf(UncheckedIOException.class)
          .hasMessageContaining("interrupted while reading");
    } finally {
      assertThat(Thread.interrupted()).isTrue();
      released.countDown();
    }
    for (Thread thread : threads) {
      thread.join(30_000);
      assertThat(thread.isAlive()).isFalse();
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
