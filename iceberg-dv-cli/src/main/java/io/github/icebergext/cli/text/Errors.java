package io.github.icebergext.cli.text;

import io.github.icebergext.puffin.PuffinFormatException;
import io.github.icebergext.puffin.Reason;
import java.util.function.BooleanSupplier;
import picocli.CommandLine.ParameterException;

/** Error lines: one for each error, and with {@code --debug} its stack trace. */
public final class Errors {
  private static final String PICOCLI_PREFIX = "Error: ";

  private final Terminal terminal;
  private final BooleanSupplier withTrace;

  /**
   * @param withTrace whether stack traces are wanted, which is asked after each error
   */
  public Errors(Terminal terminal, BooleanSupplier withTrace) {
    this.terminal = terminal;
    this.withTrace = withTrace;
  }

  /** Prints what is wrong with the command line and returns the exit code. */
  public int usage(ParameterException e) {
    String message = message(e);
    if (message.startsWith(PICOCLI_PREFIX)) {
      message = message.substring(PICOCLI_PREFIX.length());
    }
    line(message + " (see " + e.getCommandLine().getCommandSpec().qualifiedName() + " --help)");
    trace(e);
    return Outcome.ERROR.exitCode();
  }

  /** Prints an error and returns what it makes of the command. */
  public Outcome print(Throwable e) {
    line(message(e));
    trace(e);
    return outcome(e);
  }

  /** Prints an error met in the named file, and returns what it makes of the command. */
  public Outcome print(String file, Exception e) {
    String message = message(e);
    line(message.contains(file) ? message : file + ": " + message);
    trace(e);
    return outcome(e);
  }

  /** Returns what is wrong on one line. */
  public static String message(Throwable e) {
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
    if (withTrace.getAsBoolean()) {
      e.printStackTrace(terminal.err());
      terminal.err().flush();
    }
  }
}
