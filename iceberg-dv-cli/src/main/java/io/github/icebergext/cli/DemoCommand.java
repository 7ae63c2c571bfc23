package io.github.icebergext.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code icedv demo}. */
@Command(
    name = "demo",
    mixinStandardHelpOptions = true,
    description = {
      "Makes a small warehouse, deletes rows of one data file twice, and counts what is left by"
          + " Iceberg's own reader and by the deletion vectors."
    })
final class DemoCommand implements Callable<Integer> {
  private final Output output;

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      description = {
        "Folder of the warehouse; a run adds a table to those of earlier ones. By default a new"
            + " temporary folder, which stays."
      })
  private @Nullable Path folder;

  DemoCommand(Output output) {
    this.output = output;
  }

  @Override
  public Integer call() {
    try (DemoWarehouse warehouse = new DemoWarehouse(folder())) {
      return output.print(DemoReport.of(warehouse)).exitCode();
    }
  }

  private Path folder() {
    if (folder != null) {
      return folder;
    }
    try {
      return Files.createTempDirectory("icedv-demo-");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
