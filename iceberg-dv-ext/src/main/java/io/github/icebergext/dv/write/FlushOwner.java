package io.github.icebergext.dv.write;

import java.util.List;
import java.util.function.Supplier;

/** Whoever flushed, and has to know what became of it. */
interface FlushOwner {
  /**
   * Goes on from what was committed.
   *
   * @param now finds the deletes there are now, when they are needed
   */
  void committed(Supplier<PreviousDeletes> now);

  /** Takes back what is not going to be committed; its Puffin files are no more. */
  void discarded(List<FlushedVector> files);
}
