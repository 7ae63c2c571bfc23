package io.github.icebergext.testing;

import io.github.icebergext.dv.DeletionVectorIdentity;
import io.github.icebergext.dv.read.ReadListener;
import io.github.icebergext.dv.read.ReadWarning;
import io.github.icebergext.puffin.ByteRange;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Keeps what a reader tells. */
public final class RecordingListener implements ReadListener {
  private final List<ByteRange> requests = new CopyOnWriteArrayList<>();
  private final List<DeletionVectorIdentity> cachedVectors = new CopyOnWriteArrayList<>();
  private final List<String> cachedFooters = new CopyOnWriteArrayList<>();
  private final List<ReadWarning> warnings = new CopyOnWriteArrayList<>();

  @Override
  public void requested(String location, ByteRange range) {
    requests.add(range);
  }

  @Override
  public void vectorFromCache(DeletionVectorIdentity identity) {
    cachedVectors.add(identity);
  }

  @Override
  public void footerFromCache(String location) {
    cachedFooters.add(location);
  }

  @Override
  public void warned(ReadWarning warning) {
    warnings.add(warning);
  }

  public List<ByteRange> requests() {
    return requests;
  }

  public List<DeletionVectorIdentity> cachedVectors() {
    return cachedVectors;
  }

  public List<String> cachedFooters() {
    return cachedFooters;
  }

  public List<ReadWarning> warnings() {
    return warnings;
  }
}
