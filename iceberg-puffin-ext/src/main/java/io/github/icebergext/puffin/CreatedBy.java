package io.github.icebergext.puffin;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;

/** What stands in the {@code created-by} property unless the caller says otherwise. */
final class CreatedBy {
  /** The library's name, followed by its version unless the jar was stripped of its resources. */
  static final String DEFAULT = ("iceberg-puffin-ext " + version()).strip();

  private CreatedBy() {}

  private static String version() {
    Properties build = new Properties();
    try (InputStream resource = CreatedBy.class.getResourceAsStream("build.properties")) {
      if (resource != null) {
        build.load(resource);
      }
    } catch (IOException e) {
      return "";
    }
    return build.getProperty("version", "");
  }
}
