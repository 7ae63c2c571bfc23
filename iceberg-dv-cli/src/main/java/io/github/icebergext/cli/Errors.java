package io.github.icebergext.cli;

import io.github.icebergext.puffin.PuffinFormatException;
import io.github.icebergext.puffin.Reason;
import picocli.CommandLine.ParameterException;

/** Error lines: one for each error, and with {@code --debug} its stack trace. */
final class Errors {
  private static final String PICOCLI_PREFIX = "Error: ";

  private final Terminal terminal;
  private final GlobalOptions options;

  Errors(Terminal terminal, GlobalOptions options) {
    this.terminal = terminal;
    this.options = options;
  }

  /** Prints what is wrong with the command line and returns the exit code. */
  int usage(ParameterException e) {
    String message = message(e);
    if (message.startsWith(PICOCLI_PREFIX)) {
      message = message.substring(PICOCLI_PREFIX.length());
    }
    line(message + " (see " + e.getCommandLine().getCommandSpec().qualifiedName() + " --help)");
    trace(e);
    return Outcome.ERROR.exitCode();
  }

  /** Prints an error and returns what it makes of the command. */
  Outcome print(Throwable e) {
    line(message(e));
    trace(e);
    return outcome(e);
  }

  /** Prints an error met in the named file, and returns what it makes of the command. */
  Outcome print(String file, Exception e) {
    String message = message(e);
    line(message.contains(file) ? message : file + ": " + message);
    trace(e);
    return outcome(e);
  }

  /** Returns what is wrong on one line. */
  static String message(Throwable e) {
    String message = e.getMessage();
    if (message == null || e instanceof Error) {
      message = e.getClass().getSimpleName() + (message == null ? "" : ": " + message);
    }
    return Printable.of(message.strip().replaceAll("\\s*[\\r\\n]+\\s*", " "));
  }

  private static Outcome outcome(Throwable e) {
    return e instanceof PuffinFormatException format && format.reason() != Reason.NOT_PUFFIN
        ? Outcome.FINDINGS
        : Outcome.ERROR;
  }

  private void line(String message) {
    // What was printed before comes first on a terminal that shows both streams. If nobody reads it
    // any more, as after a pipe into head, nobody wants to know either.
    if (terminal.out().checkError()) {
      return;
    }
    terminal.err().println("icedv: " + message);
    terminal.err().flush();
  }

  private void trace(Throwable e) {
    if (options.debug) {
      e.printStackTrace(terminal.err());
      terminal.err().flush();
    }
  }
}
