package io.github.icebergext.puffin;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.icebergext.testing.FaultyFileIO;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.iceberg.encryption.AesGcmInputFile;
import org.apache.iceberg.encryption.AesGcmOutputFile;
import org.apache.iceberg.inmemory.InMemoryInputFile;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.puffin.Blob;
import org.apache.iceberg.puffin.BlobMetadata;
import org.apache.iceberg.puffin.FileMetadata;
import org.apache.iceberg.puffin.Puffin;
import org.apache.iceberg.puffin.PuffinCompressionCodec;
import org.apache.iceberg.puffin.PuffinReader;
import org.apache.iceberg.puffin.PuffinWriter;
import org.apache.iceberg.util.Pair;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What is written here, read by Iceberg; and beside what Iceberg writes. */
class PuffinFileWriterInteropTest {
  private static final String OURS = "mem:/ours.puffin";
  private static final String THEIRS = "mem:/theirs.puffin";

  private final FaultyFileIO io = new FaultyFileIO();

  static Stream<Arguments> variants() {
    List<PuffinCompressionCodec> codecs =
        List.of(PuffinCompressionCodec.NONE, PuffinCompressionCodec.ZSTD);
    List<Map<String, String>> properties =
        List.of(
            Map.of("created-by", "test"),
            Map.of(
                "created-by",
                "\"quoted\\\" \u00e9 \u20ac \ud83e\uddca \u0001\n",
                "a",
                "",
                "z",
                "y"));
    List<Arguments> variants = new ArrayList<>();
    for (PuffinCompressionCodec codec : codecs) {
      for (Map<String, String> fileProperties : properties) {
        for (List<Blob> blobs : List.of(List.<Blob>of(), blobs())) {
          variants.add(Arguments.of(codec, fileProperties, blobs));
        }
      }
    }
    return variants.stream();
  }

  private static List<Blob> blobs() {
    byte[] random = new byte[3000];
    new Random(42).nextBytes(random);
    return List.of(
        blob("theta", List.of(1), "some data".repeat(50).getBytes(UTF_8), null, Map.of()),
        blob("empty", List.of(), new byte[0], PuffinCompressionCodec.NONE, Map.of("k", "v")),
        blob("random", List.of(3, 1, 2), random, PuffinCompressionCodec.ZSTD, Map.of("b", "\t")),
        blob(
            "deletion-vector-v1",
            List.of(2147483645),
            random,
            PuffinCompressionCodec.NONE,
            new TreeMap<>(
                Map.of("referenced-data-file", "s3://b/a%20b/\u00fc", "cardinality", "7"))));
  }

  private static Blob blob(
      String type,
      List<Integer> fields,
      byte[] data,
      @Nullable PuffinCompressionCodec requested,
      Map<String, String> properties) {
    return new Blob(type, fields, Long.MAX_VALUE, -1, ByteBuffer.wrap(data), requested, properties);
  }

  @ParameterizedTest
  @MethodSource("variants")
  void equalsWhatIcebergReads(
      PuffinCompressionCodec codec, Map<String, String> properties, List<Blob> blobs)
      throws IOException {
    PuffinFile file = write(codec, properties, blobs);

    try (PuffinReader reader = reader(file)) {
      FileMetadata metadata = reader.fileMetadata();
      assertThat(metadata.properties()).isEqualTo(properties);
      assertThat(metadata.blobs())
          .usingRecursiveFieldByFieldElementComparator()
          .isEqualTo(file.footer().blobs());
      assertThat(contents(reader, metadata.blobs()))
          .isEqualTo(blobs.stream().map(Blob::blobData).toList());
    }
  }

  @ParameterizedTest
  @EnumSource(PuffinCompressionCodec.class)
  void readsBackWhatIcebergCannotRead(PuffinCompressionCodec codec) {
    List<Blob> blobs = blobs();
    PuffinFile file;
    try (PuffinFileWriter writer =
        PuffinFileWriter.write(io.newOutputFile(OURS), io)
            .compressBlobs(codec)
            .compressFooter()
            .build()) {
      blobs.forEach(writer::write);
      file = writer.finish();
    }

    try (PuffinFileReader reader = PuffinFileReader.read(io.newInputFile(OURS)).build()) {
      reader.verify();
      assertThat(reader.footer()).usingRecursiveComparison().isEqualTo(file.footer());
      assertThat(reader.footer().blobs().get(0).compressionCodec()).isEqualTo(codec.codecName());
      for (int i = 0; i < blobs.size(); i++) {
        assertThat(reader.read(reader.footer().blobs().get(i))).isEqualTo(blobs.get(i).blobData());
      }
    }
  }

  @ParameterizedTest
  @MethodSource("variants")
  void writesTheBytesThatIcebergWrites(
      PuffinCompressionCodec codec, Map<String, String> properties, List<Blob> blobs)
      throws IOException {
    PuffinFile file = write(codec, properties, blobs);
    PuffinWriter writer =
        Puffin.write(io.newOutputFile(THEIRS))
            .setAll(new TreeMap<>(properties))
            .compressBlobs(codec)
            .build();
    try (writer) {
      writer.addAll(blobs);
    }

    assertThat(io.bytes(OURS)).isEqualTo(io.bytes(THEIRS));
    assertThat(file.fileSizeInBytes()).isEqualTo(writer.fileSize());
    assertThat(file.footer().sizeInBytes()).isEqualTo(writer.footerSize());
  }

  @Test
  void copiesStoredBlobsThatIcebergWrote() throws IOException {
    PuffinWriter writer =
        Puffin.write(io.newOutputFile(THEIRS)).compressBlobs(PuffinCompressionCodec.ZSTD).build();
    try (writer) {
      writer.addAll(blobs());
    }
    byte[] theirs = io.bytes(THEIRS);

    PuffinFile file;
    try (PuffinFileWriter copy = PuffinFileWriter.write(io.newOutputFile(OURS), io).build()) {
      // offsets must change
      copy.write(blob("first", List.of(), new byte[100], null, Map.of()));
      for (BlobMetadata blob : writer.writtenBlobsMetadata()) {
        copy.writeStored(blob, ByteBuffer.wrap(theirs, (int) blob.offset(), (int) blob.length()));
      }
      file = copy.finish();
    }

    try (PuffinReader reader = reader(file)) {
      List<BlobMetadata> copies = reader.fileMetadata().blobs();
      assertThat(contents(reader, copies.subList(1, copies.size())))
          .isEqualTo(blobs().stream().map(Blob::blobData).toList());
    }
  }

  @Test
  void writesEncryptedFilesThatIcebergDecrypts() throws Exception {
    byte[] key = MessageDigest.getInstance("SHA-256").digest(new byte[] {1});
    byte[] aad = "aad".getBytes(UTF_8);
    OutputFile encrypting = new AesGcmOutputFile(io.newOutputFile(OURS), key, aad);
    List<Blob> blobs = new ArrayList<>(blobs());
    byte[] large = new byte[(1 << 20) + 17]; // more than a cipher block
    new Random(1).nextBytes(large);
    blobs.add(blob("large", List.of(), large, null, Map.of()));

    PuffinFile file;
    try (PuffinFileWriter writer = PuffinFileWriter.write(encrypting, io).build()) {
      blobs.forEach(writer::write);
      file = writer.finish();
    }

    long plainSize = file.footer().offset() + file.footer().sizeInBytes();
    assertThat(file.fileSizeInBytes()).isEqualTo(io.bytes(OURS).length).isGreaterThan(plainSize);
    InputFile decrypting = decrypting(key, aad, file.fileSizeInBytes());
    assertThat(decrypting.getLength()).isEqualTo(plainSize);
    try (PuffinReader reader =
        Puffin.read(decrypting)
            .withFileSize(plainSize)
            .withFooterSize(file.footer().sizeInBytes())
            .build()) {
      assertThat(contents(reader, reader.fileMetadata().blobs()))
          .isEqualTo(blobs.stream().map(Blob::blobData).toList());
    }
  }

  /** Newer lines of Iceberg refuse to decrypt without a trusted length, which older ones lack. */
  private InputFile decrypting(byte[] key, byte[] aad, long length) throws Exception {
    InputFile encrypted = new InMemoryInputFile(OURS, io.bytes(OURS));
    try {
      return AesGcmInputFile.class
          .getConstructor(InputFile.class, byte[].class, byte[].class, Long.class)
          .newInstance(encrypted, key, aad, length);
    } catch (NoSuchMethodException e) {
      return new AesGcmInputFile(encrypted, key, aad);
    }
  }

  @Test
  void deletesAnEncryptedFileThatIsAbandoned() {
    OutputFile encrypting = new AesGcmOutputFile(io.newOutputFile(OURS), new byte[16], new byte[0]);
    PuffinFileWriter writer = PuffinFileWriter.write(encrypting, io).build();
    writer.write(blobs().get(0));
    writer.close();

    assertThat(io.locations()).isEmpty();
  }

  private PuffinFile write(
      PuffinCompressionCodec codec, Map<String, String> properties, List<Blob> blobs) {
    try (PuffinFileWriter writer =
        PuffinFileWriter.write(io.newOutputFile(OURS), io)
            .setAll(properties)
            .compressBlobs(codec)
            .build()) {
      blobs.forEach(writer::write);
      return writer.finish();
    }
  }

  private PuffinReader reader(PuffinFile file) {
    return Puffin.read(io.newInputFile(OURS))
        .withFileSize(file.fileSizeInBytes())
        .withFooterSize(file.footer().sizeInBytes())
        .build();
  }

  private static List<ByteBuffer> contents(PuffinReader reader, List<BlobMetadata> blobs) {
    List<ByteBuffer> contents = new ArrayList<>();
    for (Pair<BlobMetadata, ByteBuffer> read : reader.readAll(blobs)) {
      contents.add(read.second());
    }
    return contents;
  }
}
