package io.github.icebergext.cli.text;

/** What a command found out or did, as data: whoever gathers it is no report. */
public interface Report {
  /** Returns what the report makes of the command. */
  Outcome outcome();

  /** Returns the report for scripts, as members that the caller may add to. */
  Json.Members toJson();

  /** Prints the report for a person. */
  void print(Terminal terminal);
}
