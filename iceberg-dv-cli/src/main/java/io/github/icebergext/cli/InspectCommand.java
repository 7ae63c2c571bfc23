package io.github.icebergext.cli;

import io.github.icebergext.cli.file.PuffinReport;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code icedv inspect}. */
@Command(
    name = "inspect",
    mixinStandardHelpOptions = true,
    description = {
      "Shows what Puffin files hold: footer, properties, blobs, dead bytes; for theta sketches the"
          + " estimate of the sketch itself, and whether deletion vectors are sound."
    })
final class InspectCommand implements Callable<Integer> {
  private final EachFile eachFile;

  @Parameters(arity = "1..*", paramLabel = "FILE", description = "Puffin files, local or by URI.")
  private List<String> files = List.of();

  InspectCommand(EachFile eachFile) {
    this.eachFile = eachFile;
  }

  @Override
  public Integer call() {
    return eachFile.apply(files, PuffinReport::of);
  }
}
