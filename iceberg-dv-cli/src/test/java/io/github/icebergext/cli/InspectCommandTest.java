package io.github.icebergext.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import io.github.icebergext.cli.file.ThetaSketchTest;
import io.github.icebergext.cli.text.Numbers;
import io.github.icebergext.testing.TestData;
import io.github.icebergext.testing.TestData.CorpusFile;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class InspectCommandTest {
  @TempDir Path folder;

  static Stream<CorpusFile> soundPuffinFiles() {
    return TestData.corpusFiles("puffin").stream()
        .filter(file -> file.validity().startsWith("valid"));
  }

  @ParameterizedTest
  @MethodSource("soundPuffinFiles")
  void footersAndSketchesAreWhatTheIndexSays(CorpusFile file) {
    CommandRun run = CommandRun.of("inspect", "--json", file.corpus().resolve(file.path()));

    JsonNode indexed = CommandRun.parse(file.column("decoded"));
    JsonNode shown = run.json();
    assertThat(run.exitCode()).isEqualTo(file.validity().contains("corrupt-blob") ? 1 : 0);
    assertThat(shown.path("footerSizeInBytes")).isEqualTo(indexed.path("footer_size"));
    assertThat(shown.path("flags").asInt())
        .isEqualTo(Integer.decode(indexed.path("flags").asText()));
    assertThat(shown.path("properties").path("created-by").asText(""))
        .isEqualTo(indexed.path("created_by").asText("").replace("null", ""));
    assertThat(shown.path("blobs")).hasSameSizeAs(indexed.path("blobs"));
    for (int i = 0; i < indexed.path("blobs").size(); i++) {
      assertBlob(shown.path("blobs").get(i), indexed.path("blobs").get(i));
    }
  }

  private static void assertBlob(JsonNode shown, JsonNode indexed) {
    assertThat(shown.path("type")).isEqualTo(indexed.path("type"));
    assertThat(shown.path("offset")).isEqualTo(indexed.path("offset"));
    assertThat(shown.path("length")).isEqualTo(indexed.path("length"));
    assertThat(shown.path("fields")).isEqualTo(indexed.path("fields"));
    assertThat(shown.path("compressionCodec")).isEqualTo(indexed.path("codec"));
    assertThat(shown.has("problem")).isEqualTo(indexed.has("error"));
    if (shown.has("note")) {
      assertThat(shown.path("note").asText()).isEqualTo(ThetaSketchTest.refused());
      assertThat(Runtime.version().feature()).isNotIn(17, 21);
    } else if (indexed.has("estimate")) {
      double estimate = indexed.path("estimate").asDouble();
      // The index has three decimals.
      assertThat(shown.path("sketchEstimate").asDouble()).isEqualTo(estimate, within(5e-4));
    }
    if (indexed.has("dv")) {
      assertThat(shown.path("cardinality")).isEqualTo(indexed.path("dv").path("cardinality"));
    }
  }

  @Test
  void textHasTheFooterAndEveryBlob() {
    Path file =
        TestFiles.puffin(
            folder,
            TestFiles.otherBlob("x".repeat(1500)),
            TestFiles.vectorBlob("s3://b/a.parquet", 2, 5, 9));

    CommandRun run = CommandRun.of("inspect", file);

    assertThat(run.exitCode()).isZero();
    String text = run.out().replaceAll("(?m)^  footer .*$", "  footer");
    assertThat(text)
        .isEqualTo(
            file
                + "  Puffin, 2 blobs\n"
                + "  size        1.8 KiB (1,892)\n".replace("1,892", sizeOf(file))
                + "  footer\n"
                + "  created-by  a test\n"
                + "  dead bytes  none\n"
                + "\n"
                + "  #  type                fields  snapshot  sequence  offset           length"
                + "  codec  cardinality\n"
                + "  0  some-blob           1,2            7         3       4  1.5 KiB (1,500)"
                + "  -                -\n"
                + "  1  deletion-vector-v1  -             -1        -1   1,504             44 B"
                + "  -                2\n"
                + "     referenced-data-file  s3://b/a.parquet\n");
  }

  private static String sizeOf(Path file) {
    return Numbers.count(file.toFile().length());
  }

  @Test
  void cardinalityThatTheVectorDoesNotHaveIsAFinding() {
    Path file = TestFiles.puffin(folder, TestFiles.vectorBlob("a.parquet", 3, 5, 9));

    CommandRun run = CommandRun.of("inspect", "--json", file);

    assertThat(run.exitCode()).isEqualTo(1);
    JsonNode problem = run.json().path("blobs").get(0).path("problem");
    assertThat(problem.path("reason").asText()).isEqualTo("CARDINALITY");
    assertThat(problem.path("message").asText())
        .isEqualTo("property cardinality is 3, the vector has 2 positions");
    assertThat(CommandRun.of("inspect", file).out()).contains("  ✗ property cardinality is 3");
  }

  @Test
  void fileThatIsNoPuffinIsAnErrorThatSaysWhatItIs() {
    Path file = TestFiles.write(folder.resolve("a.bin"), TestFiles.vector(5));

    CommandRun run = CommandRun.of("inspect", file);

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.out()).isEmpty();
    assertThat(run.err().lines()).hasSize(1);
    assertThat(run.err())
        .startsWith("icedv: ")
        .contains(file.toString())
        .contains("a bare deletion-vector-v1 blob");
  }

  @Test
  void errorInOneFileDoesNotStopTheOthers() {
    Path puffin = TestFiles.puffin(folder, TestFiles.otherBlob("x"));
    Path missing = folder.resolve("missing");

    CommandRun run = CommandRun.of("inspect", "--json", missing, folder, puffin);

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.jsonLines()).hasSize(3);
    assertThat(run.jsonLines().get(0).path("error").asText()).isEqualTo(missing + ": no such file");
    assertThat(run.jsonLines().get(2).path("blobs")).hasSize(1);
    assertThat(run.err())
        .isEqualTo("icedv: " + missing + ": no such file\nicedv: " + folder + ": is a folder\n");
  }

  @Test
  void fileCannotControlTheTerminal() {
    Path file = TestFiles.puffin(folder, TestFiles.vectorBlob("a\u001b[2J\n\u202egnp", 2, 5));

    assertThat(CommandRun.of("inspect", file).out())
        .contains("a\\u001b[2J\\u000a\\u202egnp\n")
        .doesNotContain("\u001b", "\u202e");
    assertThat(CommandRun.of("show", file).out()).contains("of a\\u001b[2J\\u000a\\u202egnp\n");
    assertThat(
            CommandRun.of("show", "--json", file).json().findValue("referencedDataFile").asText())
        .isEqualTo("a\u001b[2J\n\u202egnp");
  }
}
