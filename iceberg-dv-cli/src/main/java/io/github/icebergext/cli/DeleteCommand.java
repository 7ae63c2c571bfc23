package io.github.icebergext.cli;

import io.github.icebergext.cli.source.TableSource;
import io.github.icebergext.cli.table.DeleteReport;
import io.github.icebergext.cli.table.PlannedDelete;
import io.github.icebergext.cli.table.PositionsFile;
import io.github.icebergext.cli.text.CommandException;
import io.github.icebergext.dv.read.DeletionVectorReader;
import io.github.icebergext.dv.table.LiveDeletes;
import io.github.icebergext.dv.write.CommittedVectors;
import io.github.icebergext.dv.write.DeletionVectorWriter;
import io.github.icebergext.dv.write.FlushedVector;
import io.github.icebergext.dv.write.UnchangedVectorPolicy;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotRef;
import org.apache.iceberg.Table;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code icedv delete}. */
@Command(
    name = "delete",
    mixinStandardHelpOptions = true,
    description = {
      "Deletes rows of a table by position, in one commit of deletion vectors. Needs the table's"
          + " catalog, or the folder of a Hadoop table. If anything in the file is wrong, nothing"
          + " is written."
    })
final class DeleteCommand implements Callable<Integer> {
  /** Vectors are of this version. */
  private static final int FORMAT_VERSION = 3;

  private static final CommittedVectors NOTHING =
      new CommittedVectors(OptionalLong.empty(), List.of(), List.of());

  private final Output output;

  @Mixin private TableSource source = new TableSource();

  @Option(
      names = "--where-positions",
      required = true,
      paramLabel = "FILE",
      description = {
        "The rows, one a line: the location of the data file as the table spells it, a comma, the"
            + " position in the file from 0; - reads standard input. Quotes as in RFC 4180, tabs"
            + " instead of commas, a header, blank lines, lines that start with # and rows named"
            + " twice are fine."
      })
  private String file = "";

  @Option(
      names = "--branch",
      paramLabel = "NAME",
      defaultValue = SnapshotRef.MAIN_BRANCH,
      description = "The branch to read and to commit to (${DEFAULT-VALUE}).")
  private String branch = "";

  @Option(
      names = "--dry-run",
      description = "Check the rows and show what would be deleted, but write nothing.")
  private boolean dryRun;

  DeleteCommand(Output output) {
    this.output = output;
  }

  @Override
  public Integer call() {
    PositionsFile positions = PositionsFile.read(file);
    try (TableSource.OpenTable opened = source.openForCommit()) {
      return output.print(delete(opened, positions)).exitCode();
    }
  }

  private DeleteReport delete(TableSource.OpenTable opened, PositionsFile positions) {
    int version = opened.metadata().formatVersion();
    if (version != FORMAT_VERSION) {
      throw new CommandException(
          source.name()
              + ": is of format version "
              + version
              + ", and deletion vectors need "
              + FORMAT_VERSION);
    }
    Table table = opened.table();
    LiveDeletes live = LiveDeletes.of(table, head(table));
    List<PlannedDelete> planned = PlannedDelete.of(positions, live, DeletionVectorReader.of(table));
    CommittedVectors committed = dryRun ? NOTHING : commit(table, live, planned);
    Map<String, FlushedVector> vectors = new HashMap<>();
    committed.vectors().forEach(flushed -> vectors.put(flushed.referencedDataFile(), flushed));
    OptionalLong snapshotId = committed.snapshotId();
    return new DeleteReport(
        source.name(),
        opened.metadata(),
        branch,
        dryRun,
        snapshotId.isPresent() ? table.snapshot(snapshotId.getAsLong()) : null,
        planned.stream()
            .map(plan -> new DeleteReport.Deleted(plan, vectors.get(plan.dataFile().location())))
            .toList());
  }

  /** Returns the newest snapshot of the branch; null if the table has none. */
  private @Nullable Snapshot head(Table table) {
    SnapshotRef ref = table.refs().get(branch);
    if (ref == null && branch.equals(SnapshotRef.MAIN_BRANCH)) {
      return null;
    }
    if (ref == null || !ref.isBranch()) {
      throw new CommandException(source.name() + ": has no branch " + branch);
    }
    return table.snapshot(ref.snapshotId());
  }

  private CommittedVectors commit(Table table, LiveDeletes live, List<PlannedDelete> planned) {
    try (DeletionVectorWriter writer =
        DeletionVectorWriter.builder(table, live)
            .withUnchangedVectors(UnchangedVectorPolicy.SKIP)
            .build()) {
      planned.forEach(plan -> writer.delete(plan.dataFile(), plan.added()));
      return writer.flush().newCommit().toBranch(branch).commit();
    }
  }
}
