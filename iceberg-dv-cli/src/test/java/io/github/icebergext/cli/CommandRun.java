package io.github.icebergext.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.icebergext.cli.text.Ink;
import io.github.icebergext.cli.text.Terminal;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.List;

/** A run of the command line, and what came of it. */
record CommandRun(int exitCode, String out, String err) {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  /** Runs with its output in a pipe. */
  static CommandRun of(Object... args) {
    return run(new Ink(false), Terminal.UNLIMITED, args);
  }

  /** Runs on a terminal of the given width that shows colours. */
  static CommandRun onTerminal(int columns, Object... args) {
    return run(new Ink(true), columns, args);
  }

  private static CommandRun run(Ink ink, int columns, Object... args) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    Terminal terminal = new Terminal(new PrintWriter(out), new PrintWriter(err), ink, columns);
    String[] words = new String[args.length];
    for (int i = 0; i < args.length; i++) {
      words[i] = args[i].toString();
    }
    return new CommandRun(Icedv.run(terminal, words), out.toString(), err.toString());
  }

  /** Returns the only line of output as a JSON object. */
  JsonNode json() {
    List<JsonNode> lines = jsonLines();
    if (lines.size() != 1) {
      throw new AssertionError("Expected one line but got: " + out + err);
    }
    return lines.get(0);
  }

  /** Returns each line of output as a JSON object. */
  List<JsonNode> jsonLines() {
    return out.lines().map(CommandRun::parse).toList();
  }

  static JsonNode parse(String json) {
    try {
      return MAPPER.readTree(json);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
