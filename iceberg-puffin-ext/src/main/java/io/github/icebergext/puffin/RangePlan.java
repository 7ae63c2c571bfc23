package io.github.icebergext.puffin;

import static java.util.Comparator.comparingLong;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The requests that fetch some ranges of a file: near ranges share one, empty ranges need none. */
final class RangePlan {
  private static final int FEW = 64;

  private final RangeReader reader;
  private final List<ByteRange> ranges;
  private final List<RangeRequest> requests = new ArrayList<>();
  private final @Nullable RangeRequest[] sources;

  private RangePlan(RangeReader reader, List<ByteRange> ranges) {
    this.reader = reader;
    this.ranges = ranges;
    this.sources = new RangeRequest[ranges.size()];
  }

  static RangePlan of(RangeReader reader, List<ByteRange> ranges) {
    RangePlan plan = new RangePlan(reader, ranges);
    List<Integer> byOffset = new ArrayList<>(ranges.size());
    for (int i = 0; i < ranges.size(); i++) {
      if (ranges.get(i).length() > 0) {
        byOffset.add(i);
      }
    }
    byOffset.sort(comparingLong(i -> ranges.get(i).offset()));
    byOffset.forEach(plan::assign);
    return plan;
  }

  /**
   * Plans the first ranges of a list that is not empty: as many as their requests fit {@code
   * maxBytes}, but at least one. The count is found by doubling and halving steps, since what a
   * further range costs depends on what lies near it; few ranges mostly fit at once.
   */
  static RangePlan ofFirst(RangeReader reader, List<ByteRange> ranges, long maxBytes) {
    RangePlan fitting = of(reader, ranges.subList(0, Math.min(FEW, ranges.size())));
    if (fitting.bytes() > maxBytes) {
      fitting = of(reader, ranges.subList(0, 1));
    }
    int step = fitting.size();
    while (step > 0 && fitting.size() < ranges.size()) {
      int count = Math.min(fitting.size() + step, ranges.size());
      RangePlan larger = of(reader, ranges.subList(0, count));
      if (larger.bytes() <= maxBytes) {
        fitting = larger;
        step *= 2;
      } else {
        step /= 2;
      }
    }
    return fitting;
  }

  private void assign(int index) {
    ByteRange range = ranges.get(index);
    RangeRequest last = requests.isEmpty() ? null : requests.get(requests.size() - 1);
    if (last == null || !last.absorb(range, reader.limits())) {
      last = new RangeRequest(reader, range);
      requests.add(last);
    }
    sources[index] = last;
  }

  /** Returns the number of ranges planned. */
  int size() {
    return sources.length;
  }

  /** Returns the requests, in the order of their offsets. */
  List<RangeRequest> requests() {
    return requests;
  }

  /** Returns the request that fetches a range, or null when the range is empty. */
  @Nullable RangeRequest source(int index) {
    return sources[index];
  }

  /** Returns how many bytes the requests ask for together. */
  long bytes() {
    long sum = 0;
    for (RangeRequest request : requests) {
      sum += request.range().length();
    }
    return sum;
  }
}
