package io.github.icebergext.puffin;

import static io.github.icebergext.puffin.FooterBytes.assertSameContent;
import static io.github.icebergext.puffin.FooterBytes.file;
import static io.github.icebergext.puffin.FooterBytes.json;
import static io.github.icebergext.puffin.FooterBytes.parse;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.icebergext.testing.TestData;
import io.github.icebergext.testing.TestData.CorpusFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.iceberg.inmemory.InMemoryInputFile;
import org.apache.iceberg.inmemory.InMemoryOutputFile;
import org.apache.iceberg.puffin.Blob;
import org.apache.iceberg.puffin.BlobMetadata;
import org.apache.iceberg.puffin.FileMetadata;
import org.apache.iceberg.puffin.FileMetadataParser;
import org.apache.iceberg.puffin.Puffin;
import org.apache.iceberg.puffin.PuffinCompressionCodec;
import org.apache.iceberg.puffin.PuffinReader;
import org.apache.iceberg.puffin.PuffinWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Footers of Iceberg read by us, and ours by Iceberg. */
class PuffinFooterInteropTest {
  /** Every character that JSON escapes or may escape, and characters of one to four bytes. */
  private static final String TEXT = text();

  @Test
  void parsesWhatIcebergWrites() throws IOException {
    byte[] file = written();

    assertSame(parse(file), readByIceberg(file));
  }

  @Test
  void writesTheBytesThatIcebergWrites() throws IOException {
    byte[] file = written();
    PuffinFooter footer = parse(file);
    int offset = (int) footer.offset();

    assertThat(footer.toBytes()).isEqualTo(ByteBuffer.wrap(file, offset, file.length - offset));
  }

  @Test
  void writesWhatIcebergParses() throws IOException {
    List<BlobMetadata> blobs =
        List.of(
            new BlobMetadata(TEXT, List.of(), 0, -1, 4, 0, null, Map.of()),
            new BlobMetadata(
                "",
                List.of(Integer.MIN_VALUE, 0, Integer.MAX_VALUE),
                Long.MIN_VALUE,
                Long.MAX_VALUE,
                100,
                0,
                TEXT,
                Map.of(TEXT, "", "", TEXT)));
    PuffinFooter footer =
        new PuffinFooter(blobs, Map.of(TEXT, TEXT, "", "", "b", "c"), false, 100, 16);
    byte[] file = file(footer.toBytes());

    assertSame(footer, readByIceberg(file));
    assertSame(parse(file), readByIceberg(file));
  }

  @Test
  void writesTheJsonThatIcebergWrites() {
    List<BlobMetadata> blobs = new ArrayList<>();
    for (int character = 0; character < 0x3000; character++) {
      String text = Character.toString(character);
      Map<String, String> properties = new TreeMap<>(Map.of(text, text, "two", "2"));
      blobs.add(new BlobMetadata(text, List.of(character), 1, 2, 4, 0, text, properties));
    }

    assertThat(json(new PuffinFooter(blobs, Map.of(), false, 100, 16)))
        .isEqualTo(FileMetadataParser.toJson(new FileMetadata(blobs, Map.of()), false));
  }

  /** What another writer may leave: whitespace, escapes, another order, keys of later versions. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"properties\":{\"z\":\"\\u0041\\/\\b\",\"a\":\"\"},\"later\":[{}],\"blobs\":[]}",
        "{ \"blobs\" : [ { \"properties\" : { } , \"length\" : 1 , \"offset\" : 99 ,"
            + " \"sequence-number\" : -1 , \"snapshot-id\" : 9223372036854775807 ,"
            + " \"fields\" : [ -2147483648 ] , \"type\" : \"\" , \"later\" : null } ] }",
        "{\"blobs\":[{\"type\":\"t\",\"fields\":[],\"snapshot-id\":-0,\"sequence-number\":0,"
            + "\"offset\":4,\"length\":0,\"compression-codec\":null}]}"
      })
  void parsesWhatIcebergParses(String json) throws IOException {
    byte[] file = file(json);

    assertSame(parse(file), readByIceberg(file));
  }

  /** Where we differ: what only Iceberg reads could mean two things, or is no integer. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"blobs\":[],\"blobs\":[]}",
        "{\"blobs\":[],\"properties\":{\"a\":\"b\",\"a\":\"c\"}}",
        "{\"blobs\":[]}{}",
        "{\"blobs\":[]}x"
      })
  void refusesWhatIcebergTakesOnTrust(String json) {
    assertThatThrownBy(() -> parse(file(json))).isInstanceOf(PuffinFormatException.class);
    assertThatCode(() -> readByIceberg(file(json))).doesNotThrowAnyException();
  }

  static Stream<CorpusFile> plainFiles() {
    return TestData.corpusFiles("puffin").stream()
        .filter(file -> file.column("iceberg_java_1_12_0").startsWith("OK"));
  }

  @ParameterizedTest
  @MethodSource("plainFiles")
  void parsesRealFilesAsIcebergDoes(CorpusFile corpusFile) throws IOException {
    byte[] file = corpusFile.bytes();

    assertSame(parse(file), readByIceberg(file));
  }

  /** In as many bytes; the order of properties may be another. */
  @ParameterizedTest
  @MethodSource("plainFiles")
  void writesFootersOfRealFilesAsTheyWere(CorpusFile corpusFile) throws IOException {
    byte[] file = corpusFile.bytes();
    PuffinFooter footer = parse(file);
    ByteBuffer written = footer.toBytes();

    assertThat(written.remaining()).isEqualTo((int) footer.sizeInBytes());
    ByteBuffer behind = ByteBuffer.allocate(file.length);
    behind.put(file, 0, (int) footer.offset()).put(written);
    assertSame(parse(behind.array()), readByIceberg(file));
  }

  private static byte[] written() throws IOException {
    InMemoryOutputFile output = new InMemoryOutputFile("memory:/f.puffin");
    try (PuffinWriter writer = Puffin.write(output).createdBy(TEXT).set("x", TEXT).build()) {
      for (PuffinCompressionCodec codec :
          List.of(PuffinCompressionCodec.NONE, PuffinCompressionCodec.ZSTD)) {
        for (Map<String, String> properties :
            List.of(Map.<String, String>of(), Map.of(TEXT, TEXT))) {
          ByteBuffer bytes = ByteBuffer.wrap(new byte[] {1, 2, 3});
          writer.add(new Blob(TEXT, List.of(1, -2), 3, 4, bytes, codec, properties));
          writer.add(new Blob("t", List.of(), -1, -1, bytes, codec, properties));
        }
      }
      writer.finish();
    }
    return output.toByteArray();
  }

  private static FileMetadata readByIceberg(byte[] file) throws IOException {
    try (PuffinReader reader = Puffin.read(new InMemoryInputFile(file)).build()) {
      return reader.fileMetadata();
    }
  }

  private static void assertSame(PuffinFooter footer, FileMetadata expected) {
    assertSameContent(
        footer, new PuffinFooter(expected.blobs(), expected.properties(), false, 4, 16));
  }

  private static String text() {
    StringBuilder text = new StringBuilder();
    for (char c = 0; c < 0x100; c++) {
      text.append(c);
    }
    return text.append("\u07ff\u0800\ud7ff\ue000\ufffe\uffff\u2028\ud83e\udd2f\udbff\udfff")
        .toString();
  }
}
