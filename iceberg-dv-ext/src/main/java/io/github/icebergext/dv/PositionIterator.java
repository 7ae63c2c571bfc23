package io.github.icebergext.dv;

import java.util.Arrays;
import java.util.NoSuchElementException;
import java.util.PrimitiveIterator;

/** Walks the positions of a vector, one container's bits at a time. */
final class PositionIterator implements PrimitiveIterator.OfLong {
  private final Containers containers;
  private final long[] bits = new long[Bits.CONTAINER_WORDS];
  private int index = -1;
  private int low = Containers.SPAN;

  PositionIterator(Containers containers) {
    this.containers = containers;
    advance();
  }

  /** Moves to the next value; containers are not empty. */
  private void advance() {
    low = Bits.next(bits, low);
    if (low == Containers.SPAN && ++index < containers.count) {
      Arrays.fill(bits, 0);
      containers.view(index).flip(0, Containers.SPAN, bits, 0);
      low = Bits.next(bits, 0);
    }
  }

  @Override
  public boolean hasNext() {
    return index < containers.count;
  }

  @Override
  public long nextLong() {
    if (!hasNext()) {
      throw new NoSuchElementException("No position is left");
    }
    long position = containers.base(index) + low;
    low++;
    advance();
    return position;
  }
}
