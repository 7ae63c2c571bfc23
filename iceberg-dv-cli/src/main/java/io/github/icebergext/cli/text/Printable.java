package io.github.icebergext.cli.text;

import java.util.Locale;

/** Text from files, made safe to print: a file must not move the cursor or colour the terminal. */
public final class Printable {
  private Printable() {}

  /** Returns the text on one line, with what does not print written as {@code \}{@code u001b}. */
  public static String of(String text) {
    StringBuilder printable = null;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (prints(c)) {
        if (printable != null) {
          printable.append(c);
        }
      } else {
        if (printable == null) {
          printable = new StringBuilder(text.substring(0, i));
        }
        printable.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
      }
    }
    return printable == null ? text : printable.toString();
  }

  /** Control characters do not print, nor do those that turn the direction of writing. */
  private static boolean prints(char c) {
    return switch (Character.getType(c)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          false;
      default -> true;
    };
  }
}
