package io.github.icebergext.cli.file;

import io.github.icebergext.cli.text.CommandException;
import io.github.icebergext.cli.text.Json;
import io.github.icebergext.cli.text.Outcome;
import io.github.icebergext.cli.text.Report;
import io.github.icebergext.cli.text.Terminal;
import java.io.PrintWriter;

/** The positions of one vector and nothing else, for other programs. */
public record PositionsReport(VectorFacts vector) implements Report {
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
