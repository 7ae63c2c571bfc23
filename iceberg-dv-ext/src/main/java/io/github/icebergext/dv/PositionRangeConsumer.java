package io.github.icebergext.dv;

/** Takes half-open ranges of positions. */
@FunctionalInterface
public interface PositionRangeConsumer {
  /** Takes the positions from {@code startInclusive} to {@code endExclusive}. */
  void accept(long startInclusive, long endExclusive);
}
