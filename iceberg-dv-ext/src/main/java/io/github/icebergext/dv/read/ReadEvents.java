package io.github.icebergext.dv.read;

import io.github.icebergext.dv.DeletionVectorIdentity;
import io.github.icebergext.puffin.ByteRange;
import io.github.icebergext.puffin.Reason;
import io.github.icebergext.puffin.RequestListener;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells a listener and the log what happens: the listener everything, the log each kind of warning
 * once a file. Keeps what a listener throws from the read. Thread-safe.
 */
final class ReadEvents implements RequestListener {
  private static final Logger LOG = LoggerFactory.getLogger(DeletionVectorReader.class);

  /** How many warnings are remembered, so that a long-lived reader does not grow. */
  private static final int MAX_REMEMBERED = 1000;

  private final ReadListener listener;
  private final AtomicBoolean listenerFailed = new AtomicBoolean();
  private final Map<Logged, Boolean> logged =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Logged, Boolean> eldest) {
          return size() > MAX_REMEMBERED;
        }
      };

  private record Logged(String location, Reason reason) {}

  ReadEvents(ReadListener listener) {
    this.listener = listener;
  }

  @Override
  public void requested(String location, ByteRange range) {
    tell(() -> listener.requested(location, range));
  }

  void vectorFromCache(DeletionVectorIdentity identity) {
    tell(() -> listener.vectorFromCache(identity));
  }

  void footerFromCache(String location) {
    tell(() -> listener.footerFromCache(location));
  }

  void warned(VectorTarget target, Reason reason, String complaint) {
    ReadWarning warning =
        new ReadWarning(
            target.identity(), target.expectations().referencedDataFile(), reason, complaint);
    tell(() -> listener.warned(warning));
    if (isNew(new Logged(target.identity().location(), reason))) {
      LOG.warn(
          "Applied {} although {}; more of this kind in the same file are not logged",
          target.description(),
          complaint);
    }
  }

  private synchronized boolean isNew(Logged warning) {
    return logged.put(warning, true) == null;
  }

  private void tell(Runnable event) {
    try {
      event.run();
    } catch (RuntimeException e) {
      if (listenerFailed.compareAndSet(false, true)) {
        LOG.warn("Read listener failed; further failures are not logged", e);
      }
    }
  }
}
