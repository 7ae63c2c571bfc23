package io.github.icebergext.cli.text;

/**
 * Colours of text, or none.
 *
 * @param on whether the text goes to a terminal that shows colours
 */
public record Ink(boolean on) {
  public String bold(String text) {
    return paint("1", text);
  }

  public String dim(String text) {
    return paint("2", text);
  }

  public String red(String text) {
    return paint("31", text);
  }

  public String green(String text) {
    return paint("32", text);
  }

  public String yellow(String text) {
    return paint("33", text);
  }

  public String cyan(String text) {
    return paint("36", text);
  }

  private String paint(String code, String text) {
    return on ? "\u001b[" + code + "m" + text + "\u001b[0m" : text;
  }
}
