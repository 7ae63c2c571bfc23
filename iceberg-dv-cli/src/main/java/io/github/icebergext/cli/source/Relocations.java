package io.github.icebergext.cli.source;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/** Where files are that table metadata names elsewhere. Immutable. */
public final class Relocations {
  public static final Relocations NONE = new Relocations(List.of());

  private record Rule(String from, String to) {}

  private final List<Rule> longestFirst;

  private Relocations(List<Rule> longestFirst) {
    this.longestFirst = longestFirst;
  }

  /** Returns the rules by which a location that starts with a key starts with its value instead. */
  public static Relocations of(Map<String, String> targets) {
    List<Rule> rules = new ArrayList<>();
    targets.forEach((from, to) -> rules.add(new Rule(folder(plain(from)), folder(plain(to)))));
    rules.sort(Comparator.comparingInt((Rule rule) -> rule.from().length()).reversed());
    return new Relocations(List.copyOf(rules));
  }

  boolean isEmpty() {
    return longestFirst.isEmpty();
  }

  /** Returns where the file is: as the longest matching rule says, else where it was. */
  public String apply(String location) {
    String plain = plain(location);
    for (Rule rule : longestFirst) {
      if (isWithin(plain, rule.from())) {
        return rule.to() + plain.substring(rule.from().length());
      }
    }
    return location;
  }

  /**
   * Returns the location, or its path if it is local, so that {@code file:/x}, {@code file:///x}
   * and {@code /x} are one. Locations are not percent-encoded in Iceberg, so nothing is decoded.
   */
  public static String plain(String location) {
    if (!location.startsWith("file:")) {
      return location;
    }
    String path = location.substring("file:".length());
    if (path.startsWith("//localhost/")) {
      return path.substring("//localhost".length());
    }
    return path.startsWith("//") ? path.substring("//".length()) : path;
  }

  /** Returns the location as seen from {@code folder} if it is within, else as it is. */
  public static String relative(String location, String folder) {
    String plain = plain(location);
    String from = folder(plain(folder));
    return isWithin(plain, from) && plain.length() > from.length()
        ? plain.substring(from.length() + 1)
        : location;
  }

  private static boolean isWithin(String location, String folder) {
    return location.startsWith(folder)
        && (location.length() == folder.length() || location.charAt(folder.length()) == '/');
  }

  private static String folder(String location) {
    int end = location.length();
    while (end > 0 && location.charAt(end - 1) == '/') {
      end--;
    }
    return location.substring(0, end);
  }
}
