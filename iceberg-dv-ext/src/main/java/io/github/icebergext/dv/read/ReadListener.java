package io.github.icebergext.dv.read;

import io.github.icebergext.dv.DeletionVectorIdentity;
import io.github.icebergext.puffin.ByteRange;
import io.github.icebergext.puffin.RequestListener;

/**
 * Is told what reading vectors costs and what is odd about them, for a host's metrics and reports.
 *
 * <p>Called in whichever thread does the work: implementations are thread-safe and quick. What a
 * listener throws is logged once a reader and otherwise ignored. Every method does nothing unless
 * overridden.
 */
public interface ReadListener extends RequestListener {
  @Override
  default void requested(String location, ByteRange range) {}

  /** Is called when a vector was found in the {@link DeletionVectorCache}. */
  default void vectorFromCache(DeletionVectorIdentity identity) {}

  /** Is called when a file's footer was found in the {@link FooterCache}. */
  default void footerFromCache(String location) {}

  /** Is called for each vector that is applied although something is wrong with it. */
  default void warned(ReadWarning warning) {}
}
