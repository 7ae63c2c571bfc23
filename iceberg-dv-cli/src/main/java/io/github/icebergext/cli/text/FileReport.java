package io.github.icebergext.cli.text;

/** What a command found out about one file. */
public interface FileReport {
  Outcome outcome();

  Json.Members toJson();

  void print(Terminal terminal);
}
