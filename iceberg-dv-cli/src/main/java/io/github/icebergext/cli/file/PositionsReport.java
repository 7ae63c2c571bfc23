package io.github.icebergext.cli.file;

import io.github.icebergext.cli.text.Json;
import io.github.icebergext.cli.text.Outcome;
import io.github.icebergext.cli.text.Report;
import io.github.icebergext.cli.text.Terminal;

/** The positions of one vector and nothing else, for other programs. */
public record PositionsReport(VectorFacts vector) implements Report {
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
    PositionsPrinter.print(terminal.out(), "", vector.positions());
  }
}
