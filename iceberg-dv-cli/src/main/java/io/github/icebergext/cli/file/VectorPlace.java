package io.github.icebergext.cli.file;

import io.github.icebergext.cli.text.Json;
import io.github.icebergext.puffin.ByteRange;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where a deletion vector is.
 *
 * @param index which one it is: of a Puffin file the index of its blob, else its place among the
 *     file's vectors; null if it was named by offset and length
 * @param range its bytes
 * @param properties what the footer says of it; empty outside Puffin files
 */
public record VectorPlace(
    @Nullable Integer index, ByteRange range, Map<String, String> properties) {
  Json.Members toJson() {
    return Json.object()
        .put("index", index)
        .put("offset", range.offset())
        .put("length", range.length())
        .put("referencedDataFile", referencedDataFile());
  }

  @Nullable String referencedDataFile() {
    return properties.get(BlobFacts.REFERENCED_DATA_FILE);
  }
}
