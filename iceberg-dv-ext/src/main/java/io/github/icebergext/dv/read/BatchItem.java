package io.github.icebergext.dv.read;

import static java.util.Objects.requireNonNull;

import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.dv.internal.FooterFacts;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The place of an item in a batch. Belongs to the thread that iterates. */
final class BatchItem<T> {
  private final T item;
  private final @Nullable VectorRequest request;
  private final @Nullable CachedVector cached;
  private @Nullable RuntimeException failure;
  private @Nullable WindowFile file;
  private int index;

  private BatchItem(
      T item,
      @Nullable VectorRequest request,
      @Nullable CachedVector cached,
      @Nullable RuntimeException failure) {
    this.item = item;
    this.request = request;
    this.cached = cached;
    this.failure = failure;
  }

  /** Checks all of an item that needs no storage. */
  static <T> BatchItem<T> of(
      T item, Function<T, Optional<VectorRequest>> requests, ReadContext context) {
    try {
      VectorRequest request = requests.apply(item).orElse(null);
      CachedVector cached = request == null ? null : context.find(request.target());
      return new BatchItem<>(item, request, cached, null);
    } catch (RuntimeException e) {
      return new BatchItem<>(item, null, null, e);
    }
  }

  T item() {
    return item;
  }

  /** Returns the vector to be read for the item, or null if there is none to be read. */
  @Nullable VectorRequest unread() {
    return cached == null ? request : null;
  }

  /** Says why the vector cannot be read. */
  void fail(RuntimeException newFailure) {
    this.failure = requireNonNull(request).target().named(newFailure);
  }

  /** Says where the vector is read. */
  void readFrom(WindowFile newFile, int newIndex) {
    this.file = newFile;
    this.index = newIndex;
  }

  /** Waits for the vector, or reads it. */
  void join() {
    if (file != null) {
      file.join();
    }
  }

  /**
   * Returns the item's vector, checked, after {@link #join}; empty if it has none.
   *
   * @throws RuntimeException why it was not read, or what is wrong with it
   */
  Optional<DeletedPositions> vector(ReadContext context) {
    if (failure != null) {
      throw failure;
    }
    if (request == null) {
      return Optional.empty();
    }
    VectorTarget target = request.target();
    return Optional.of(cached == null ? read(target, context) : context.accept(target, cached));
  }

  private DeletedPositions read(VectorTarget target, ReadContext context) {
    WindowFile source = requireNonNull(file);
    DeletedPositions positions;
    FooterFacts facts;
    try {
      positions = source.positions(index);
      facts = source.facts(index);
    } catch (RuntimeException e) {
      throw target.named(e);
    }
    return context.accept(target, positions, facts);
  }
}
