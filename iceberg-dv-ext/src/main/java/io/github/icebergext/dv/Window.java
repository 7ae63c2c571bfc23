package io.github.icebergext.dv;

import static java.util.Comparator.comparingLong;
import static java.util.Objects.requireNonNull;

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
final class Window<T> {
  private final Queue<Slot<T>> slots;
  private final List<FileBatch> files = new ArrayList<>();
  private long bytes;

  private Window(List<Slot<T>> slots) {
    this.slots = new ArrayDeque<>(slots);
  }

  /** Plans the reads; nothing is opened. Equal vectors are read once. */
  static <T> Window<T> of(List<Slot<T>> slots, BatchContext context) {
    Map<String, Map<ByteRange, List<Slot<T>>>> byFile = new LinkedHashMap<>();
    String last = "";
    for (Slot<T> slot : slots) {
      VectorRequest request = slot.unread();
      if (request != null) {
        last = context.read().files().location(request.target().identity());
        byFile
            .computeIfAbsent(last, location -> new LinkedHashMap<>())
            .computeIfAbsent(request.target().range(), range -> new ArrayList<>(1))
            .add(slot);
      }
    }
    Window<T> window = new Window<>(slots);
    for (String location : byFile.keySet()) {
      // More vectors of the last file may come in the next window.
      Predicate<FooterIndex> keep =
          location.equals(last) ? context.memo()::claim : context.memo()::reserve;
      window.plan(requireNonNull(byFile.get(location)), keep, context);
    }
    return window;
  }

  private void plan(
      Map<ByteRange, List<Slot<T>>> vectors, Predicate<FooterIndex> keep, BatchContext context) {
    List<ByteRange> ranges =
        vectors.keySet().stream().sorted(comparingLong(ByteRange::offset)).toList();
    VectorFile file = open(vectors.values(), context.read());
    if (file == null) {
      return;
    }
    FileBatch batch = new FileBatch(context, file, ranges, keep);
    files.add(batch);
    bytes += batch.plannedBytes();
    for (int i = 0; i < ranges.size(); i++) {
      for (Slot<T> slot : requireNonNull(vectors.get(ranges.get(i)))) {
        slot.readFrom(batch, i);
      }
    }
  }

  /** Opens a file as its first entry says, or fails all that are in it and returns null. */
  private @Nullable VectorFile open(Collection<List<Slot<T>>> vectors, ReadContext context) {
    try {
      VectorRequest first = requireNonNull(vectors.iterator().next().get(0).unread());
      return context.files().open(first.deleteFile(), first.entry());
    } catch (RuntimeException e) {
      vectors.forEach(same -> same.forEach(slot -> slot.fail(e)));
      return null;
    }
  }

  void start() {
    files.forEach(FileBatch::start);
  }

  void cancel() {
    files.forEach(FileBatch::cancel);
  }

  /** Returns the items not handed out yet, in their order. */
  Queue<Slot<T>> slots() {
    return slots;
  }

  /** Returns how many bytes the reads ask for, and thus the window holds, at most. */
  long bytes() {
    return bytes;
  }
}
