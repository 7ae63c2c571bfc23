package io.github.icebergext.cli;

import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads an age such as {@code 3d}, {@code 12h}, {@code 90m}, {@code 0s} or {@code P1DT12H}. */
final class AgeConverter implements ITypeConverter<Duration> {
  private static final Pattern SHORT = Pattern.compile("(\\d{1,9})([dhms])");

  @Override
  public Duration convert(String value) {
    Matcher matcher = SHORT.matcher(value);
    if (matcher.matches()) {
      return of(Long.parseLong(matcher.group(1)), matcher.group(2).charAt(0));
    }
    Duration age;
    try {
      age = Duration.parse(value);
    } catch (DateTimeParseException | ArithmeticException e) {
      throw expected(value);
    }
    if (age.isNegative()) {
      throw expected(value);
    }
    return age;
  }

  private static Duration of(long count, char unit) {
    return switch (unit) {
      case 'd' -> Duration.ofDays(count);
      case 'h' -> Duration.ofHours(count);
      case 'm' -> Duration.ofMinutes(count);
      default -> Duration.ofSeconds(count);
    };
  }

  private static TypeConversionException expected(String value) {
    return new TypeConversionException(
        "expected an age such as 3d, 12h, 90m, 0s or P1DT12H but was '" + value + "'");
  }
}
