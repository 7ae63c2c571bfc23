package io.github.icebergext.dv.read;

import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.dv.DeletionVectorIdentity;
import io.github.icebergext.dv.internal.FooterFacts;
import io.github.icebergext.puffin.PuffinLimits;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * How a reader reads: what its single reads and its batches share. Immutable and thread-safe.
 *
 * @param executor lends its threads; null if there are only a reader's own
 * @param parallelism most threads of its own that a batch uses
 * @param vectors looked at before a vector is read, or null
 * @param footers looked at before a footer is read, or null
 */
record ReadContext(
    PuffinLimits limits,
    ReadCheck check,
    VectorFileOpener files,
    VectorCheck checks,
    ReadEvents events,
    @Nullable Executor executor,
    int parallelism,
    @Nullable DeletionVectorCache vectors,
    @Nullable FooterCache footers) {

  /** Returns the threads that help to read a single vector. */
  ReadThreads threadsForOne() {
    return executor == null ? ReadThreads.ofOneEach() : ReadThreads.of(executor);
  }

  /** Returns the threads that help to read a batch, which closes them. */
  ReadThreads threadsForMany() {
    return executor == null ? ReadThreads.ofAtMost(parallelism) : ReadThreads.of(executor);
  }

  /** Returns a vector of the cache that was checked as much as this reader checks, or null. */
  @Nullable CachedVector find(VectorTarget target) {
    CachedVector cached = vectors == null ? null : vectors.find(key(target), check);
    if (cached != null) {
      events.vectorFromCache(target.identity());
    }
    return cached;
  }

  /** Checks a vector of the cache against the entry at hand. */
  DeletedPositions accept(VectorTarget target, CachedVector cached) {
    checks.check(target, cached.positions(), check == ReadCheck.FULL ? cached.facts() : null);
    return cached.positions();
  }

  /**
   * Checks a vector that was read, and puts it into the cache.
   *
   * @param facts null under {@link ReadCheck#ENTRY}
   */
  DeletedPositions accept(
      VectorTarget target, DeletedPositions positions, @Nullable FooterFacts facts) {
    checks.check(target, positions, facts);
    if (vectors != null) {
      FooterFacts verified = facts == null || facts.foreign() != null ? null : facts;
      vectors.put(key(target), new CachedVector(positions, verified));
    }
    return positions;
  }

  /** Returns where the vector really is. */
  private DeletionVectorIdentity key(VectorTarget target) {
    DeletionVectorIdentity identity = target.identity();
    return new DeletionVectorIdentity(
        files.location(identity), identity.contentOffset(), identity.contentSizeInBytes());
  }
}
