package io.github.icebergext.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.icebergext.integration.S3Server.Seen;
import io.github.icebergext.puffin.PuffinFile;
import io.github.icebergext.puffin.PuffinFileReader;
import io.github.icebergext.puffin.PuffinFileWriter;
import io.github.icebergext.puffin.PuffinFormatException;
import io.github.icebergext.puffin.Reason;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.apache.iceberg.StatisticsFile;
import org.apache.iceberg.aws.s3.S3FileIO;
import org.apache.iceberg.puffin.Blob;
import org.apache.iceberg.puffin.BlobMetadata;
import org.apache.iceberg.puffin.Puffin;
import org.apache.iceberg.puffin.PuffinReader;
import org.apache.iceberg.util.Pair;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Puffin files on S3, and what reading and writing them costs in requests. */
class S3PuffinTest {
  private static S3Server server;
  private static int files;

  private final S3FileIO io = new S3FileIO();
  private final String location = server.warehouse() + "/statistics-" + files++ + ".puffin";

  @BeforeAll
  static void startServer() throws Exception {
    server = S3Server.start();
  }

  @AfterAll
  static void stopServer() throws Exception {
    server.stop();
  }

  @BeforeEach
  void openStorage() {
    io.initialize(server.properties());
  }

  @AfterEach
  void closeStorage() {
    io.close();
  }

  private static Blob blob(ByteBuffer bytes) {
    return new Blob(
        "apache-datasketches-theta-v1", List.of(1), 1, 1, bytes, null, Map.of("ndv", "1"));
  }

  private static List<ByteBuffer> sketches(int count, int size) {
    Random random = new Random(1);
    return IntStream.range(0, count).mapToObj(i -> bytes(random, size)).toList();
  }

  private static ByteBuffer bytes(Random random, int size) {
    byte[] bytes = new byte[size];
    random.nextBytes(bytes);
    return ByteBuffer.wrap(bytes);
  }

  private PuffinFile write(List<ByteBuffer> sketches) {
    try (PuffinFileWriter writer = PuffinFileWriter.write(io.newOutputFile(location), io).build()) {
      sketches.forEach(sketch -> writer.write(blob(sketch)));
      return writer.finish();
    }
  }

  private static List<ByteBuffer> read(PuffinFileReader reader) {
    List<ByteBuffer> read = new ArrayList<>();
    for (Pair<BlobMetadata, ByteBuffer> blob : reader.readAll(reader.footer().blobs())) {
      read.add(blob.second());
    }
    return read;
  }

  // apache/iceberg#15649
  @Test
  void knownSizesMakeItOneGetForTheFooterAndOneForTheBlobs() throws IOException {
    List<ByteBuffer> sketches = sketches(64, 1000);
    PuffinFile file = write(sketches);
    StatisticsFile statistics = file.statisticsFile(1);
    server.forget();

    try (PuffinFileReader reader =
        PuffinFileReader.read(io.newInputFile(statistics.path()))
            .withFileSize(statistics.fileSizeInBytes())
            .withFooterSize(statistics.fileFooterSizeInBytes())
            .build()) {
      assertThat(read(reader)).isEqualTo(sketches);
    }

    long footerSize = statistics.fileFooterSizeInBytes();
    assertThat(server.requests())
        .containsExactly(
            Seen.get(location, statistics.fileSizeInBytes() - footerSize, footerSize),
            Seen.get(location, 4, 64_000));
  }

  @Test
  void anUnknownSizeCostsOneHead() throws IOException {
    List<ByteBuffer> sketches = sketches(3, 1000);
    PuffinFile file = write(sketches);
    server.forget();

    try (PuffinFileReader reader = PuffinFileReader.read(io.newInputFile(location)).build()) {
      assertThat(read(reader)).isEqualTo(sketches);
    }

    assertThat(server.requests())
        .containsExactly(
            Seen.head(location),
            Seen.get(location, 0, file.fileSizeInBytes()),
            Seen.get(location, 4, 3000));
  }

  @Test
  void aWrongFileSizeIsToldFromWhatTheServerAnswers() throws IOException {
    PuffinFile file = write(sketches(1, 10));
    server.forget();

    try (PuffinFileReader reader =
        PuffinFileReader.read(io.newInputFile(location))
            .withFileSize(file.fileSizeInBytes() + 100)
            .build()) {
      assertThatThrownBy(reader::footer)
          .isInstanceOfSatisfying(
              PuffinFormatException.class, e -> assertThat(e.reason()).isEqualTo(Reason.BLOB_RANGE))
          .hasMessageContaining("ends at " + file.fileSizeInBytes());
    }

    assertThat(server.requests())
        .containsExactly(Seen.get(location, 0, file.fileSizeInBytes() + 100), Seen.head(location));
  }

  @Test
  void aSmallFileIsOnePut() throws IOException {
    List<ByteBuffer> sketches = sketches(3, 1000);
    server.forget();
    write(sketches);

    // The first request is Iceberg's: a file that exists is not overwritten.
    assertThat(server.requests()).extracting(Seen::method).containsExactly("HEAD", "PUT");
    assertIcebergReads(sketches);
  }

  @Test
  void aLargeFileIsUploadedInParts() throws IOException {
    List<ByteBuffer> sketches = sketches(4, 3 << 20);
    server.forget();
    write(sketches);

    assertThat(server.requests())
        .extracting(Seen::method)
        .containsExactly("HEAD", "POST", "PUT", "PUT", "PUT", "POST");
    assertIcebergReads(sketches);
    try (PuffinFileReader reader = PuffinFileReader.read(io.newInputFile(location)).build()) {
      assertThat(read(reader)).isEqualTo(sketches);
    }
  }

  private void assertIcebergReads(List<ByteBuffer> sketches) throws IOException {
    List<ByteBuffer> read = new ArrayList<>();
    try (PuffinReader reader = Puffin.read(io.newInputFile(location)).build()) {
      for (Pair<BlobMetadata, ByteBuffer> blob : reader.readAll(reader.fileMetadata().blobs())) {
        read.add(blob.second());
      }
    }
    assertThat(read).isEqualTo(sketches);
  }

  @Test
  void anAbandonedFileIsGone() {
    try (PuffinFileWriter writer = PuffinFileWriter.write(io.newOutputFile(location), io).build()) {
      writer.write(blob(ByteBuffer.allocate(8 << 20)));
    }

    assertThat(io.newInputFile(location).exists()).isFalse();
  }
}
