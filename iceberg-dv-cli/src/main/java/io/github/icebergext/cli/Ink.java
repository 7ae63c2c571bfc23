package io.github.icebergext.cli;

/**
 * Colours of text, or none.
 *
 * @param on whether the text goes to a terminal that shows colours
 */
record Ink(boolean on) {
  String bold(String text) {
    return paint("1", text);
  }

  String dim(String text) {
    return paint("2", text);
  }

  String red(String text) {
    return paint("31", text);
  }

  String green(String text) {
    return paint("32", text);
  }

  String yellow(String text) {
    return paint("33", text);
  }

  String cyan(String text) {
    return paint("36", text);
  }

  private String paint(String code, String text) {
    return on ? "\u001b[" + code + "m" + text + "\u001b[0m" : text;
  }
}
