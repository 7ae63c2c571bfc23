package io.github.icebergext.cli;

import io.github.icebergext.cli.mend.Mode;
import io.github.icebergext.cli.mend.ProtectReport;
import io.github.icebergext.cli.source.TableSource;
import io.github.icebergext.cli.table.ManifestCounts;
import io.github.icebergext.cli.table.PuffinRisk;
import io.github.icebergext.dv.maintain.GuardBranch;
import java.util.concurrent.Callable;
import org.apache.iceberg.Table;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code icedv protect}. */
@Command(
    name = "protect",
    mixinStandardHelpOptions = true,
    description = {
      "Protects a table whose snapshots are expired by others than icedv expire: by a service that"
          + " calls Iceberg's expireSnapshots(), by Flink or by Trino. These delete Puffin files"
          + " that hold live deletion vectors, unless the table has a branch that leaves main. This"
          + " command makes such a branch: "
          + GuardBranch.NAME
          + ".",
      "",
      "Without --apply it shows whether the table is protected and what it would do, and changes"
          + " nothing. --apply needs the table's catalog, or the folder of a Hadoop table."
    })
final class ProtectCommand implements Callable<Integer> {
  private final Output output;

  @Mixin private TableSource source = new TableSource();

  @Option(names = "--remove", description = "Remove the branch instead.")
  private boolean remove;

  @Option(names = "--apply", description = "Make or remove the branch.")
  private boolean apply;

  ProtectCommand(Output output) {
    this.output = output;
  }

  @Override
  public Integer call() {
    try (TableSource.OpenTable opened = apply ? source.openForCommit() : source.open()) {
      return output.print(report(opened)).exitCode();
    }
  }

  private ProtectReport report(TableSource.OpenTable opened) {
    Table table = opened.table();
    try {
      GuardBranch branch = GuardBranch.of(table);
      GuardBranch.State before = branch.state();
      ManifestCounts files = remove ? null : manifests(opened, before);
      boolean changed = apply && (remove ? branch.remove() : branch.create());
      if (changed) {
        table.refresh();
      }
      return new ProtectReport(
          source.name(),
          TableSource.metadata(table),
          new ProtectReport.Asked(
              apply ? Mode.APPLY : Mode.PLAN,
              remove ? ProtectReport.Goal.WITHOUT_BRANCH : ProtectReport.Goal.WITH_BRANCH),
          before,
          files,
          PuffinRisk.of(opened));
    } catch (RuntimeException e) {
      throw opened.explain(e);
    }
  }

  private static @Nullable ManifestCounts manifests(
      TableSource.OpenTable opened, GuardBranch.State before) {
    return before == GuardBranch.State.ABSENT && opened.table().currentSnapshot() != null
        ? ManifestCounts.of(opened.table(), opened.table().currentSnapshot())
        : null;
  }
}
