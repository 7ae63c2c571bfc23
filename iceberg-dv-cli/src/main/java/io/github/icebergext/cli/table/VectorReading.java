package io.github.icebergext.cli.table;

import io.github.icebergext.cli.source.Relocations;
import io.github.icebergext.cli.text.Json;
import io.github.icebergext.cli.text.Printable;
import io.github.icebergext.cli.text.Terminal;
import io.github.icebergext.dv.DeletionVectorIdentity;
import io.github.icebergext.dv.read.DeletionVectorReader;
import io.github.icebergext.dv.read.ForeignContainerPolicy;
import io.github.icebergext.dv.read.ReadCheck;
import io.github.icebergext.dv.read.ReadListener;
import io.github.icebergext.dv.read.ReadWarning;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.iceberg.Table;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How the vectors of a table are read, and what was odd about those that were applied. */
public final class VectorReading {
  private final List<ReadWarning> warnings = new CopyOnWriteArrayList<>();

  @Option(
      names = "--foreign",
      paramLabel = "reject|warn|allow",
      converter = ForeignConverter.class,
      description = {
        "What becomes of vectors in files that are labelled Puffin but are none, as older DuckDB"
            + " writers, Delta Lake and Apache Paimon left them: refuse them, which is the default,"
            + " apply and name them, or apply them."
      })
  private @Nullable ForeignContainerPolicy foreign;

  /** Tells whether the command line says what becomes of foreign containers. */
  public boolean isForeignSaid() {
    return foreign != null;
  }

  public DeletionVectorReader reader(Table table, Relocations relocations, ReadCheck check) {
    return DeletionVectorReader.builder(table)
        .withCheck(check)
        .withForeignContainers(foreign == null ? ForeignContainerPolicy.REJECT : foreign)
        .withDataFileLocations(relocations::apply)
        .withListener(
            new ReadListener() {
              @Override
              public void warned(ReadWarning warning) {
                warnings.add(warning);
              }
            })
        .build();
  }

  /** Returns the warnings so far as members of a report. */
  public Json.Members toJson() {
    return Json.object()
        .put("warnings", warnings.stream().map(VectorReading::warningJson).toList());
  }

  private static Json.Members warningJson(ReadWarning warning) {
    DeletionVectorIdentity vector = warning.identity();
    return Json.object()
        .put("reason", warning.reason())
        .put("message", warning.message())
        .putAll(
            VectorEntry.placeJson(
                vector.location(), vector.contentOffset(), vector.contentSizeInBytes()))
        .put("referencedDataFile", warning.referencedDataFile().orElse(null));
  }

  /** Prints the warnings so far, a line each, after what was printed before. */
  public void printWarnings(Terminal terminal) {
    terminal.out().flush();
    warnings.forEach(
        warning -> terminal.err().println("icedv: warning: " + Printable.of(text(warning))));
    terminal.err().flush();
  }

  private static String text(ReadWarning warning) {
    return warning.identity().location()
        + ": the vector at offset "
        + warning.identity().contentOffset()
        + " of "
        + warning.referencedDataFile().orElse("an unknown data file")
        + " was applied although "
        + warning.message();
  }
}
