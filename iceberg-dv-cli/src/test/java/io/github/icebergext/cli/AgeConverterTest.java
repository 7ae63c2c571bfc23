package io.github.icebergext.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

class AgeConverterTest {
  @ParameterizedTest
  @CsvSource({
    "3d,259200",
    "12h,43200",
    "90m,5400",
    "0s,0",
    "P3D,259200",
    "PT12H,43200",
    "P1DT12H,129600",
  })
  void agesAreReadInBothWays(String text, long seconds) {
    assertThat(new AgeConverter().convert(text)).isEqualTo(Duration.ofSeconds(seconds));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "3", "d", "-3d", "3 d", "3D", "3w", "1.5h", "3d12h", "-PT1S", "P3M", "1e3s"})
  void anythingElseIsRefused(String text) {
    assertThatThrownBy(() -> new AgeConverter().convert(text))
        .isInstanceOf(TypeConversionException.class)
        .hasMessage("expected an age such as 3d, 12h, 90m, 0s or P1DT12H but was '" + text + "'");
  }
}
