package io.github.icebergext.cli;

import io.github.icebergext.cli.source.TableSource;
import io.github.icebergext.cli.table.TableReport;
import io.github.icebergext.cli.table.VectorReading;
import io.github.icebergext.cli.text.Outcome;
import io.github.icebergext.dv.read.DeletionVectorReader;
import io.github.icebergext.dv.read.ReadCheck;
import java.util.concurrent.Callable;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code icedv table}. */
@Command(
    name = "table",
    mixinStandardHelpOptions = true,
    description = {
      "Lists the live deletion vectors of a table's snapshot, as its delete manifests have them."
          + " Names the Puffin files that a plain expiry of snapshots would destroy."
    })
final class TableCommand implements Callable<Integer> {
  private final Output output;

  @Mixin private TableSource source = new TableSource();

  @Option(
      names = "--snapshot",
      paramLabel = "ID",
      description = "The snapshot to look at; by default the current one.")
  private @Nullable Long snapshotId;

  @Option(
      names = "--check",
      paramLabel = "entry|full",
      converter = CheckConverter.class,
      description = {
        "Read every vector too, and hold it to its entry; full: also to the footer of its Puffin"
            + " file."
      })
  private @Nullable ReadCheck check;

  @Mixin private VectorReading reading = new VectorReading();

  @Spec private CommandSpec spec = CommandSpec.create();

  TableCommand(Output output) {
    this.output = output;
  }

  @Override
  public Integer call() {
    if (reading.isForeignSaid() && check != ReadCheck.FULL) {
      throw new ParameterException(
          spec.commandLine(), "--foreign needs --check full, which alone looks at the containers");
    }
    try (TableSource.OpenTable opened = source.open()) {
      TableReport report = report(opened);
      Outcome outcome = output.print(report, reading.toJson());
      reading.printWarnings(output.terminal());
      return outcome.exitCode();
    }
  }

  private TableReport report(TableSource.OpenTable opened) {
    try {
      return TableReport.of(source.name(), opened, snapshot(opened.table()), reader(opened));
    } catch (RuntimeException e) {
      throw opened.explain(e);
    }
  }

  private @Nullable DeletionVectorReader reader(TableSource.OpenTable opened) {
    return check == null ? null : reading.reader(opened.table(), source.relocations(), check);
  }

  private @Nullable Snapshot snapshot(Table table) {
    return snapshotId == null ? table.currentSnapshot() : source.snapshot(table, snapshotId);
  }
}
