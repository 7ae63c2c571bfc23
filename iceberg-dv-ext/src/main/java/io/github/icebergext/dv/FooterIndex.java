package io.github.icebergext.dv;

import io.github.icebergext.puffin.ByteRange;
import io.github.icebergext.puffin.PuffinFooter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.puffin.BlobMetadata;

/** The blobs of a Puffin file by their bytes. Immutable and thread-safe. */
final class FooterIndex {
  /** Objects, lists and map entries of one blob, about. */
  private static final int BLOB_OVERHEAD = 400;

  private final Map<ByteRange, List<BlobMetadata>> blobs = new HashMap<>();
  private final long bytes;

  FooterIndex(PuffinFooter footer) {
    long sum = BLOB_OVERHEAD;
    for (BlobMetadata blob : footer.blobs()) {
      blobs
          .computeIfAbsent(new ByteRange(blob.offset(), blob.length()), range -> new ArrayList<>(1))
          .add(blob);
      sum += bytes(blob);
    }
    this.bytes = sum;
  }

  /** Returns the blobs at exactly these bytes: none, one, or several that share them. */
  List<BlobMetadata> at(ByteRange range) {
    return List.copyOf(blobs.getOrDefault(range, List.of()));
  }

  /** Returns what the index holds in memory, in bytes, about. */
  long bytes() {
    return bytes;
  }

  static long bytes(BlobMetadata blob) {
    long characters = blob.type().length();
    for (Map.Entry<String, String> property : blob.properties().entrySet()) {
      characters += property.getKey().length() + property.getValue().length();
    }
    return BLOB_OVERHEAD + characters + 8L * blob.inputFields().size();
  }
}
