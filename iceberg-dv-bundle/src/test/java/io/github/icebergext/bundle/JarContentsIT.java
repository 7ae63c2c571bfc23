package io.github.icebergext.bundle;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarFile;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/** What is in the packaged jar, and what is not. */
class JarContentsIT {
  @Test
  void testsSeeThePackagedJar() {
    assertThat(DropInJar.path().getFileName().toString())
        .startsWith("iceberg-dv-bundle-")
        .endsWith(".jar");
  }

  @Test
  void holdsNoClassOutsideItsOwnPackage() {
    assertThat(DropInJar.classNames())
        .isNotEmpty()
        .allMatch(name -> name.startsWith(DropInJar.PACKAGE));
  }

  @Test
  void holdsBothLibrariesAndWhatTheyNeed() {
    assertThat(DropInJar.entries())
        .contains(
            "io/github/icebergext/puffin/PuffinFileReader.class",
            "io/github/icebergext/dv/DeletedPositions.class",
            "io/github/icebergext/shaded/caffeine/cache/Cache.class",
            "io/github/icebergext/shaded/jackson/JsonParser.class",
            "io/github/icebergext/shaded/lz4/lz4/LZ4Factory.class",
            "io/github/icebergext/shaded/aircompressor/zstd/ZstdDecompressor.class");
  }

  /** The licences of relocated code stay; what speaks of the jars it came in does not. */
  @Test
  void holdsNoOtherMetadataThanLicencesAndNotices() {
    assertThat(DropInJar.entries())
        .filteredOn(entry -> !entry.startsWith("io/github/icebergext/"))
        .containsExactly(
            "META-INF/FastDoubleParser-LICENSE",
            "META-INF/FastDoubleParser-ThirdParty-LICENSE",
            "META-INF/LICENSE",
            "META-INF/MANIFEST.MF",
            "META-INF/NOTICE",
            "META-INF/Schubfach-LICENSE");
  }

  @Test
  void noticeNamesWhatTheJarHoldsAndKeepsTheirNotices() throws IOException {
    assertThat(text("META-INF/NOTICE"))
        .contains("aircompressor", "lz4-java", "Caffeine", "Jackson core")
        .contains("It was originally written by Tatu Saloranta");
  }

  @Test
  void licenceIsApache() throws IOException {
    assertThat(text("META-INF/LICENSE")).contains("Apache License", "Version 2.0, January 2004");
  }

  @Test
  void manifestNamesTheModuleAndNoOtherVersionsOfClasses() throws IOException {
    try (JarFile jar = new JarFile(DropInJar.path().toFile())) {
      assertThat(jar.getManifest().getMainAttributes().getValue("Automatic-Module-Name"))
          .isEqualTo("io.github.icebergext.bundle");
      assertThat(jar.isMultiRelease()).isFalse();
    }
  }

  @Test
  void publishedPomAsksForNothing() throws Exception {
    Path pom = Path.of(System.getProperty("basedir", "."), "dependency-reduced-pom.xml");
    List<String> needed = new ArrayList<>();
    try (InputStream in = Files.newInputStream(pom)) {
      NodeList dependencies =
          DocumentBuilderFactory.newInstance()
              .newDocumentBuilder()
              .parse(in)
              .getElementsByTagName("dependency");
      for (int i = 0; i < dependencies.getLength(); i++) {
        Element dependency = (Element) dependencies.item(i);
        String scope = child(dependency, "scope");
        if (!scope.equals("test")) {
          needed.add(child(dependency, "artifactId") + " " + scope);
        }
      }
    }
    assertThat(needed).containsExactlyInAnyOrder("iceberg-core provided", "jspecify provided");
  }

  private static String child(Element element, String name) {
    NodeList children = element.getElementsByTagName(name);
    return children.getLength() == 0 ? "" : children.item(0).getTextContent();
  }

  private static String text(String entry) throws IOException {
    try (JarFile jar = new JarFile(DropInJar.path().toFile());
        InputStream in = jar.getInputStream(jar.getEntry(entry))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
