package io.github.icebergext.puffin;

import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps what another listener throws from a read. Thread-safe. */
final class SafeListener implements RequestListener {
  private static final Logger LOG = LoggerFactory.getLogger(SafeListener.class);

  private final RequestListener listener;
  private final AtomicBoolean failed = new AtomicBoolean();

  SafeListener(RequestListener listener) {
    this.listener = listener;
  }

  @Override
  public void requested(String location, ByteRange range) {
    try {
      listener.requested(location, range);
    } catch (RuntimeException e) {
      if (failed.compareAndSet(false, true)) {
        LOG.warn("Request listener failed, further failures are not logged", e);
      }
    }
  }
}
