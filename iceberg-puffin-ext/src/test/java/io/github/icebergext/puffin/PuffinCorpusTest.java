package io.github.icebergext.puffin;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.icebergext.testing.RecordingFile;
import io.github.icebergext.testing.TestData;
import io.github.icebergext.testing.TestData.CorpusFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.puffin.BlobMetadata;
import org.apache.iceberg.util.Pair;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Puffin files of Iceberg, Trino, Impala, iceberg-go and others, against what an independent
 * decoder and Iceberg's own reader say about them.
 */
class PuffinCorpusTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  /**
   * What is refused: reason and message. The second file breaks the spec, which asks for the size.
   */
  private static final Map<String, Refusal> REFUSED =
      Map.of(
          "legacy-bare-deletion-vector.puffin",
          new Refusal(
              Reason.NOT_PUFFIN,
              "bare-deletion-vector.puffin: it is a bare deletion-vector-v1 blob"),
          "lz4-footer-no-content-size.puffin",
          new Refusal(Reason.COMPRESSED_DATA, "content size"));

  private record Refusal(Reason reason, String message) {}

  static List<CorpusFile> readable() {
    return TestData.corpusFiles("puffin").stream().filter(file -> !isRefused(file)).toList();
  }

  static List<CorpusFile> refused() {
    return TestData.corpusFiles("puffin").stream().filter(PuffinCorpusTest::isRefused).toList();
  }

  private static boolean isRefused(CorpusFile file) {
    return REFUSED.containsKey(name(file));
  }

  private static String name(CorpusFile file) {
    return file.path().substring(file.path().lastIndexOf('/') + 1);
  }

  @Test
  void refusesOnlyFilesThatAreNotValid() {
    assertThat(refused()).hasSize(REFUSED.size());
    assertThat(refused()).extracting(CorpusFile::validity).containsOnly("odd", "bare-blob");
    assertThat(readable()).allMatch(file -> file.validity().startsWith("valid"));
  }

  @ParameterizedTest
  @MethodSource("readable")
  void readsTheFooterThatTheDecoderRead(CorpusFile file) throws IOException {
    JsonNode expected = JSON.readTree(file.column("decoded"));
    try (PuffinFileReader reader = reader(file)) {
      reader.verify();
      PuffinFooter footer = reader.footer();

      assertThat(footer.sizeInBytes()).isEqualTo(expected.get("footer_size").asLong());
      assertThat(footer.compressed()).isEqualTo(expected.get("flags").asText().endsWith("1"));
      assertThat(footer.properties().get("created-by"))
          .isEqualTo(expected.get("created_by").textValue());
      assertThat(footer.blobs().stream().map(PuffinCorpusTest::facts).toList())
          .isEqualTo(facts(expected.get("blobs")));
    }
  }

  /** Sizes and digests are what Iceberg 1.12's reader returned for the same bytes. */
  @ParameterizedTest
  @MethodSource("readable")
  void readsTheBlobsThatIcebergRead(CorpusFile file) throws IOException {
    String[] expected = file.column("iceberg_java_1_12_0").split(Pattern.quote(" | "), -1);
    List<ByteBuffer> contents = contents(file);

    for (int i = 1; i < expected.length; i++) {
      if (!expected[i].startsWith("OK ")) {
        ByteBuffer content = contents.get(i - 1);
        assertThat(content.remaining() + " " + sha256(content)).isEqualTo(expected[i]);
      }
    }
    if (expected.length > 1) {
      assertThat(contents).hasSize(expected.length - 1);
    }
  }

  /** Small blobs as the decoder printed them. */
  @ParameterizedTest
  @MethodSource("readable")
  void readsTheBlobsThatTheDecoderRead(CorpusFile file) throws IOException {
    JsonNode expected = JSON.readTree(file.column("decoded")).get("blobs");
    List<ByteBuffer> contents = contents(file);

    assertThat(contents).hasSize(expected.size());
    for (int i = 0; i < contents.size(); i++) {
      JsonNode hex = expected.get(i).get("hex");
      if (hex != null) {
        assertThat(HexFormat.of().formatHex(contents.get(i).array())).isEqualTo(hex.asText());
      }
    }
  }

  /** Files with LZ4, which Iceberg's own reader refuses, around the blobs of Iceberg's sample. */
  @ParameterizedTest
  @MethodSource("compressed")
  void readsTheBlobsThatTheCommandsCompressed(CorpusFile file) throws IOException {
    JsonNode expected = JSON.readTree(file.column("expected")).get("blobs");
    List<ByteBuffer> contents = contents(file);

    assertThat(contents).hasSize(expected.size());
    for (int i = 0; i < contents.size(); i++) {
      String text = expected.get(i).get(4).asText().replace("\\0", "\0");
      assertThat(StandardCharsets.UTF_8.decode(contents.get(i)).toString()).isEqualTo(text);
    }
  }

  static List<CorpusFile> compressed() {
    return readable().stream().filter(file -> file.path().startsWith("derived/puffin/")).toList();
  }

  @ParameterizedTest
  @MethodSource("refused")
  void namesWhatIsWrong(CorpusFile file) {
    Refusal refusal = requireNonNull(REFUSED.get(name(file)));
    try (PuffinFileReader reader = reader(file)) {
      assertThatThrownBy(reader::footer)
          .isInstanceOfSatisfying(
              PuffinFormatException.class, e -> assertThat(e.reason()).isEqualTo(refusal.reason()))
          .hasMessageContaining(file.path())
          .hasMessageContaining(refusal.message());
    }
  }

  private static PuffinFileReader reader(CorpusFile file) {
    return PuffinFileReader.read(RecordingFile.rangeReadable(file.path(), file.bytes())).build();
  }

  private static List<ByteBuffer> contents(CorpusFile file) throws IOException {
    List<ByteBuffer> contents = new ArrayList<>();
    try (PuffinFileReader reader = reader(file);
        CloseableIterable<Pair<BlobMetadata, ByteBuffer>> all =
            reader.readAll(reader.footer().blobs())) {
      all.forEach(pair -> contents.add(pair.second()));
    }
    return contents;
  }

  private static List<Object> facts(BlobMetadata blob) {
    List<Object> facts = new ArrayList<>(List.of(blob.type(), blob.offset(), blob.length()));
    facts.add(blob.inputFields());
    facts.add(blob.compressionCodec() == null ? "" : blob.compressionCodec());
    return facts;
  }

  private static List<Object> facts(JsonNode blobs) {
    List<Object> all = new ArrayList<>();
    for (JsonNode blob : blobs) {
      List<Integer> fields = new ArrayList<>();
      blob.get("fields").forEach(field -> fields.add(field.asInt()));
      all.add(
          List.of(
              blob.get("type").asText(),
              blob.get("offset").asLong(),
              blob.get("length").asLong(),
              fields,
              blob.path("codec").asText("")));
    }
    return all;
  }

  private static String sha256(ByteBuffer content) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      digest.update(content.duplicate());
      return HexFormat.of().formatHex(digest.digest());
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }
}
