package io.github.icebergext.dv.internal;

import io.github.icebergext.puffin.ByteRange;
import io.github.icebergext.puffin.Container;
import io.github.icebergext.puffin.PuffinFooter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.puffin.BlobMetadata;
import org.jspecify.annotations.Nullable;

/**
 * The blobs of a Puffin file by their bytes, or what the file is if it is none. Immutable and
 * thread-safe.
 */
public final class FooterIndex {
  private static final int OVERHEAD = 400;

  private final Map<ByteRange, List<BlobMetadata>> blobs = new HashMap<>();
  private final @Nullable Container foreign;
  private final long bytes;

  private FooterIndex(List<BlobMetadata> all, @Nullable Container foreign) {
    this.foreign = foreign;
    long sum = OVERHEAD;
    for (BlobMetadata blob : all) {
      ByteRange range = new ByteRange(blob.offset(), blob.length());
      blobs.computeIfAbsent(range, bytes -> new ArrayList<>(1)).add(blob);
      sum += FooterFacts.bytes(blob);
    }
    this.bytes = sum;
  }

  public static FooterIndex of(PuffinFooter footer) {
    return new FooterIndex(footer.blobs(), null);
  }

  public static FooterIndex foreign(Container container) {
    return new FooterIndex(List.of(), container);
  }

  /** Returns what is known of exactly these bytes. */
  public FooterFacts at(ByteRange range) {
    return new FooterFacts(List.copyOf(blobs.getOrDefault(range, List.of())), foreign);
  }

  boolean isPuffin() {
    return foreign == null;
  }

  /** Returns what the index holds in memory, in bytes, about. */
  public long bytes() {
    return bytes;
  }
}
