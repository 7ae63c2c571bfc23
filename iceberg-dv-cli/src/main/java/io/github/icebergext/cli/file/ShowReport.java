package io.github.icebergext.cli.file;

import io.github.icebergext.cli.text.FactSheet;
import io.github.icebergext.cli.text.Json;
import io.github.icebergext.cli.text.Numbers;
import io.github.icebergext.cli.text.Outcome;
import io.github.icebergext.cli.text.Printable;
import io.github.icebergext.cli.text.Report;
import io.github.icebergext.cli.text.Terminal;
import io.github.icebergext.puffin.Container;
import java.util.List;
import java.util.Locale;

/**
 * The deletion vectors of one file.
 *
 * @param withPositions whether all positions are wanted as well
 */
public record ShowReport(
    String file, Container container, List<VectorFinding> vectors, boolean withPositions)
    implements Report {

  @Override
  public Outcome outcome() {
    return VectorFinding.outcome(vectors);
  }

  // The facts of a file's only vector stand beside those of the file too, where scripts that look
  // at one vector at a time need not go through a list.
  @Override
  public Json.Members toJson() {
    Json.Members json = Json.object().put("file", file).put("container", container);
    if (vectors.size() == 1 && vectors.get(0) instanceof VectorFacts facts) {
      json.putAll(facts.summaryJson());
    }
    return json.put("deletionVectors", vectors.stream().map(this::vectorJson).toList());
  }

  private Json.Members vectorJson(VectorFinding vector) {
    return withPositions && vector instanceof VectorFacts facts
        ? facts.toJson().put("positions", facts.positionsJson())
        : vector.toJson();
  }

  @Override
  public void print(Terminal terminal) {
    String count = Numbers.count(vectors.size(), "deletion vector", "deletion vectors");
    new FactSheet(terminal).title(file, kind() + ", " + count);
    for (VectorFinding vector : vectors) {
      terminal.out().println();
      printHeading(terminal, vector.place());
      vector.print(terminal);
    }
  }

  private String kind() {
    return switch (container) {
      case PUFFIN -> "Puffin";
      case BARE_DELETION_VECTOR -> "bare blob";
      case DELTA_OR_PAIMON -> "Delta or Paimon";
      default -> container.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    };
  }

  private void printHeading(Terminal terminal, VectorPlace place) {
    String name = container == Container.PUFFIN ? "blob " : "vector ";
    String heading = place.index() == null ? "range" : name + place.index();
    String dataFile = place.referencedDataFile();
    terminal
        .out()
        .println(
            "  "
                + terminal.ink().bold(heading)
                + (dataFile == null ? "" : "  of " + Printable.of(dataFile)));
  }
}
