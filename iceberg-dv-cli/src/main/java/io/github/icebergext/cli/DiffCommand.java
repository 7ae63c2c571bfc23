package io.github.icebergext.cli;

import io.github.icebergext.cli.file.PositionsPrinter;
import io.github.icebergext.cli.source.TableSource;
import io.github.icebergext.cli.table.DiffChange;
import io.github.icebergext.cli.table.DiffReport;
import io.github.icebergext.cli.table.VectorReading;
import io.github.icebergext.cli.text.CommandException;
import io.github.icebergext.cli.text.Outcome;
import io.github.icebergext.cli.text.Printable;
import io.github.icebergext.cli.text.Problem;
import io.github.icebergext.dv.read.DeletionVectorReader;
import io.github.icebergext.dv.read.ReadCheck;
import io.github.icebergext.dv.table.DeletesBetween;
import io.github.icebergext.dv.table.DeletesChange;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.io.CloseableIterable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code icedv diff}. */
@Command(
    name = "diff",
    mixinStandardHelpOptions = true,
    description = {
      "Shows which rows of a table were deleted by position from one snapshot to another: of each"
          + " data file how many, and on request which. Also names the data files that came with"
          + " deletes, that vanished or were rewritten, and vectors that lost deleted rows."
    })
final class DiffCommand implements Callable<Integer> {
  private final Output output;

  @Mixin private TableSource source = new TableSource();

  @Option(
      names = "--from",
      required = true,
      paramLabel = "ID",
      description = "The first snapshot, most often an older one.")
  private long from;

  @Option(
      names = "--to",
      paramLabel = "ID",
      description = "The second snapshot; by default the current one.")
  private @Nullable Long to;

  @Option(
      names = "--ranges",
      paramLabel = "N",
      defaultValue = "0",
      description =
          "How many ranges of newly deleted rows to show at most for each data file"
              + " (${DEFAULT-VALUE}).")
  private int maxRanges;

  @Option(
      names = "--positions",
      description =
          "Print every newly deleted position and nothing else, one a line: the data file, a tab,"
              + " the position; with --json an array for each data file.")
  private boolean positions;

  @Mixin private VectorReading reading = new VectorReading();

  @Spec private CommandSpec spec = CommandSpec.create();

  DiffCommand(Output output) {
    this.output = output;
  }

  @Override
  public Integer call() {
    if (maxRanges < 0) {
      throw new ParameterException(
          spec.commandLine(), "--ranges must not be negative, but is " + maxRanges);
    }
    try (TableSource.OpenTable opened = source.open()) {
      return run(opened).exitCode();
    }
  }

  private Outcome run(TableSource.OpenTable opened) {
    try {
      Snapshot first = source.snapshot(opened.table(), from);
      Snapshot second = second(opened.table());
      DeletesBetween between =
          DeletesBetween.of(opened.table(), first.snapshotId(), second.snapshotId());
      DeletionVectorReader reader =
          reading.reader(opened.table(), source.relocations(), ReadCheck.FULL);
      Outcome outcome =
          positions && !output.isJson()
              ? printPositions(between, reader)
              : output.print(
                  new DiffReport(
                      source.name(),
                      opened.metadata(),
                      first,
                      second,
                      between.fromIsAncestor(),
                      changes(between, reader)),
                  reading.toJson());
      reading.printWarnings(output.terminal());
      return outcome;
    } catch (RuntimeException e) {
      throw opened.explain(e);
    }
  }

  private Snapshot second(Table table) {
    if (to != null) {
      return source.snapshot(table, to);
    }
    Snapshot current = table.currentSnapshot();
    if (current == null) {
      throw new CommandException(source.name() + ": has no current snapshot, so --to is needed");
    }
    return current;
  }

  private List<DiffChange> changes(DeletesBetween between, DeletionVectorReader reader) {
    List<DiffChange> changes = new ArrayList<>();
    forEach(between, reader, change -> changes.add(DiffChange.of(change, maxRanges, positions)));
    return changes;
  }

  private Outcome printPositions(DeletesBetween between, DeletionVectorReader reader) {
    List<Outcome> outcomes = new ArrayList<>(List.of(Outcome.FINE));
    forEach(
        between,
        reader,
        change -> {
          DiffChange shown = DiffChange.of(change, 0, positions);
          printPositions(shown);
          Problem problem = shown.problem();
          if (problem != null) {
            output.terminal().out().flush();
            output.terminal().err().println("icedv: " + problem.message());
            outcomes.add(Outcome.FINDINGS);
          }
        });
    return outcomes.stream().reduce(Outcome.FINE, Outcome::and);
  }

  private void printPositions(DiffChange change) {
    if (change.positions() != null && change.kind() != DiffChange.Kind.DATA_FILE_ADDED) {
      String start = Printable.of(change.dataFile().location()) + "\t";
      PositionsPrinter.print(output.terminal().out(), start, change.positions());
    }
  }

  private static void forEach(
      DeletesBetween between, DeletionVectorReader reader, Consumer<DeletesChange> consumer) {
    try (CloseableIterable<DeletesChange> changes = between.changes(reader)) {
      changes.forEach(consumer);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
