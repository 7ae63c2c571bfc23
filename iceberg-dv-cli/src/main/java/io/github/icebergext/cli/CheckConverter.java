package io.github.icebergext.cli;

import io.github.icebergext.dv.read.ReadCheck;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads {@code entry} and {@code full}. */
final class CheckConverter implements ITypeConverter<ReadCheck> {
  @Override
  public ReadCheck convert(String value) {
    return switch (value) {
      case "entry" -> ReadCheck.ENTRY;
      case "full" -> ReadCheck.FULL;
      default ->
          throw new TypeConversionException("expected entry or full but was '" + value + "'");
    };
  }
}
