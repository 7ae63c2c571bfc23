package io.github.icebergext.cli.file;

import io.github.icebergext.cli.text.Json;
import io.github.icebergext.cli.text.Outcome;
import io.github.icebergext.cli.text.Problem;
import io.github.icebergext.cli.text.Terminal;
import java.util.List;

/** What was found where a deletion vector should be. */
public interface VectorFinding {
  VectorPlace place();

  Json.Members toJson();

  void print(Terminal terminal);

  /** A vector that breaks the rules. */
  record Broken(VectorPlace place, Problem problem) implements VectorFinding {
    @Override
    public Json.Members toJson() {
      return place.toJson().put("problem", problem.toJson());
    }

    @Override
    public void print(Terminal terminal) {
      terminal.out().println("  " + terminal.ink().red("✗ " + problem.message()));
    }
  }

  /** Tells what the findings make of the command. */
  static Outcome outcome(List<VectorFinding> findings) {
    return findings.stream().anyMatch(Broken.class::isInstance) ? Outcome.FINDINGS : Outcome.FINE;
  }
}
