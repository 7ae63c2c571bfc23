package io.github.icebergext.cli;

import java.io.PrintWriter;

/** The positions of one vector and nothing else, for other programs. */
record PositionsReport(VectorFacts vector) implements FileReport {
  /** Positions after which to look whether anyone still reads them. */
  private static final int CHECK_EVERY = 1 << 16;

  @Override
  public Outcome outcome() {
    return Outcome.FINE;
  }

  @Override
  public Json.Members toJson() {
    return vector.toJson();
  }

  @Override
  public void print(Terminal terminal) {
    PrintWriter out = terminal.out();
    long[] printed = {0};
    vector
        .positions()
        .forEach(
            position -> {
              out.print(position);
              out.print('\n');
              if (++printed[0] % CHECK_EVERY == 0 && out.checkError()) {
                throw new CommandException("output is closed");
              }
            });
  }
}
