package io.github.icebergext.dv.read;

import static java.util.Objects.requireNonNull;

import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.dv.DeletionVectorCodec;
import io.github.icebergext.dv.internal.FooterFacts;
import io.github.icebergext.dv.internal.FooterIndex;
import io.github.icebergext.puffin.ByteRange;
import io.github.icebergext.puffin.Container;
import io.github.icebergext.puffin.PuffinFormatException;
import io.github.icebergext.puffin.PuffinLimits;
import io.github.icebergext.puffin.RangeReader;
import io.github.icebergext.puffin.Reason;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CancellationException;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.apache.iceberg.io.CloseableIterable;
import org.jspecify.annotations.Nullable;

/**
 * Reads vectors of one file, and its footer if wanted, in as few requests as can be.
 *
 * <p>The speculative tail of the file stands in the same plan as the vectors, and all that its
 * request brings is searched for the footer. The length by which it is found is a hint: when no
 * footer ends there, or a range does not lie in the file, the real length is asked for, and what is
 * missing is read in a second pass.
 *
 * <p>{@link #read} is called once, by any thread, and never throws for what the file holds or the
 * storage does; the results are asked for after it, vector by vector.
 */
final class FileRead {
  private final PuffinLimits limits;
  private final HintedFile file;
  private final List<ByteRange> vectors;
  private final boolean footerWanted;
  private final Predicate<FooterIndex> keep;
  private final RangeReader ranges;
  private final FooterTail footers;
  private final @Nullable DeletedPositions[] positions;
  private final @Nullable RuntimeException[] failures;
  private byte[] tail = new byte[0];
  private @Nullable List<FooterFacts> facts;
  private @Nullable FooterIndex footer;
  private @Nullable RuntimeException footerFailure;
  private volatile boolean cancelled;

  /**
   * Plans a read; nothing is opened.
   *
   * @param vectors the bytes of the vectors, in the order of their offsets
   * @param footerWanted whether the footer is read too
   * @param keep tells whether the whole footer is kept, or only what it says of the vectors
   */
  FileRead(
      ReadContext context,
      HintedFile file,
      List<ByteRange> vectors,
      boolean footerWanted,
      Predicate<FooterIndex> keep) {
    this.limits = context.limits();
    this.file = file;
    this.vectors = vectors;
    this.footerWanted = footerWanted;
    this.keep = keep;
    this.ranges = RangeReader.of(file, limits, context.events());
    this.footers = new FooterTail(context, file, ranges);
    this.positions = new DeletedPositions[vectors.size()];
    this.failures = new RuntimeException[vectors.size()];
  }

  /** Returns how many bytes the first pass asks for at most. */
  long plannedBytes() {
    if (!footerWanted) {
      return bytes(ranges.requests(vectors));
    }
    if (!file.isHinted()) {
      return bytes(ranges.requests(vectors)) + limits.mergeGapBytes() + limits.tailBytes();
    }
    return bytes(requestsWithTail(vectors, file.hintedLength()));
  }

  private static long bytes(List<ByteRange> requests) {
    return requests.stream().mapToLong(ByteRange::length).sum();
  }

  private List<ByteRange> requestsWithTail(List<ByteRange> wanted, long end) {
    List<ByteRange> withTail = new ArrayList<>(wanted);
    withTail.add(footers.tail(end));
    return ranges.requests(withTail);
  }

  /**
   * Reads in the calling thread.
   *
   * @param threads help it
   */
  void read(Executor threads) {
    try {
      FooterIndex cached = footerWanted ? footers.cached() : null;
      if (cached != null) {
        use(cached);
      }
      readFile(threads);
    } catch (RuntimeException e) {
      fail(e);
    } finally {
      close();
    }
  }

  /** Stops a read in another thread before its next vector. */
  void cancel() {
    cancelled = true;
  }

  /**
   * Returns a vector that was read, which nothing but its own bytes was held against.
   *
   * @throws RuntimeException why it was not read
   */
  DeletedPositions positions(int index) {
    RuntimeException failure = failures[index];
    if (failure != null) {
      throw explained(failure, index);
    }
    return requireNonNull(positions[index]);
  }

  /** Says what the file is when no vector is there and it is no Puffin file: why, most likely. */
  private RuntimeException explained(RuntimeException failure, int index) {
    Container foreign = facts == null ? null : facts.get(index).foreign();
    return failure instanceof PuffinFormatException e && foreign != null
        ? new PuffinFormatException(
            e.reason(), e.getMessage() + "; its file is " + foreign.description(), e)
        : failure;
  }

  /**
   * Returns what the footer says of a vector.
   *
   * @throws RuntimeException why the footer was not read
   */
  FooterFacts facts(int index) {
    if (footerFailure != null) {
      throw footerFailure;
    }
    return requireNonNull(facts).get(index);
  }

  /** Returns the footer if it was read, and kept. */
  @Nullable FooterIndex footer() {
    return footer;
  }

  /** Returns why the footer was not read, or null. */
  @Nullable RuntimeException footerFailure() {
    return footerFailure;
  }

  private void readFile(Executor threads) {
    OptionalLong end = plausibleEnd();
    RuntimeException failure = pass(end, threads);
    if (failure == null ? isFooterMissing() : isEndWrong(failure, end)) {
      failPastEnd();
      failure = pass(OptionalLong.of(file.getLength()), threads);
    }
    if (failure != null) {
      fail(failure);
    }
  }

  /** Returns where the file ends as far as is believed: not before the end of a vector. */
  private OptionalLong plausibleEnd() {
    if (!isFooterMissing()) {
      return OptionalLong.empty();
    }
    long end = file.hintedLength();
    for (ByteRange vector : vectors) {
      if (vector.end() > end) {
        return OptionalLong.empty();
      }
    }
    return OptionalLong.of(end);
  }

  private boolean isFooterMissing() {
    return footerWanted && facts == null;
  }

  /**
   * Reads what is missing of a file that ends at {@code end}, and of its footer if that is known.
   *
   * @return what kept it from reading all, or null
   */
  private @Nullable RuntimeException pass(OptionalLong end, Executor threads) {
    try {
      fetch(end, threads);
      if (isFooterMissing() && end.isPresent()) {
        use(footers.read(tail, end.getAsLong()));
      }
      return null;
    } catch (RuntimeException e) {
      return e;
    } finally {
      tail = new byte[0];
    }
  }

  private void fetch(OptionalLong end, Executor threads) {
    List<Integer> missing = missing();
    List<ByteRange> wanted = new ArrayList<>(missing.size() + 1);
    missing.forEach(index -> wanted.add(vectors.get(index)));
    if (isFooterMissing() && end.isPresent()) {
      ByteRange last = lastRequest(wanted, end.getAsLong());
      wanted.removeIf(vector -> vector.offset() >= last.offset());
      wanted.add(last);
      fetch(wanted, threads, bytes -> takeWithTail(missing, last, bytes));
    } else {
      fetch(wanted, threads, bytes -> missing.forEach(index -> decode(index, next(bytes))));
    }
  }

  /**
   * Returns the request that brings the tail of the file. It may well bring vectors before it, and
   * more of a footer than is in the tail.
   */
  private ByteRange lastRequest(List<ByteRange> wanted, long end) {
    List<ByteRange> requests = requestsWithTail(wanted, end);
    return requests.isEmpty() ? footers.tail(end) : requests.get(requests.size() - 1);
  }

  private void fetch(
      List<ByteRange> wanted, Executor threads, Consumer<Iterator<byte[]>> consumer) {
    if (wanted.size() == 1) {
      // As most reads of a single vector do, which no plan makes cheaper.
      consumer.accept(List.of(ranges.read(wanted.get(0))).iterator());
      return;
    }
    try (CloseableIterable<byte[]> all = ranges.readAll(wanted, threads)) {
      consumer.accept(all.iterator());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Takes vectors that lie before the last request, and then those in it. */
  private void takeWithTail(List<Integer> missing, ByteRange last, Iterator<byte[]> bytes) {
    for (int index : missing) {
      if (vectors.get(index).offset() < last.offset()) {
        decode(index, next(bytes));
      }
    }
    tail = next(bytes);
    for (int index : missing) {
      ByteRange vector = vectors.get(index);
      if (vector.offset() >= last.offset()) {
        checkNotCancelled();
        int start = (int) (vector.offset() - last.offset());
        decode(index, Arrays.copyOfRange(tail, start, start + (int) vector.length()));
      }
    }
  }

  private byte[] next(Iterator<byte[]> bytes) {
    checkNotCancelled();
    return bytes.next();
  }

  private void checkNotCancelled() {
    if (cancelled) {
      throw new CancellationException("The read of " + file.location() + " was cancelled");
    }
  }

  private void decode(int index, byte[] blob) {
    try {
      positions[index] = DeletionVectorCodec.decodeOwned(blob);
    } catch (PuffinFormatException e) {
      failures[index] = e;
    }
  }

  private void use(FooterIndex found) {
    List<FooterFacts> ofVectors = new ArrayList<>(vectors.size());
    vectors.forEach(vector -> ofVectors.add(found.at(vector)));
    facts = ofVectors;
    footer = keep.test(found) ? found : null;
  }

  /** Tells whether what went wrong comes of where the file was believed to end. */
  private boolean isEndWrong(RuntimeException failure, OptionalLong end) {
    return failure instanceof PuffinFormatException
        && (end.isEmpty() || end.getAsLong() != file.getLength());
  }

  /** Fails the vectors that do not lie in the file. */
  private void failPastEnd() {
    long end = file.getLength();
    for (int index : missing()) {
      if (vectors.get(index).end() > end) {
        failures[index] =
            new PuffinFormatException(
                Reason.BLOB_RANGE, "its file " + file.location() + " ends at " + end);
      }
    }
  }

  private List<Integer> missing() {
    List<Integer> missing = new ArrayList<>();
    for (int i = 0; i < positions.length; i++) {
      if (positions[i] == null && failures[i] == null) {
        missing.add(i);
      }
    }
    return missing;
  }

  private void fail(RuntimeException failure) {
    missing().forEach(index -> failures[index] = failure);
    if (isFooterMissing()) {
      footerFailure = failure;
    }
  }

  /** Closes the streams. What was read stays good when that fails. */
  private void close() {
    try {
      ranges.close();
    } catch (RuntimeException e) {
      // Nothing more is asked of the streams, and what they gave carries its own checksum.
    }
  }
}
