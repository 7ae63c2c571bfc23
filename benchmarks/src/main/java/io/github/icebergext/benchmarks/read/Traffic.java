package io.github.icebergext.benchmarks.read;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** What was asked of a store. Thread-safe. */
final class Traffic {
  private final AtomicLong requests = new AtomicLong();
  private final AtomicLong bytes = new AtomicLong();
  private final AtomicLong lengths = new AtomicLong();
  private final AtomicInteger underWay = new AtomicInteger();
  private final AtomicInteger mostUnderWay = new AtomicInteger();

  void begin(long newBytes) {
    requests.incrementAndGet();
    bytes.addAndGet(newBytes);
    mostUnderWay.accumulateAndGet(underWay.incrementAndGet(), Math::max);
  }

  void end() {
    underWay.decrementAndGet();
  }

  void lengthAsked() {
    lengths.incrementAndGet();
  }

  /** Returns the number of ranges asked for. */
  long requests() {
    return requests.get();
  }

  /** Returns how many bytes the ranges have together. */
  long bytes() {
    return bytes.get();
  }

  /** Returns how often the length of a file was asked for. */
  long lengths() {
    return lengths.get();
  }

  /** Returns the most requests that were under way at the same time. */
  long mostUnderWay() {
    return mostUnderWay.get();
  }
}
