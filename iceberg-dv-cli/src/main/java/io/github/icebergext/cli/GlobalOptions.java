package io.github.icebergext.cli;

import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/** The options that every command takes. */
final class GlobalOptions {
  @Option(
      names = "--json",
      scope = ScopeType.INHERIT,
      description = "Print JSON, one object a line for each file or table.")
  boolean json;

  @Option(
      names = "--debug",
      scope = ScopeType.INHERIT,
      description = "Print the stack trace of an error, and the log.")
  boolean debug;
}
