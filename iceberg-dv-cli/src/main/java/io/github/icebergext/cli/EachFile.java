package io.github.icebergext.cli;

import io.github.icebergext.cli.source.Relocations;
import io.github.icebergext.cli.source.Storage;
import io.github.icebergext.cli.text.Errors;
import io.github.icebergext.cli.text.Json;
import io.github.icebergext.cli.text.Outcome;
import io.github.icebergext.cli.text.Report;
import io.github.icebergext.puffin.PuffinFormatException;
import java.util.List;
import org.apache.iceberg.io.InputFile;

/**
 * Reports on files one after the other: an error in one does not stop those after it. Not
 * thread-safe.
 */
final class EachFile {
  private final Output output;
  private final Errors errors;
  private boolean printed;

  /** Finds out about one file. */
  @FunctionalInterface
  interface Reporter {
    Report report(String name, InputFile file);
  }

  EachFile(Output output, Errors errors) {
    this.output = output;
    this.errors = errors;
  }

  /** Reports on each file and returns the exit code. */
  int apply(List<String> files, Reporter reporter) {
    Outcome outcome = Outcome.FINE;
    try (Storage storage = Storage.of(Relocations.NONE)) {
      for (String file : files) {
        outcome = outcome.and(one(storage, file, reporter));
      }
    }
    return outcome.exitCode();
  }

  private Outcome one(Storage storage, String file, Reporter reporter) {
    try {
      Report report = reporter.report(file, storage.existing(file));
      if (!output.isJson()) {
        separate();
      }
      return output.print(report);
    } catch (RuntimeException e) {
      if (output.isJson()) {
        Json.writeLine(output.terminal().out(), failure(file, e));
      }
      return errors.print(file, e);
    }
  }

  private void separate() {
    if (printed) {
      output.terminal().out().println();
    }
    printed = true;
  }

  private static Json.Members failure(String file, RuntimeException e) {
    return Json.object()
        .put("file", file)
        .put("error", Errors.message(e))
        .put("reason", e instanceof PuffinFormatException format ? format.reason() : null);
  }
}
