package io.github.icebergext.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.apache.iceberg.IcebergBuild;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class IcedvTest {
  @TempDir Path folder;

  @Test
  void versionNamesIcebergAndJava() {
    CommandRun run = CommandRun.of("--version");

    assertThat(run.exitCode()).isZero();
    assertThat(run.out())
        .startsWith("icedv ")
        .doesNotContain("$")
        .contains("Apache Iceberg " + IcebergBuild.version())
        .contains("Java " + Runtime.version().feature());
  }

  @Test
  void helpListsTheCommandsAndExitCodes() {
    CommandRun run = CommandRun.of("help");

    assertThat(run.exitCode()).isZero();
    assertThat(run.out())
        .contains(
            "demo",
            "inspect",
            "show",
            "table",
            "diff",
            "delete",
            "expire",
            "protect",
            "orphans",
            "completion",
            "Exit codes:",
            "ICEDV_CLASSPATH");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "demo", "inspect", "show", "table", "diff", "delete", "expire", "protect", "orphans"
      })
  void everyCommandHasHelpAndJson(String command) {
    CommandRun run = CommandRun.of(command, "--help");

    assertThat(run.exitCode()).isZero();
    assertThat(run.out()).contains("Usage: icedv " + command, "--json", "--debug");
  }

  @Test
  void wrongCommandLineIsOneLineAndCodeTwo() {
    CommandRun run = CommandRun.of("inspect", "--foo", "x");

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.out()).isEmpty();
    assertThat(run.err()).isEqualTo("icedv: Unknown option: '--foo' (see icedv inspect --help)\n");
  }

  @Test
  void missingCommandIsAnError() {
    CommandRun run = CommandRun.of();

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).isEqualTo("icedv: Missing command (see icedv --help)\n");
  }

  @Test
  void debugAddsTheTrace() {
    CommandRun run = CommandRun.of("--debug", "inspect", folder.resolve("missing"));

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err().lines().findFirst().orElseThrow()).endsWith("missing: no such file");
    assertThat(run.err()).contains("\tat io.github.icebergext.cli.");
  }

  @Test
  void completionIsAScriptThatBashAccepts() throws IOException, InterruptedException {
    CommandRun run = CommandRun.of("completion");

    assertThat(run.exitCode()).isZero();
    assertThat(run.out()).contains("complete -F", "inspect", "--relocate");
    Path script =
        TestFiles.write(folder.resolve("c.sh"), run.out().getBytes(StandardCharsets.UTF_8));
    Process bash = new ProcessBuilder("bash", "-n", script.toString()).start();
    assertThat(bash.waitFor()).isZero();
  }
}
