package io.github.icebergext.puffin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.github.icebergext.testing.RecordingFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.iceberg.inmemory.InMemoryInputFile;
import org.apache.iceberg.inmemory.InMemoryOutputFile;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.puffin.Blob;
import org.apache.iceberg.puffin.BlobMetadata;
import org.apache.iceberg.puffin.FileMetadata;
import org.apache.iceberg.puffin.Puffin;
import org.apache.iceberg.puffin.PuffinCompressionCodec;
import org.apache.iceberg.puffin.PuffinReader;
import org.apache.iceberg.puffin.PuffinWriter;
import org.apache.iceberg.util.Pair;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Files that Iceberg's writer wrote, read by Iceberg's reader and by ours. */
class PuffinFileReaderInteropTest {
  private static final String LOCATION = "mem://stats.puffin";

  @ParameterizedTest
  @EnumSource(
      value = PuffinCompressionCodec.class,
      names = {"NONE", "ZSTD"})
  void readsWhatIcebergReads(PuffinCompressionCodec codec) throws IOException {
    byte[] bytes = puffin(codec, 20, Map.of("a", "1", "ключ", "значение\n\"\\"));

    assertReadsLikeIceberg(new InMemoryInputFile(LOCATION, bytes));
    assertReadsLikeIceberg(RecordingFile.seekable(LOCATION, bytes));
    assertReadsLikeIceberg(RecordingFile.rangeReadable(LOCATION, bytes));
  }

  @Test
  void readsAFileWithoutBlobsLikeIceberg() throws IOException {
    assertReadsLikeIceberg(
        new InMemoryInputFile(LOCATION, puffin(PuffinCompressionCodec.NONE, 0, Map.of())));
  }

  @Test
  void readsAFooterLargerThanTheTailLikeIceberg() throws IOException {
    byte[] bytes = puffin(PuffinCompressionCodec.NONE, 500, Map.of("a", "1"));
    assumeThat(bytes.length).isGreaterThan(PuffinLimits.defaults().tailBytes());

    assertReadsLikeIceberg(new InMemoryInputFile(LOCATION, bytes));
  }

  @Test
  void readsTheFooterSizeThatIcebergsWriterStates() throws IOException {
    InMemoryOutputFile output = new InMemoryOutputFile();
    PuffinWriter writer = Puffin.write(output).createdBy("Iceberg").build();
    writer.add(blob(new Random(1), PuffinCompressionCodec.ZSTD));
    writer.close();

    try (PuffinFileReader reader =
        PuffinFileReader.read(output.toInputFile())
            .withFileSize(writer.fileSize())
            .withFooterSize(writer.footerSize())
            .build()) {
      assertThat(reader.footer().sizeInBytes()).isEqualTo(writer.footerSize());
      assertThat(reader.footer().blobs()).hasSize(1);
    }
  }

  private static void assertReadsLikeIceberg(InputFile file) throws IOException {
    try (PuffinReader theirs = Puffin.read(file).build();
        PuffinFileReader ours = PuffinFileReader.read(file).build()) {
      FileMetadata expected = theirs.fileMetadata();
      PuffinFooter footer = ours.footer();

      assertThat(footer.properties()).isEqualTo(expected.properties());
      assertThat(footer.blobs()).usingRecursiveComparison().isEqualTo(expected.blobs());
      ours.verify();
      assertBlobsLike(theirs.readAll(expected.blobs()), ours, footer.blobs());
    }
  }

  private static void assertBlobsLike(
      Iterable<Pair<BlobMetadata, ByteBuffer>> expected,
      PuffinFileReader ours,
      List<BlobMetadata> blobs)
      throws IOException {
    List<ByteBuffer> contents = new ArrayList<>();
    expected.forEach(pair -> contents.add(pair.second()));
    try (CloseableIterable<Pair<BlobMetadata, ByteBuffer>> all = ours.readAll(blobs)) {
      assertThat(all).extracting(Pair::second).isEqualTo(contents);
    }
    for (int i = 0; i < blobs.size(); i++) {
      assertThat(ours.read(blobs.get(i))).isEqualTo(contents.get(i));
    }
  }

  private static byte[] puffin(
      PuffinCompressionCodec codec, int blobs, Map<String, String> properties) throws IOException {
    InMemoryOutputFile output = new InMemoryOutputFile(LOCATION);
    Random random = new Random(blobs);
    try (PuffinWriter writer =
        Puffin.write(output).createdBy("Iceberg").setAll(properties).build()) {
      for (int i = 0; i < blobs; i++) {
        writer.add(blob(random, codec));
      }
    }
    return output.toByteArray();
  }

  /** Returns a blob of bytes that compress, but not all the same; one in a few is empty. */
  private static Blob blob(Random random, PuffinCompressionCodec codec) {
    byte[] content = new byte[random.nextInt(4) * random.nextInt(1000)];
    for (int i = 0; i < content.length; i++) {
      content[i] = (byte) random.nextInt(4);
    }
    return new Blob(
        "type-" + random.nextInt(3),
        List.of(random.nextInt(100), random.nextInt()),
        random.nextLong(),
        random.nextLong(),
        ByteBuffer.wrap(content),
        codec,
        Map.of("ndv", Integer.toString(random.nextInt(1000)), "an empty value", ""));
  }
}
