package io.github.icebergext.cli.table;

import io.github.icebergext.cli.text.Json;
import org.apache.iceberg.DeleteFile;
import org.jspecify.annotations.Nullable;

/** What is said of the entry of a deletion vector, wherever one is named. */
public final class VectorEntry {
  private VectorEntry() {}

  /** Returns where the vector is, and how many rows it deletes. */
  public static Json.Members toJson(DeleteFile entry) {
    return placeJson(entry).put("recordCount", entry.recordCount());
  }

  /** Returns where the vector is. */
  static Json.Members placeJson(DeleteFile entry) {
    return placeJson(entry.location(), entry.contentOffset(), entry.contentSizeInBytes());
  }

  /**
   * Returns where a vector is.
   *
   * @param offset in bytes; null if its entry lacks it
   * @param size in bytes; null if its entry lacks it
   */
  static Json.Members placeJson(String location, @Nullable Long offset, @Nullable Long size) {
    return Json.object()
        .put("location", location)
        .put("contentOffset", offset)
        .put("contentSizeInBytes", size);
  }

  /** Returns the size of the vector in bytes; 0 if its entry lacks it. */
  public static long size(DeleteFile entry) {
    Long size = entry.contentSizeInBytes();
    return size == null ? 0 : size;
  }
}
