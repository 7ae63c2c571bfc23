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
    targets.forEach(
        (from, to) -> rules.add(new Rule(Locations.plainFolder(from), Locations.plainFolder(to))));
    rules.sort(Comparator.comparingInt((Rule rule) -> rule.from().length()).reversed());
    return new Relocations(List.copyOf(rules));
  }

  /** Returns where the file is: as the longest matching rule says, else where it was. */
  public String apply(String location) {
    String plain = Locations.plain(location);
    for (Rule rule : longestFirst) {
      if (Locations.isWithin(plain, rule.from())) {
        return rule.to() + plain.substring(rule.from().length());
      }
    }
    return location;
  }
}
