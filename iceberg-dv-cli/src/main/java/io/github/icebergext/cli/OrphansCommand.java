package io.github.icebergext.cli;

import io.github.icebergext.cli.source.TableSource;
import io.github.icebergext.cli.table.OrphanSearch;
import io.github.icebergext.cli.table.OrphansReport;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code icedv orphans}. */
@Command(
    name = "orphans",
    mixinStandardHelpOptions = true,
    description = {
      "Lists the files in a table's folder that nothing of the table refers to: no snapshot of any"
          + " branch or tag, no statistics file, no metadata file of the log. Deletes nothing.",
      "",
      "Files are compared by path. Scheme and authority do not count (s3, s3a and s3n are one, and"
          + " so are file:/x, file:///x and /x), nor do repeated slashes, so that no file is listed"
          + " because its location is spelled in another way. Files that are hidden, by a name that"
          + " starts with _ or ., and those of a table that has its folder within this one are not"
          + " listed.",
      "",
      "Without a catalog nobody tells which metadata file is current: files that any of the newest"
          + " refers to are in use."
    })
final class OrphansCommand implements Callable<Integer> {
  private final Output output;

  @Mixin private TableSource source = new TableSource();

  @Option(
      names = "--older-than",
      paramLabel = "AGE",
      defaultValue = "3d",
      converter = AgeConverter.class,
      description =
          "List only files older than this: 3d, 12h, 90m, 0s or as in ISO 8601, P1DT12H"
              + " (${DEFAULT-VALUE}). It must be longer than any writer takes from its first file"
              + " to its commit.")
  private Duration olderThan = Duration.ZERO;

  @Option(
      names = "--under",
      paramLabel = "FOLDER",
      description =
          "Look in this folder instead of the table's; may be given several times. Where other"
              + " tables use it too, their files are listed as well.")
  private List<String> folders = new ArrayList<>();

  @Option(
      names = "--locations",
      description = "Print the location of each file and nothing else, one a line.")
  private boolean onlyLocations;

  OrphansCommand(Output output) {
    this.output = output;
  }

  @Override
  public Integer call() {
    Instant cutOff = Instant.now().minus(olderThan);
    try (TableSource.OpenTable opened = source.open()) {
      OrphansReport report = report(opened, cutOff);
      if (onlyLocations && !output.isJson()) {
        report.printLocations(output.terminal());
        return report.outcome().exitCode();
      }
      return output.print(report).exitCode();
    }
  }

  private OrphansReport report(TableSource.OpenTable opened, Instant cutOff) {
    try {
      return new OrphanSearch(source, cutOff).run(opened, folders);
    } catch (RuntimeException e) {
      throw opened.explain(e);
    }
  }
}
