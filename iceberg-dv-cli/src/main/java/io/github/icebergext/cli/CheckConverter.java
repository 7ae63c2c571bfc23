package io.github.icebergext.cli;

import io.github.icebergext.dv.Check;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads {@code entry} and {@code full}. */
final class CheckConverter implements ITypeConverter<Check> {
  @Override
  public Check convert(String value) {
    return switch (value) {
      case "entry" -> Check.ENTRY;
      case "full" -> Check.FULL;
      default ->
          throw new TypeConversionException("expected entry or full but was '" + value + "'");
    };
  }
}
