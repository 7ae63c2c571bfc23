package io.github.icebergext.bundle;

import io.github.icebergext.puffin.PuffinFileReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;

/** The packaged jar, as it stands on the class path of the tests. */
final class DropInJar {
  static final String PACKAGE = "io.github.icebergext.";
  static final String SHADED = PACKAGE + "shaded.";

  private DropInJar() {}

  static Path path() {
    try {
      return Path.of(
          PuffinFileReader.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  static List<String> entries() {
    try (JarFile jar = new JarFile(path().toFile())) {
      return jar.stream()
          .filter(entry -> !entry.isDirectory())
          .map(ZipEntry::getName)
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static List<String> classNames() {
    return entries().stream()
        .filter(entry -> entry.endsWith(".class") && !entry.endsWith("package-info.class"))
        .map(entry -> entry.substring(0, entry.length() - ".class".length()).replace('/', '.'))
        .toList();
  }

  /** Loads a class without running its initialiser. */
  static Class<?> load(String name) {
    try {
      return Class.forName(name, false, DropInJar.class.getClassLoader());
    } catch (ClassNotFoundException e) {
      throw new AssertionError("Cannot load " + name, e);
    }
  }
}
