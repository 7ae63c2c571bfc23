package io.github.icebergext.cli;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;
import org.apache.iceberg.IcebergBuild;
import picocli.CommandLine.IVersionProvider;

/** What {@code --version} prints. */
final class Version implements IVersionProvider {
  @Override
  public String[] getVersion() throws IOException {
    Properties build = new Properties();
    try (InputStream in = Version.class.getResourceAsStream("build.properties")) {
      build.load(in);
    }
    return new String[] {
      "icedv "
          + build.getProperty("version")
          + " (Apache Iceberg "
          + IcebergBuild.version()
          + ", Java "
          + Runtime.version().feature()
          + ")"
    };
  }
}
