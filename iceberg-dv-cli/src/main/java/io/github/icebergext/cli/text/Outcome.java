package io.github.icebergext.cli.text;

/** How a command ended. */
public enum Outcome {
  /** All was read, and nothing is wrong with it. */
  FINE(0),
  /** All was read, and something is wrong with the file or table. */
  FINDINGS(1),
  /** Something could not be read, or the command line is wrong. */
  ERROR(2);

  private final int exitCode;

  Outcome(int exitCode) {
    this.exitCode = exitCode;
  }

  public int exitCode() {
    return exitCode;
  }

  /** Returns the worse of the two. */
  public Outcome and(Outcome other) {
    return exitCode >= other.exitCode ? this : other;
  }
}
