package io.github.icebergext.cli.file;

import io.github.icebergext.cli.text.Json;
import io.github.icebergext.puffin.ByteRange;
import org.jspecify.annotations.Nullable;

/**
 * Where a deletion vector is.
 *
 * @param index which one it is: of a Puffin file the index of its blob, else its place among the
 *     file's vectors; null if it was named by offset and length
 * @param range its bytes
 * @param referencedDataFile the data file, as the footer says; null if no footer says it
 */
public record VectorPlace(
    @Nullable Integer index, ByteRange range, @Nullable String referencedDataFile) {
  Json.Members toJson() {
    return Json.object()
        .put("index", index)
        .put("offset", range.offset())
        .put("length", range.length())
        .put("referencedDataFile", referencedDataFile);
  }
}
