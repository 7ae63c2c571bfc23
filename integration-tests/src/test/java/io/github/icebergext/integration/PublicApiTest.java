package io.github.icebergext.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.puffin.PuffinFileReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Makes a change of a library's public API a change of a file that reviewers see. */
class PublicApiTest {
  private static final String RENEW =
      "mvn -B -ntp verify -pl integration-tests -am -Dtest=PublicApiTest -Dpublic.api.update=true";

  @ParameterizedTest
  @CsvSource({
    "iceberg-puffin-ext, io.github.icebergext.puffin.PuffinFileReader",
    "iceberg-dv-ext, io.github.icebergext.dv.DeletedPositions"
  })
  void isTheOneCheckedIn(String module, Class<?> member) throws IOException {
    Path list = Path.of(System.getProperty("basedir", "."), "..", module, "public-api.txt");
    List<String> actual = PublicApi.of(member);
    if (Boolean.getBoolean("public.api.update")) {
      Files.write(list, actual);
    }
    List<String> expected = Files.readAllLines(list);

    assertThat(difference(expected, actual))
        .as("Changes against %s; if they are meant, renew it: %s", list.normalize(), RENEW)
        .isEmpty();
    assertThat(actual).isEqualTo(expected);
  }

  /** Such types are relocated in the drop-in jar, and differ between versions of Iceberg. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "org.roaringbitmap.",
        "com.fasterxml.jackson.",
        "net.jpountz.",
        "io.airlift.",
        "com.google.common.",
        "org.apache.hadoop.",
        "org.apache.avro."
      })
  void namesNoTypeOfThirdPartyCode(String thirdParty) {
    assertThat(PublicApi.of(PuffinFileReader.class)).noneMatch(line -> line.contains(thirdParty));
    assertThat(PublicApi.of(DeletedPositions.class)).noneMatch(line -> line.contains(thirdParty));
  }

  @Test
  void namesNothingInternal() {
    assertThat(PublicApi.of(PuffinFileReader.class))
        .noneMatch(line -> line.contains(PublicApi.INTERNAL + "."));
    assertThat(PublicApi.of(DeletedPositions.class))
        .noneMatch(line -> line.contains(PublicApi.INTERNAL + "."));
  }

  private static List<String> difference(List<String> expected, List<String> actual) {
    List<String> before = qualified(expected);
    List<String> after = qualified(actual);
    return Stream.concat(
            before.stream().filter(line -> !after.contains(line)).map(line -> "- " + line),
            after.stream().filter(line -> !before.contains(line)).map(line -> "+ " + line))
        .toList();
  }

  /** Puts before each member the type that it is listed under. */
  private static List<String> qualified(List<String> lines) {
    String[] type = {""};
    return lines.stream()
        .filter(line -> !line.isEmpty())
        .map(
            line -> {
              if (line.startsWith("  ")) {
                return type[0] + ":" + line;
              }
              type[0] = line;
              return line;
            })
        .toList();
  }
}
