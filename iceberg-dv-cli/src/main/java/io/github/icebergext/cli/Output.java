package io.github.icebergext.cli;

import io.github.icebergext.cli.text.Json;
import io.github.icebergext.cli.text.Outcome;
import io.github.icebergext.cli.text.Report;
import io.github.icebergext.cli.text.Terminal;

/** Where the reports of commands go, and in which form. */
record Output(Terminal terminal, GlobalOptions options) {
  /** Returns whether the command line wants JSON. */
  boolean isJson() {
    return options.json;
  }

  /** Prints a report and returns what it makes of the command. */
  Outcome print(Report report) {
    return print(report, Json.object());
  }

  /**
   * Prints a report and returns what it makes of the command.
   *
   * @param more members that JSON has after those of the report
   */
  Outcome print(Report report, Json.Members more) {
    if (isJson()) {
      Json.writeLine(terminal.out(), report.toJson().putAll(more));
    } else {
      report.print(terminal);
    }
    return report.outcome();
  }
}
