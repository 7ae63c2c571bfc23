package io.github.icebergext.cli.text;

import java.util.ArrayList;
import java.util.List;

/** A title, and below it labelled lines in two columns. Not thread-safe. */
public final class FactSheet {
  private static final String INDENT = "  ";
  private static final String GAP = "  ";
  private static final int NARROWEST_LABELS = 10;

  private record Fact(String label, String value) {}

  private final Terminal terminal;
  private final List<Fact> facts = new ArrayList<>();

  public FactSheet(Terminal terminal) {
    this.terminal = terminal;
  }

  /** Prints what the lines below are about. */
  public void title(String name, String kind) {
    terminal.out().println(terminal.ink().bold(Printable.of(name)) + "  " + kind);
  }

  /** Adds a line that is broken between words where it does not fit the terminal. */
  public void addWords(String label, List<String> words) {
    int room = terminal.columns() - NARROWEST_LABELS - 2 * INDENT.length();
    StringBuilder line = new StringBuilder();
    String lineLabel = label;
    for (String word : words) {
      if (line.length() > 0 && line.length() + GAP.length() + word.length() > room) {
        add(lineLabel, line.toString());
        line.setLength(0);
        lineLabel = "";
      }
      line.append(line.length() == 0 ? "" : GAP).append(word);
    }
    add(lineLabel, line.toString());
  }

  /** Adds a line of any text. */
  public void add(String label, String value) {
    facts.add(new Fact(Printable.of(label), Printable.of(value)));
  }

  /** Adds a line in colours. */
  public void addPainted(String label, String value) {
    facts.add(new Fact(label, value));
  }

  public void print() {
    int width = NARROWEST_LABELS;
    for (Fact fact : facts) {
      width = Math.max(width, fact.label().length());
    }
    for (Fact fact : facts) {
      String padded = fact.label() + " ".repeat(width - fact.label().length());
      terminal.out().println(INDENT + terminal.ink().dim(padded) + INDENT + fact.value());
    }
  }
}
