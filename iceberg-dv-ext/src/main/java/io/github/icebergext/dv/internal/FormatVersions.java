package io.github.icebergext.dv.internal;

import io.github.icebergext.dv.InvalidDeletionVectorException;
import io.github.icebergext.puffin.Reason;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableUtil;

/** The table format versions that this library reads and writes. */
public final class FormatVersions {
  /** The first version with deletion vectors, and the last that keeps them in delete manifests. */
  private static final int VECTORS = 3;

  private FormatVersions() {}

  /** Refuses tables whose deletes this library would not find. */
  public static void checkReadable(Table table) {
    checkReadable(table.name(), TableUtil.formatVersion(table));
  }

  public static void checkReadable(String tableName, int version) {
    if (version > VECTORS) {
      throw unsupported("read deletes of", tableName, version, "at most " + VECTORS);
    }
  }

  /** Refuses tables that must not be given deletion vectors, or not by this library. */
  public static void checkWritable(Table table) {
    checkWritable(table.name(), TableUtil.formatVersion(table));
  }

  public static void checkWritable(String tableName, int version) {
    if (version != VECTORS) {
      throw unsupported("write deletion vectors of", tableName, version, "" + VECTORS);
    }
  }

  private static InvalidDeletionVectorException unsupported(
      String action, String tableName, int version, String expected) {
    return new InvalidDeletionVectorException(
        Reason.FORMAT_VERSION,
        "Cannot "
            + action
            + " table "
            + tableName
            + ": its format version is "
            + version
            + ", expected "
            + expected);
  }
}
