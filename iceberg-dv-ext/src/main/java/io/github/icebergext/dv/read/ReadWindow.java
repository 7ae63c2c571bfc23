package io.github.icebergext.dv.read;

import static java.util.Comparator.comparingLong;
import static java.util.Objects.requireNonNull;

import io.github.icebergext.dv.internal.FooterIndex;
import io.github.icebergext.puffin.ByteRange;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Items whose vectors are read together, file by file. Belongs to the thread that iterates. */
final class ReadWindow<T> {
  private final Queue<BatchItem<T>> slots;
  private final List<WindowFile> files = new ArrayList<>();
  private long bytes;

  private ReadWindow(List<BatchItem<T>> slots) {
    this.slots = new ArrayDeque<>(slots);
  }

  /** Plans the reads; nothing is opened. Equal vectors are read once. */
  static <T> ReadWindow<T> of(List<BatchItem<T>> slots, BatchContext context) {
    Map<String, Map<ByteRange, List<BatchItem<T>>>> byFile = new LinkedHashMap<>();
    String last = "";
    for (BatchItem<T> slot : slots) {
      VectorRequest request = slot.unread();
      if (request != null) {
        last = context.read().files().location(request.target().identity());
        byFile
            .computeIfAbsent(last, location -> new LinkedHashMap<>())
            .computeIfAbsent(request.target().range(), range -> new ArrayList<>(1))
            .add(slot);
      }
    }
    ReadWindow<T> window = new ReadWindow<>(slots);
    for (String location : byFile.keySet()) {
      // More vectors of the last file may come in the next window.
      Predicate<FooterIndex> keep =
          location.equals(last) ? context.memo()::claim : context.memo()::reserve;
      window.plan(requireNonNull(byFile.get(location)), keep, context);
    }
    return window;
  }

  private void plan(
      Map<ByteRange, List<BatchItem<T>>> vectors,
      Predicate<FooterIndex> keep,
      BatchContext context) {
    List<ByteRange> ranges =
        vectors.keySet().stream().sorted(comparingLong(ByteRange::offset)).toList();
    HintedFile file = open(vectors.values(), context.read());
    if (file == null) {
      return;
    }
    WindowFile batch = new WindowFile(context, file, ranges, keep);
    files.add(batch);
    bytes += batch.plannedBytes();
    for (int i = 0; i < ranges.size(); i++) {
      for (BatchItem<T> slot : requireNonNull(vectors.get(ranges.get(i)))) {
        slot.readFrom(batch, i);
      }
    }
  }

  /** Opens a file as its first entry says, or fails all that are in it and returns null. */
  private @Nullable HintedFile open(Collection<List<BatchItem<T>>> vectors, ReadContext context) {
    try {
      VectorRequest first = requireNonNull(vectors.iterator().next().get(0).unread());
      return context.files().open(first.deleteFile(), first.entry());
    } catch (RuntimeException e) {
      vectors.forEach(same -> same.forEach(slot -> slot.fail(e)));
      return null;
    }
  }

  void start() {
    files.forEach(WindowFile::start);
  }

  void cancel() {
    files.forEach(WindowFile::cancel);
  }

  /** Returns the items not handed out yet, in their order. */
  Queue<BatchItem<T>> slots() {
    return slots;
  }

  /** Returns how many bytes the reads ask for, and thus the window holds, at most. */
  long bytes() {
    return bytes;
  }
}
