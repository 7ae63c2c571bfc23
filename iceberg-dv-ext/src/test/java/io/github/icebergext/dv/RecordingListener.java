package io.github.icebergext.dv;

import io.github.icebergext.puffin.ByteRange;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Keeps what a reader tells. */
final class RecordingListener implements ReadListener {
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

  List<ByteRange> requests() {
    return requests;
  }

  List<DeletionVectorIdentity> cachedVectors() {
    return cachedVectors;
  }

  List<String> cachedFooters() {
    return cachedFooters;
  }

  List<ReadWarning> warnings() {
    return warnings;
  }
}
