package io.github.icebergext.cli.text;

import java.util.Locale;

/** Numbers as text for a person, the same in every locale. */
public final class Numbers {
  private static final String[] UNITS = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};

  private Numbers() {}

  /** Returns for example {@code 1,432}. */
  public static String count(long value) {
    return String.format(Locale.ROOT, "%,d", value);
  }

  /** Returns for example {@code 1 row} or {@code 1,432 rows}. */
  public static String count(long value, String one, String many) {
    return count(value) + " " + (value == 1 ? one : many);
  }

  /** Returns for example {@code 824 B} or {@code 1.4 KiB (1,432)}. */
  public static String size(long bytes) {
    if (bytes < 1024) {
      return count(bytes) + " B";
    }
    double scaled = bytes / 1024.0;
    int unit = 0;
    while (scaled >= 1023.95) {
      scaled /= 1024;
      unit++;
    }
    return String.format(Locale.ROOT, "%.1f %s (%,d)", scaled, UNITS[unit], bytes);
  }

  /** Returns the share as for example {@code 12.5%}, never rounded to nothing or to all. */
  public static String percent(long part, long whole) {
    if (part == 0 || whole == 0) {
      return "0%";
    }
    if (part == whole) {
      return "100%";
    }
    double percent = 100.0 * part / whole;
    if (percent < 0.1) {
      return "<0.1%";
    }
    if (percent > 99.9 && percent < 100) {
      return ">99.9%";
    }
    return String.format(Locale.ROOT, "%.1f%%", percent);
  }

  /** Returns for example {@code 30,219.4}, or {@code 8} for a whole number. */
  public static String decimal(double value) {
    String text = String.format(Locale.ROOT, "%,.2f", value);
    int end = text.length();
    while (text.charAt(end - 1) == '0') {
      end--;
    }
    return text.substring(0, text.charAt(end - 1) == '.' ? end - 1 : end);
  }
}
