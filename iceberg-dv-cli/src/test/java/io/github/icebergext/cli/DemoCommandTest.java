package io.github.icebergext.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DemoCommandTest {
  @TempDir Path folder;

  // Every tenth of 100,000 rows, then 20,000 rows of which a tenth was deleted already.
  @Test
  void bothReadersCountTheRowsThatTwoRoundsLeft() {
    CommandRun run = CommandRun.of("demo", "--json", "--dir", folder.resolve("new folder"));

    assertThat(run.exitCode()).isZero();
    JsonNode json = run.json();
    assertThat(json.path("rows").asLong()).isEqualTo(100_000);
    assertThat(json.path("firstVector").path("recordCount").asLong()).isEqualTo(10_000);
    assertThat(json.path("secondVector").path("recordCount").asLong()).isEqualTo(28_000);
    assertThat(json.path("secondVector").path("newPositionCount").asLong()).isEqualTo(18_000);
    assertThat(json.path("secondVector").path("replaced").asInt()).isEqualTo(1);
    assertThat(json.path("liveRowsByIceberg").asLong()).isEqualTo(72_000);
    assertThat(json.path("liveRowsByVectors").asLong()).isEqualTo(72_000);
    assertThat(json.path("agree").asBoolean()).isTrue();
  }

  @Test
  void secondRunAddsATable() {
    assertThat(CommandRun.of("demo", "--dir", folder).exitCode()).isZero();

    CommandRun second = CommandRun.of("demo", "--dir", folder);

    assertThat(second.exitCode()).isZero();
    assertThat(second.out())
        .contains(
            "demo.db.events_2", "72,000 live rows by Iceberg's own reader, 72,000 by the vector");
  }

  @Test
  void tableOfTheDemoHasOneVector() {
    String location =
        CommandRun.of("demo", "--json", "--dir", folder).json().path("location").asText();

    CommandRun run = CommandRun.of("table", "--json", location);

    assertThat(run.exitCode()).isZero();
    JsonNode vectors = run.json().path("deletionVectors");
    assertThat(vectors).hasSize(1);
    assertThat(vectors.get(0).path("recordCount").asLong()).isEqualTo(28_000);
    assertThat(vectors.get(0).path("dataFileRecordCount").asLong()).isEqualTo(100_000);
  }
}
