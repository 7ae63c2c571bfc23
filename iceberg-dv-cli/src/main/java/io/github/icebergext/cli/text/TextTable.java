package io.github.icebergext.cli.text;

import java.util.ArrayList;
import java.util.List;

/**
 * Rows in aligned columns. On a terminal too narrow for them, columns that may give way lose the
 * middle of their longest cells. Not thread-safe.
 */
public final class TextTable {
  private static final String INDENT = "  ";
  private static final String GUTTER = "  ";
  private static final int NARROWEST = 12;

  private enum Kind {
    LEFT,
    RIGHT,
    ELASTIC
  }

  private record Column(String title, Kind kind) {}

  private record Line(List<String> cells, List<String> details) {}

  private final Terminal terminal;
  private final List<Column> columns = new ArrayList<>();
  private final List<Line> lines = new ArrayList<>();

  public TextTable(Terminal terminal) {
    this.terminal = terminal;
  }

  /** Adds a column of words. */
  public TextTable left(String title) {
    columns.add(new Column(title, Kind.LEFT));
    return this;
  }

  /** Adds a column of numbers. */
  public TextTable right(String title) {
    columns.add(new Column(title, Kind.RIGHT));
    return this;
  }

  /** Adds a column of words that may be shortened to fit the terminal. */
  public TextTable elastic(String title) {
    columns.add(new Column(title, Kind.ELASTIC));
    return this;
  }

  /** Adds a row, a cell for each column. */
  public void row(List<String> cells) {
    row(cells, List.of());
  }

  /** Adds a row and lines, in colours if need be, that stand below it under its second column. */
  public void row(List<String> cells, List<String> details) {
    lines.add(new Line(cells.stream().map(Printable::of).toList(), List.copyOf(details)));
  }

  public void print() {
    int[] widths = widths();
    Ink ink = terminal.ink();
    terminal.out().println(ink.dim(line(columns.stream().map(Column::title).toList(), widths)));
    for (Line line : lines) {
      terminal.out().println(line(line.cells(), widths));
      String margin = " ".repeat(INDENT.length() + widths[0] + GUTTER.length());
      line.details().forEach(detail -> terminal.out().println(margin + detail));
    }
  }

  private String line(List<String> cells, int[] widths) {
    StringBuilder text = new StringBuilder(INDENT);
    for (int i = 0; i < widths.length; i++) {
      String cell = shorten(cells.get(i), widths[i]);
      String padding = " ".repeat(widths[i] - cell.length());
      text.append(i == 0 ? "" : GUTTER);
      text.append(columns.get(i).kind() == Kind.RIGHT ? padding + cell : cell + padding);
    }
    return text.toString().stripTrailing();
  }

  private int[] widths() {
    int[] widths = new int[columns.size()];
    int total = INDENT.length() - GUTTER.length();
    for (int i = 0; i < widths.length; i++) {
      widths[i] = columns.get(i).title().length();
      for (Line line : lines) {
        widths[i] = Math.max(widths[i], line.cells().get(i).length());
      }
      total += GUTTER.length() + widths[i];
    }
    if (total > terminal.columns()) {
      squeeze(widths, total - terminal.columns());
    }
    return widths;
  }

  private void squeeze(int[] widths, int excess) {
    int left = excess;
    for (int widest = widestElastic(widths); left > 0 && widest >= 0; left--) {
      widths[widest]--;
      widest = widestElastic(widths);
    }
  }

  private int widestElastic(int[] widths) {
    int widest = -1;
    for (int i = 0; i < widths.length; i++) {
      boolean gives = columns.get(i).kind() == Kind.ELASTIC && widths[i] > NARROWEST;
      if (gives && (widest < 0 || widths[i] > widths[widest])) {
        widest = i;
      }
    }
    return widest;
  }

  /** Returns the text, or its two ends around an ellipsis, more of the end than of the start. */
  static String shorten(String text, int width) {
    if (text.length() <= width) {
      return text;
    }
    int head = (width - 1) / 3;
    return text.substring(0, head) + "…" + text.substring(text.length() - (width - 1 - head));
  }
}
