package io.github.icebergext.puffin;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.icebergext.testing.TestData;
import io.github.icebergext.testing.TestData.CorpusFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class ContainerTest {
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  /** Magic bytes as each format's own spec has them. */
  @ParameterizedTest
  @CsvSource({
    "PFA1............PFA1, PUFFIN",
    "PFA1............PFA2, TRUNCATED_PUFFIN",
    "PFA1, TRUNCATED_PUFFIN",
    "PFA1...........PFA1, TRUNCATED_PUFFIN",
    "PAR1............PAR1, PARQUET",
    "PAR1............, PARQUET",
    "PARE............PARE, ENCRYPTED_PARQUET",
    "ORC............ORC., ORC",
    "Obj\u0001............, AVRO",
    "Obj2............, UNKNOWN",
    "AGS1............, ENCRYPTED",
    "............PFA1, UNKNOWN",
    "PFA2............PFA1, UNKNOWN",
    "PFA, UNKNOWN",
    "., UNKNOWN"
  })
  void tellsAFileByItsFirstBytes(String text, Container expected) {
    byte[] file = text.getBytes(StandardCharsets.ISO_8859_1);

    assertThat(detect(file)).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({
    "....PFA1, PUFFIN",
    "....PAR1, PARQUET",
    "....PARE, ENCRYPTED_PARQUET",
    "..., UNKNOWN"
  })
  void tellsAFileByItsLastBytesWhenItsFirstAreNotAtHand(String text, Container expected) {
    ByteBuffer tail = StandardCharsets.ISO_8859_1.encode(text);

    assertThat(Container.detect(NOTHING, tail, 1000)).isEqualTo(expected);
  }

  @Test
  void callsAFileOfNoBytesEmpty() {
    assertThat(Container.detect(NOTHING, NOTHING, 0)).isEqualTo(Container.EMPTY);
  }

  @Test
  void doesNotKnowAFileOfWhichNothingIsAtHand() {
    assertThat(Container.detect(NOTHING, NOTHING, 1000)).isEqualTo(Container.UNKNOWN);
  }

  @ParameterizedTest
  @CsvSource({
    "00000022D1D33964, 42, BARE_DELETION_VECTOR",
    "00000022D1D33964, -1, BARE_DELETION_VECTOR",
    "00000022D1D33964, 41, UNKNOWN",
    "00000022D1D33964, 43, UNKNOWN",
    "00000022D1D33965, 42, UNKNOWN",
    "00000022D1D339, 42, UNKNOWN",
    "FFFFFFF8D1D33964, 0, EMPTY",
    "FFFFFFFFD1D33964, 7, UNKNOWN",
    "0100000022D1D33964, 43, DELTA_OR_PAIMON",
    "01000000225E43F2D0, 43, DELTA_OR_PAIMON",
    "0100000022D1D339, 43, DELTA_OR_PAIMON",
    "01, 1, DELTA_OR_PAIMON",
    "0100000022D1D33965, 43, UNKNOWN",
    "0000000022D1D33964, 43, UNKNOWN"
  })
  void tellsVectorsOutsideOfPuffin(String head, long fileSize, Container expected) {
    ByteBuffer bytes = ByteBuffer.wrap(HexFormat.of().parseHex(head));

    assertThat(Container.detect(bytes, NOTHING, fileSize)).isEqualTo(expected);
  }

  @Test
  void leavesBuffersAsTheyAre() {
    ByteBuffer file =
        ByteBuffer.wrap("..PFA1............PFA1..".getBytes(StandardCharsets.US_ASCII))
            .order(ByteOrder.LITTLE_ENDIAN)
            .position(2)
            .limit(22);

    assertThat(Container.detect(file, file, 20)).isEqualTo(Container.PUFFIN);
    assertThat(file.position()).isEqualTo(2);
    assertThat(file.limit()).isEqualTo(22);
    assertThat(file.order()).isEqualTo(ByteOrder.LITTLE_ENDIAN);
  }

  @ParameterizedTest
  @EnumSource
  void describesAFileSoThatItFitsASentence(Container container) {
    assertThat(container.description()).matches("(a|an) [A-Za-z].*");
  }

  static Stream<CorpusFile> puffinFiles() {
    return TestData.corpusFiles("puffin").stream().filter(file -> !isBare(file));
  }

  @ParameterizedTest
  @MethodSource("puffinFiles")
  void knowsRealPuffinFiles(CorpusFile file) {
    assertThat(detect(file.bytes())).isEqualTo(Container.PUFFIN);
  }

  // duckdb-iceberg#1095
  @Test
  void knowsTheBareVectorsOfDuckDb() {
    List<CorpusFile> bare =
        TestData.corpusFiles("puffin").stream().filter(ContainerTest::isBare).toList();

    assertThat(bare).isNotEmpty();
    assertThat(bare).allMatch(file -> detect(file.bytes()) == Container.BARE_DELETION_VECTOR);
  }

  @Test
  void knowsTheVectorFilesOfDelta() {
    List<CorpusFile> files =
        TestData.corpusFiles("delta").stream()
            .filter(file -> file.path().endsWith(".bin"))
            .toList();

    assertThat(files).isNotEmpty();
    assertThat(files).allMatch(file -> detect(file.bytes()) == Container.DELTA_OR_PAIMON);
  }

  @Test
  void knowsTheDataAndManifestFilesOfRealTables() {
    List<CorpusFile> files = TestData.corpusFiles("support");

    assertThat(endingWith(files, ".parquet"))
        .allMatch(file -> detect(file.bytes()) == Container.PARQUET);
    assertThat(endingWith(files, ".avro")).allMatch(file -> detect(file.bytes()) == Container.AVRO);
  }

  private static List<CorpusFile> endingWith(List<CorpusFile> files, String suffix) {
    List<CorpusFile> found = files.stream().filter(file -> file.path().endsWith(suffix)).toList();
    assertThat(found).isNotEmpty();
    return found;
  }

  private static boolean isBare(CorpusFile file) {
    return file.validity().equals("bare-blob");
  }

  private static Container detect(byte[] file) {
    byte[] head = Arrays.copyOf(file, Math.min(9, file.length));
    byte[] tail = Arrays.copyOfRange(file, Math.max(0, file.length - 4), file.length);
    return Container.detect(ByteBuffer.wrap(head), ByteBuffer.wrap(tail), file.length);
  }
}
