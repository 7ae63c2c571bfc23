package io.github.icebergext.dv.read;

import static java.util.Objects.requireNonNull;

import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.dv.internal.FooterFacts;
import io.github.icebergext.dv.internal.FooterIndex;
import io.github.icebergext.puffin.ByteRange;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The vectors of one file in a window, and its footer. Belongs to the thread that iterates. */
final class WindowFile {
  private final BatchContext context;
  private final HintedFile file;
  private final List<ByteRange> vectors;
  private final FileRead read;
  private final FileTask task;
  private final boolean readsFooter;
  private FooterMemo.@Nullable Footer footer;
  private boolean done;
  private @Nullable List<FooterFacts> factsReadAgain;
  private @Nullable RuntimeException failureAgain;

  /**
   * Plans the read of a file.
   *
   * @param vectors the bytes of its vectors, in the order of their offsets
   * @param keep whether its footer is kept for later windows
   */
  WindowFile(
      BatchContext context, HintedFile file, List<ByteRange> vectors, Predicate<FooterIndex> keep) {
    this.context = context;
    this.file = file;
    this.vectors = vectors;
    boolean checked = context.read().check() == ReadCheck.FULL;
    this.footer = checked ? context.memo().find(file.location()) : null;
    this.readsFooter = checked && footer == null;
    this.read = new FileRead(context.read(), file, vectors, readsFooter, keep);
    this.task = new FileTask(read, context.threads());
  }

  /** Has the threads read, if they find the time. */
  void start() {
    if (readsFooter) {
      footer = context.memo().expect(file.location());
    }
    context.threads().execute(task);
  }

  void cancel() {
    task.cancel();
  }

  long plannedBytes() {
    return read.plannedBytes();
  }

  /** Waits for the read, or does it. */
  void join() {
    if (!done) {
      task.join();
      done = true;
      if (readsFooter) {
        requireNonNull(footer).settle(read);
      }
    }
  }

  /**
   * Returns a vector of the file, after {@link #join}.
   *
   * @throws RuntimeException why it was not read
   */
  DeletedPositions positions(int index) {
    return read.positions(index);
  }

  /**
   * Returns what the footer says of a vector, after {@link #join}; null under {@link
   * ReadCheck#ENTRY}.
   *
   * @throws RuntimeException why the footer was not read
   */
  @Nullable FooterFacts facts(int index) {
    if (readsFooter) {
      return read.facts(index);
    }
    if (footer == null) {
      return null;
    }
    FooterIndex kept = footer.index();
    return kept == null ? factsReadAgain().get(index) : kept.at(vectors.get(index));
  }

  /**
   * Reads, once, a footer for which there was no room when an earlier window read it.
   *
   * @throws RuntimeException why it was not read
   */
  private List<FooterFacts> factsReadAgain() {
    if (factsReadAgain == null && failureAgain == null) {
      FileRead again = new FileRead(context.read(), file, List.of(), true, index -> true);
      again.read(context.threads());
      failureAgain = again.footerFailure();
      factsReadAgain =
          failureAgain == null
              ? vectors.stream().map(requireNonNull(again.footer())::at).toList()
              : null;
    }
    if (failureAgain != null) {
      throw failureAgain;
    }
    return requireNonNull(factsReadAgain);
  }
}
