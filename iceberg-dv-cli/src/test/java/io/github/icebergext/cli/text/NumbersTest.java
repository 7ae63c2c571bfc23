package io.github.icebergext.cli.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Locale;
import org.junit.jupiter.api.Test;

class NumbersTest {
  @Test
  void sizesHaveAUnitAndTheExactBytes() {
    assertThat(Numbers.size(0)).isEqualTo("0 B");
    assertThat(Numbers.size(1023)).isEqualTo("1,023 B");
    assertThat(Numbers.size(1024)).isEqualTo("1.0 KiB (1,024)");
    assertThat(Numbers.size(1432)).isEqualTo("1.4 KiB (1,432)");
    assertThat(Numbers.size(1024 * 1024 - 1)).isEqualTo("1.0 MiB (1,048,575)");
    assertThat(Numbers.size(Long.MAX_VALUE)).isEqualTo("8.0 EiB (9,223,372,036,854,775,807)");
  }

  @Test
  void percentagesAreNeverRoundedToNothingOrAll() {
    assertThat(Numbers.percent(0, 0)).isEqualTo("0%");
    assertThat(Numbers.percent(1, 1_000_000)).isEqualTo("<0.1%");
    assertThat(Numbers.percent(1, 8)).isEqualTo("12.5%");
    assertThat(Numbers.percent(999_999, 1_000_000)).isEqualTo(">99.9%");
    assertThat(Numbers.percent(7, 7)).isEqualTo("100%");
    assertThat(Numbers.percent(3, 2)).isEqualTo("150.0%");
  }

  @Test
  void decimalsHaveNoTrailingZeros() {
    assertThat(Numbers.decimal(8)).isEqualTo("8");
    assertThat(Numbers.decimal(30_219.4)).isEqualTo("30,219.4");
    assertThat(Numbers.decimal(100)).isEqualTo("100");
    assertThat(Numbers.decimal(0.125)).isEqualTo("0.13");
  }

  @Test
  void oneThingIsSingular() {
    assertThat(Numbers.count(1, "row", "rows")).isEqualTo("1 row");
    assertThat(Numbers.count(1000, "row", "rows")).isEqualTo("1,000 rows");
  }

  @Test
  void localeDoesNotMatter() {
    Locale before = Locale.getDefault();
    try {
      Locale.setDefault(Locale.GERMANY);
      assertThat(Numbers.size(1432)).isEqualTo("1.4 KiB (1,432)");
      assertThat(Numbers.percent(1, 8)).isEqualTo("12.5%");
      assertThat(Numbers.decimal(1.5)).isEqualTo("1.5");
    } finally {
      Locale.setDefault(before);
    }
  }
}
