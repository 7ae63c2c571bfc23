package io.github.icebergext.dv.read;

import io.github.icebergext.dv.DeletedPositions;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.apache.iceberg.io.CloseableGroup;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.CloseableIterator;

/**
 * Items and what is done with their vectors, anew by every iterator.
 *
 * @param <T> type of the items
 * @param <R> type of the results
 */
final class BatchRead<T, R> extends CloseableGroup implements CloseableIterable<R> {
  private final ReadContext context;
  private final Iterable<T> items;
  private final Function<T, Optional<VectorRequest>> requests;
  private final BiFunction<T, Optional<DeletedPositions>, R> results;
  private final BiConsumer<? super T, ? super RuntimeException> failures;

  /**
   * Creates a batch; nothing is read.
   *
   * @param requests what an item asks for, if anything
   * @param results what becomes of an item and its vector
   * @param failures told of items whose vector was not read; what it throws ends the iteration
   */
  BatchRead(
      ReadContext context,
      Iterable<T> items,
      Function<T, Optional<VectorRequest>> requests,
      BiFunction<T, Optional<DeletedPositions>, R> results,
      BiConsumer<? super T, ? super RuntimeException> failures) {
    this.context = context;
    this.items = items;
    this.requests = requests;
    this.results = results;
    this.failures = failures;
  }

  @Override
  public CloseableIterator<R> iterator() {
    BatchIterator<T, R> iterator = new BatchIterator<>(this, context, items.iterator());
    addCloseable(iterator);
    return iterator;
  }

  /** Returns the place of an item, after all checks that need no storage. */
  BatchItem<T> slot(T item) {
    return BatchItem.of(item, requests, context);
  }

  /** Returns the result of a place, or nothing if it failed and the iteration goes on. */
  Optional<R> result(BatchItem<T> slot) {
    Optional<DeletedPositions> vector;
    try {
      vector = slot.vector(context);
    } catch (RuntimeException e) {
      failures.accept(slot.item(), e);
      return Optional.empty();
    }
    return Optional.of(results.apply(slot.item(), vector));
  }
}
