package io.github.icebergext.puffin;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.icebergext.puffin.CompressionContract.Coder;
import io.github.icebergext.testing.TestData;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** The {@code lz4} and {@code zstd} commands as oracles. */
final class CommandLine {
  private CommandLine() {}

  /**
   * Returns what runs {@code lz4 OPTIONS} or {@code zstd OPTIONS} on a file: of a file they know
   * the size, and can store it.
   */
  static Coder command(String command, String... options) {
    return bytes -> {
      TestData.requireCommand(command);
      Path file = Files.createTempFile("codec", ".in");
      try {
        Files.write(file, bytes);
        return outputOf(command, options, file);
      } finally {
        Files.delete(file);
      }
    };
  }

  private static byte[] outputOf(String command, String[] options, Path file) throws IOException {
    List<String> line = new ArrayList<>(List.of(command, "-q", "-c"));
    line.addAll(List.of(options));
    line.add(file.toString());
    Process process = new ProcessBuilder(line).start();
    // Nothing interrupts who waits for its output, and its end does.
    CompletableFuture.delayedExecutor(30, TimeUnit.SECONDS).execute(process::destroyForcibly);
    byte[] output = process.getInputStream().readAllBytes();
    String errors = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.onExit().join().exitValue()).as(line + ": " + errors).isZero();
    return output;
  }
}
