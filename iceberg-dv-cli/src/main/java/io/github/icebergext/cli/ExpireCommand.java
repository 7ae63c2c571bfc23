package io.github.icebergext.cli;

import io.github.icebergext.cli.mend.ExpireReport;
import io.github.icebergext.cli.mend.Mode;
import io.github.icebergext.cli.source.TableSource;
import io.github.icebergext.cli.table.ManifestCounts;
import io.github.icebergext.cli.text.CommandException;
import io.github.icebergext.cli.text.Errors;
import io.github.icebergext.dv.maintain.ExpiryResult;
import io.github.icebergext.dv.maintain.PuffinGuard;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.apache.iceberg.ExpireSnapshots;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.exceptions.ValidationException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code icedv expire}. */
@Command(
    name = "expire",
    mixinStandardHelpOptions = true,
    description = {
      "Expires old snapshots of a table and deletes the files that no other snapshot needs. Keeps"
          + " every Puffin file that holds a live deletion vector; Iceberg's own expireSnapshots()"
          + " deletes some of them.",
      "",
      "Without --apply it shows what it would do and changes nothing. --apply needs the table's"
          + " catalog, or the folder of a Hadoop table.",
      "",
      "Iceberg chooses the snapshots, as always: the newest of each branch and all that a tag names"
          + " stay. A branch that has an age or a number of snapshots of its own keeps to these."
    })
final class ExpireCommand implements Callable<Integer> {
  private final Output output;

  @Mixin private TableSource source = new TableSource();

  @Option(
      names = "--older-than",
      required = true,
      paramLabel = "AGE",
      converter = AgeConverter.class,
      description =
          "Expire snapshots older than this: 7d, 12h, 90m, 0s or as in ISO 8601, P1DT12H. Nobody"
              + " can read them or go back to them any more.")
  private Duration olderThan = Duration.ZERO;

  @Option(
      names = "--retain-last",
      paramLabel = "N",
      description =
          "Keep at least this many snapshots of each branch, however old; by default what the"
              + " table's properties say.")
  private @Nullable Integer retainLast;

  @Option(names = "--apply", description = "Expire the snapshots and delete the files.")
  private boolean apply;

  @Spec private CommandSpec spec = CommandSpec.create();

  ExpireCommand(Output output) {
    this.output = output;
  }

  @Override
  public Integer call() {
    if (retainLast != null && retainLast < 1) {
      throw new ParameterException(
          spec.commandLine(),
          "Invalid value for option '--retain-last': expected at least 1 but was " + retainLast);
    }
    Instant cutOff = Instant.now().minus(olderThan);
    try (TableSource.OpenTable opened = apply ? source.openForCommit() : source.open()) {
      return output.print(report(opened, cutOff)).exitCode();
    }
  }

  private ExpireReport report(TableSource.OpenTable opened, Instant cutOff) {
    Consumer<ExpireSnapshots> settings =
        expiry -> {
          expiry.expireOlderThan(cutOff.toEpochMilli());
          if (retainLast != null) {
            expiry.retainLast(retainLast);
          }
        };
    try {
      checkReadable(opened.table());
      PuffinGuard guard = PuffinGuard.of(opened.table());
      ExpiryResult result = apply ? guard.expire(settings) : guard.plan(settings);
      return ExpireReport.of(
          source.name(),
          opened,
          new ExpireReport.Asked(apply ? Mode.APPLY : Mode.PLAN, cutOff, retainLast),
          result);
    } catch (RuntimeException e) {
      throw explain(opened, e);
    }
  }

  /** Fails if the table is not where it says that it is, or is broken already. */
  private static void checkReadable(Table table) {
    Snapshot current = table.currentSnapshot();
    if (current != null) {
      ManifestCounts.of(table, current);
    }
  }

  private RuntimeException explain(TableSource.OpenTable opened, RuntimeException e) {
    if (e instanceof ValidationException
        && "false".equalsIgnoreCase(opened.metadata().property(TableProperties.GC_ENABLED, ""))) {
      return new CommandException(
          source.name() + ": " + Errors.message(e) + "; its property gc.enabled is false", e);
    }
    return opened.explain(e);
  }
}
