package io.github.icebergext.cli.table;

import io.github.icebergext.dv.read.ForeignContainerPolicy;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads {@code reject}, {@code warn} and {@code allow}. */
final class ForeignConverter implements ITypeConverter<ForeignContainerPolicy> {
  @Override
  public ForeignContainerPolicy convert(String value) {
    return switch (value) {
      case "reject" -> ForeignContainerPolicy.REJECT;
      case "warn" -> ForeignContainerPolicy.WARN;
      case "allow" -> ForeignContainerPolicy.ALLOW;
      default ->
          throw new TypeConversionException(
              "expected reject, warn or allow but was '" + value + "'");
    };
  }
}
