package io.github.icebergext.dv.internal;

import io.github.icebergext.puffin.Container;
import java.util.List;
import org.apache.iceberg.puffin.BlobMetadata;
import org.jspecify.annotations.Nullable;

/**
 * What the end of a file says of some of its bytes.
 *
 * @param blobs the blobs at exactly these bytes: none, one, or several that share them
 * @param foreign what the file is if it is no Puffin file and has no footer, or null
 */
public record FooterFacts(List<BlobMetadata> blobs, @Nullable Container foreign) {
  /** Objects, lists and map entries of one blob, about. */
  private static final int OVERHEAD = 400;

  /** Returns what the facts hold in memory, in bytes, about. */
  public long bytes() {
    return blobs.stream().mapToLong(FooterFacts::bytes).sum();
  }

  public static long bytes(BlobMetadata blob) {
    long characters = blob.type().length();
    for (String text : blob.properties().values()) {
      characters += text.length();
    }
    return OVERHEAD + characters;
  }
}
