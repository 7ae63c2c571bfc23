package io.github.icebergext.dv.write;

import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.dv.InvalidDeletionVectorException;
import io.github.icebergext.dv.read.ReadVector;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.iceberg.io.CloseableIterable;

/** Writes the vectors of many data files: all of them, or none. */
final class VectorFlush {
  private final WriteContext context;
  private final List<FlushedVector> flushed = new ArrayList<>();

  private VectorFlush(WriteContext context) {
    this.context = context;
  }

  /**
   * Writes new deletes together with those there are. The old ones are read in batches while the
   * vectors are written; one is in memory no longer than it takes.
   *
   * @return the vectors in the order of {@code pending}
   */
  static List<FlushedVector> write(
      WriteContext context, Collection<PendingDeletes> pending, PreviousDeletes previous) {
    return write(
        context, pending.stream().map(deletes -> Replacement.of(deletes, previous)).toList());
  }

  /**
   * Writes new deletes once more, upon deletes that are there now.
   *
   * @throws InvalidDeletionVectorException with {@link
   *     io.github.icebergext.puffin.Reason#SHRUNK_VECTOR} if rows that were deleted before are live
   */
  static List<FlushedVector> rewrite(
      WriteContext context, Collection<FlushedVector> attempts, PreviousDeletes previous) {
    return write(
        context, attempts.stream().map(attempt -> Replacement.of(attempt, previous)).toList());
  }

  /** All that can be refused without a file has been refused by now. */
  private static List<FlushedVector> write(WriteContext context, List<Replacement> replacements) {
    VectorFlush flush = new VectorFlush(context);
    try {
      flush.write(replacements);
    } catch (RuntimeException | Error e) {
      context.deleteUnused(locations(flush.flushed), e);
      throw e;
    }
    return flush.flushed;
  }

  private void write(List<Replacement> replacements) {
    try (RollingPuffinWriter puffins = new RollingPuffinWriter(context, flushed::addAll);
        CloseableIterable<Previous> all = read(context, replacements);
        CloseableIterable<ReadVector> attempts = readAttempts(replacements)) {
      Iterator<ReadVector> attempted = attempts.iterator();
      for (Previous previous : all) {
        previous.writeTo(puffins, context, attempted);
      }
      puffins.finish();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private CloseableIterable<ReadVector> readAttempts(List<Replacement> replacements) {
    return context
        .reader()
        .readAll(
            replacements.stream()
                .flatMap(replacement -> replacement.attemptToCheck().stream())
                .map(attempt -> attempt.entry())
                .toList());
  }

  /** Reads the vectors that replacements need, and returns all replacements in their order. */
  static CloseableIterable<Previous> read(
      WriteContext context, Iterable<Replacement> replacements) {
    return context
        .reader()
        .readEach(replacements, replacement -> replacement.previous().vector(), Previous::new);
  }

  /** Returns the Puffin files that vectors are in, each once. */
  static Set<String> locations(Collection<FlushedVector> files) {
    Set<String> locations = new LinkedHashSet<>();
    files.forEach(file -> locations.add(file.entry().location()));
    return locations;
  }

  /** A replacement and the vector that was read for it, if one had to be. */
  record Previous(Replacement replacement, Optional<DeletedPositions> vector) {
    void writeTo(
        RollingPuffinWriter puffins, WriteContext context, Iterator<ReadVector> attempted) {
      PreviousPositions old = replacement.read(vector, context.positionDeletes());
      if (replacement.attemptToCheck().isPresent()) {
        replacement.checkNothingCameBack(old, attempted.next().positions());
      }
      puffins.write(replacement, old);
    }
  }
}
