package io.github.icebergext.cli;

/** What a command found out about one file. */
interface FileReport {
  Outcome outcome();

  Json.Members toJson();

  void print(Terminal terminal);
}
