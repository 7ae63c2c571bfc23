package io.github.icebergext.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.github.icebergext.testing.TestData;
import io.github.icebergext.testing.TestData.CorpusFile;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ShowCommandTest {
  @TempDir Path folder;

  static Stream<CorpusFile> soundBareVectors() {
    return TestData.corpusFiles("dv").stream().filter(file -> file.validity().equals("valid"));
  }

  static Stream<CorpusFile> brokenBareVectors() {
    return TestData.corpusFiles("dv").stream().filter(file -> file.validity().equals("invalid"));
  }

  static Stream<CorpusFile> deltaFiles() {
    return TestData.corpusFiles("delta").stream();
  }

  static Stream<CorpusFile> puffinFilesWithVectors() {
    return TestData.corpusFiles("puffin").stream()
        .filter(file -> file.column("decoded").contains("\"dv\":"));
  }

  @ParameterizedTest
  @MethodSource("soundBareVectors")
  void bareVectorsAreWhatTheIndexSays(CorpusFile file) {
    CommandRun run = CommandRun.of("show", "--json", path(file));

    assertThat(run.exitCode()).isZero();
    JsonNode json = run.json();
    assertThat(json.path("container").asText()).isEqualTo("BARE_DELETION_VECTOR");
    assertThat(json.path("deletionVectors")).hasSize(1);
    assertFacts(json, decoded(file));
    assertFacts(json.path("deletionVectors").get(0), decoded(file));
  }

  @ParameterizedTest
  @MethodSource("brokenBareVectors")
  void brokenVectorsAreFindings(CorpusFile file) {
    CommandRun run = CommandRun.of("show", "--json", path(file));

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.json().path("reason").asText()).isNotEmpty();
    assertThat(run.err().lines()).hasSize(1);
    assertThat(run.err()).startsWith("icedv: ").contains(file.path());
  }

  @ParameterizedTest
  @MethodSource("deltaFiles")
  void framesAreWhatTheIndexSays(CorpusFile file) {
    CommandRun run = CommandRun.of("show", "--json", path(file));

    assertThat(run.exitCode()).isZero();
    JsonNode shown = run.json().path("deletionVectors");
    JsonNode records = decoded(file).path("records");
    assertThat(shown).hasSameSizeAs(records);
    for (int i = 0; i < records.size(); i++) {
      assertFacts(shown.get(i), records.get(i));
      assertThat(shown.get(i).path("offset")).isEqualTo(records.get(i).path("offset"));
      // Delta counts neither the length prefix nor the checksum.
      assertThat(shown.get(i).path("length").asLong())
          .isEqualTo(records.get(i).path("size_in_bytes").asLong() + 8);
    }
  }

  @ParameterizedTest
  @MethodSource("puffinFilesWithVectors")
  void vectorsOfPuffinFilesAreWhatTheIndexSays(CorpusFile file) {
    CommandRun run = CommandRun.of("show", "--json", path(file));

    assertThat(run.exitCode()).isZero();
    JsonNode blobs = decoded(file).path("blobs");
    JsonNode shown = run.json().path("deletionVectors");
    assertThat(shown).hasSameSizeAs(blobs);
    for (int i = 0; i < blobs.size(); i++) {
      assertFacts(shown.get(i), blobs.get(i).path("dv"));
      assertThat(shown.get(i).path("offset")).isEqualTo(blobs.get(i).path("offset"));
      assertThat(shown.get(i).path("length")).isEqualTo(blobs.get(i).path("length"));
    }
  }

  private static void assertFacts(JsonNode shown, JsonNode indexed) {
    assertThat(shown.path("cardinality")).isEqualTo(indexed.path("cardinality"));
    assertThat(shown.path("firstPosition").asLong(-1)).isEqualTo(indexed.path("min").asLong(-1));
    assertThat(shown.path("lastPosition").asLong(-1)).isEqualTo(indexed.path("max").asLong(-1));
    assertThat(shown.path("positionsSha256")).isEqualTo(indexed.path("positions_sha256"));
    if (shown.has("containers")) {
      for (String kind : new String[] {"array", "bitmap", "run"}) {
        assertThat(shown.path("containers").path(kind).asInt())
            .as(kind)
            .isEqualTo(indexed.path("containers").path(kind).asInt());
      }
      // Delta and Iceberg store empty bitmaps too, which the index lists.
      if (!indexed.path("notes").toString().contains("empty bitmap")) {
        assertThat(shown.path("keys").asInt()).isEqualTo(indexed.path("bitmap_keys").size());
      }
    }
  }

  private static Path path(CorpusFile file) {
    return file.corpus().resolve(file.path());
  }

  private static JsonNode decoded(CorpusFile file) {
    return CommandRun.parse(file.column("decoded"));
  }

  @Test
  void textSaysWhereRowsAreDeletedAndHowTheyAreStored() {
    long[] positions = new long[104];
    for (int i = 0; i < 100; i++) {
      positions[i] = 200L + i;
    }
    positions[101] = 2;
    positions[102] = 3;
    positions[103] = 1000;
    Path file =
        TestFiles.puffin(
            folder,
            TestFiles.otherBlob("other"),
            TestFiles.vectorBlob("s3://b/t/data/a.parquet", 104, positions));

    // 14 characters go to the label, so that 26 cells of 39 rows are left of 40.
    CommandRun run = CommandRun.onTerminal(40, "show", file);

    assertThat(run.exitCode()).isZero();
    assertThat(plain(run.out()))
        .isEqualTo(
            file
                + "  Puffin, 1 deletion vector\n"
                + "\n"
                + "  blob 1  of s3://b/t/data/a.parquet\n"
                + "  deleted     104 rows, positions 0 to 1,000\n"
                + "  stored      51 B at offset 9, 0.49 bytes a deleted row\n"
                + "  layout      1 key: 1 run container\n"
                + "  density     ▁····▇█▅·················▁\n"
                + "              0 to 1,000, a cell for 39 rows\n"
                + "  ranges      0  2–3  200–299  1,000\n");
  }

  private static String plain(String text) {
    return text.replaceAll("\u001b\\[[0-9]+m", "");
  }

  @Test
  void colourIsForTerminalsOnly() {
    Path file = TestFiles.puffin(folder, TestFiles.vectorBlob("a.parquet", 1, 5));

    assertThat(CommandRun.onTerminal(80, "show", file).out()).contains("\u001b[1m");
    assertThat(CommandRun.of("show", file).out()).doesNotContain("\u001b");
  }

  @Test
  void rangesBeyondTheFirstAreCounted() {
    Path file = TestFiles.write(folder.resolve("a.bin"), TestFiles.vector(1, 3, 5, 7));

    CommandRun run = CommandRun.of("show", "--ranges", 2, file);

    assertThat(run.out()).contains("  ranges      1  3  … and 2 more\n");
    JsonNode vector =
        CommandRun.of("show", "--json", "--ranges", 2, file).json().path("deletionVectors").get(0);
    assertThat(vector.path("rangeCount").asInt()).isEqualTo(4);
    assertThat(vector.path("ranges").toString())
        .isEqualTo(
            "[{\"startInclusive\":1,\"endExclusive\":2},{\"startInclusive\":3,\"endExclusive\":4}]");
  }

  @Test
  void positionsStandOneALine() {
    Path file = TestFiles.write(folder.resolve("a.bin"), TestFiles.vector(1, 70_000, 1L << 40));

    assertThat(CommandRun.of("show", "--positions", file).out())
        .isEqualTo("1\n70000\n1099511627776\n");
  }

  @Test
  void positionsAreAnArrayInJson() {
    Path file = TestFiles.puffin(folder, TestFiles.vectorBlob("a.parquet", 2, 5, 9));

    assertThat(CommandRun.of("show", "--json", "--positions", file).json().findPath("positions"))
        .hasToString("[5,9]");
  }

  @Test
  void positionsOfSeveralVectorsAreNotMixed() {
    Path file =
        TestFiles.puffin(folder, TestFiles.vectorBlob("a", 1, 5), TestFiles.vectorBlob("b", 1, 6));

    CommandRun run = CommandRun.of("show", "--positions", file);

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.out()).isEmpty();
    assertThat(run.err())
        .isEqualTo("icedv: " + file + ": has 2 deletion vectors: --positions needs a --blob\n");
    assertThat(CommandRun.of("show", "--positions", "--blob", 1, file).out()).isEqualTo("6\n");
  }

  @Test
  void vectorIsFoundByOffsetAndLength() {
    byte[] vector = TestFiles.vector(5);
    Path file =
        TestFiles.puffin(folder, TestFiles.vectorBlob("a", 1, 5), TestFiles.vectorBlob("b", 1, 6));

    CommandRun run =
        CommandRun.of("show", "--offset", 4 + vector.length, "--length", vector.length, file);

    assertThat(run.exitCode()).isZero();
    assertThat(run.out()).contains("1 row, at position 6");
  }

  @Test
  void rangePastTheEndIsAnError() {
    Path file = TestFiles.write(folder.resolve("a.bin"), TestFiles.vector(1));

    CommandRun run = CommandRun.of("show", "--offset", 10, "--length", 100, file);

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).contains("offset 10 and length 100 passes the end of the file at 42");
  }

  @Test
  void offsetNeedsALength() {
    CommandRun run = CommandRun.of("show", "--offset", 4, "x.puffin");

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err())
        .isEqualTo("icedv: Missing required argument(s): --length=N (see icedv show --help)\n");
  }

  @Test
  void brokenVectorAmongOthersIsMarked() {
    byte[] broken = TestFiles.vector(7);
    broken[20] ^= 1;
    Path file = TestFiles.frames(folder, TestFiles.vector(5), broken, TestFiles.vector(9));

    CommandRun run = CommandRun.of("show", "--json", file);

    assertThat(run.exitCode()).isEqualTo(1);
    JsonNode vectors = run.json().path("deletionVectors");
    assertThat(vectors.get(0).path("lastPosition").asLong()).isEqualTo(5);
    assertThat(vectors.get(1).path("problem").path("reason").asText()).isEqualTo("VECTOR_CHECKSUM");
    assertThat(vectors.get(2).path("lastPosition").asLong()).isEqualTo(9);
    assertThat(CommandRun.of("show", file).out()).contains("  ✗ ");
  }

  @Test
  void thirtyTwoBitVectorOfPaimonIsRefused() {
    byte[] vector = TestFiles.vector(5);
    ByteBuffer.wrap(vector).putInt(4, 1581511376);
    Path file = TestFiles.frames(folder, vector);

    CommandRun run = CommandRun.of("show", file);

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err()).startsWith("icedv: " + file + ": ").contains("Paimon");
  }

  @Test
  void frameThatDoesNotFitTheFileIsAFinding() {
    Path file = TestFiles.frames(folder, TestFiles.vector(5), new byte[] {127, 0, 0, 0, 1});

    CommandRun run = CommandRun.of("show", "--json", file);

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.json().path("reason").asText()).isEqualTo("VECTOR_LENGTH");
    assertThat(run.err()).contains("frame at offset 43").contains("expected 8 to 5");
  }

  @Test
  void fileWithoutVectorsIsAnError() {
    Path file =
        TestFiles.puffin(folder, TestFiles.otherBlob("other"), TestFiles.otherBlob("another"));

    CommandRun run = CommandRun.of("show", file);

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err())
        .isEqualTo(
            "icedv: "
                + file
                + ": holds no deletion vectors, but 2 of type some-blob (see icedv inspect)\n");
  }

  @Test
  void missingVectorIsAnError() {
    Path file = TestFiles.puffin(folder, TestFiles.vectorBlob("a", 1, 5));

    CommandRun run = CommandRun.of("show", "--blob", 3, file);

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).contains("no deletion vector with index 3, it has [0]");
  }

  @Test
  void emptyVectorHasNoPositions() {
    Path file = TestFiles.write(folder.resolve("a.bin"), TestFiles.vector());

    CommandRun run = CommandRun.of("show", file);

    assertThat(run.exitCode()).isZero();
    assertThat(run.out()).contains("  deleted     0 rows\n").doesNotContain("density");
    assertThat(CommandRun.of("show", "--json", file).json().has("firstPosition")).isFalse();
  }
}
