package io.github.icebergext.dv;

/** Passes ranges on with those that touch joined, as those of neighbouring containers may. */
final class RangeJoiner implements PositionRangeConsumer {
  private final PositionRangeConsumer target;
  private long start;
  private long end;

  RangeJoiner(PositionRangeConsumer target) {
    this.target = target;
  }

  @Override
  public void accept(long startInclusive, long endExclusive) {
    if (startInclusive != end) {
      flush();
      start = startInclusive;
    }
    end = endExclusive;
  }

  /** Passes the last range. */
  void flush() {
    if (start != end) {
      target.accept(start, end);
    }
    start = end;
  }
}
