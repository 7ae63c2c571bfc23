package io.github.icebergext.cli.source;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RelocationsTest {
  @ParameterizedTest
  @CsvSource({
    "file:/warehouse",
    "file:///warehouse",
    "/warehouse",
    "file:///warehouse/",
    "file://localhost/warehouse"
  })
  void allWaysToNameALocalFolderAreOne(String from) {
    Relocations relocations = Relocations.of(Map.of(from, "../copy"));

    assertThat(relocations.apply("file:/warehouse/db/t")).isEqualTo("../copy/db/t");
    assertThat(relocations.apply("file:///warehouse/db/t")).isEqualTo("../copy/db/t");
    assertThat(relocations.apply("/warehouse/db/t")).isEqualTo("../copy/db/t");
    assertThat(relocations.apply("/warehouse")).isEqualTo("../copy");
  }

  @Test
  void onlyWholeFoldersMatch() {
    Relocations relocations = Relocations.of(Map.of("s3://b/warehouse", "/copy"));

    assertThat(relocations.apply("s3://b/warehouse2/t")).isEqualTo("s3://b/warehouse2/t");
    assertThat(relocations.apply("s3://b/warehouse/t")).isEqualTo("/copy/t");
  }

  @Test
  void longestPrefixWins() {
    Relocations relocations =
        Relocations.of(Map.of("s3://b", "/all", "s3://b/db/t", "/one", "s3://b/db", "/some"));

    assertThat(relocations.apply("s3://b/db/t/x")).isEqualTo("/one/x");
    assertThat(relocations.apply("s3://b/db/u/x")).isEqualTo("/some/u/x");
    assertThat(relocations.apply("s3://b/x")).isEqualTo("/all/x");
  }

  @Test
  void relativeLocationsAndTheRootAreMappedToo() {
    assertThat(Relocations.of(Map.of("data/persistent", "x")).apply("data/persistent/t"))
        .isEqualTo("x/t");
    assertThat(Relocations.of(Map.of("/", "copy")).apply("file:///a/b")).isEqualTo("copy/a/b");
  }

  @Test
  void otherLocationsStayAsTheyAre() {
    Relocations relocations = Relocations.of(Map.of("/a", "/b"));

    assertThat(relocations.apply("file:///c/100%25=x")).isEqualTo("file:///c/100%25=x");
  }
}
