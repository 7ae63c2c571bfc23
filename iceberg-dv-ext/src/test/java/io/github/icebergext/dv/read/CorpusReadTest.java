package io.github.icebergext.dv.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.icebergext.dv.CorpusTest;
import io.github.icebergext.dv.DeletionVectorBlob;
import io.github.icebergext.dv.DeletionVectorCodec;
import io.github.icebergext.dv.InvalidDeletionVectorException;
import io.github.icebergext.puffin.PuffinFileReader;
import io.github.icebergext.puffin.Reason;
import io.github.icebergext.testing.RecordingFile;
import io.github.icebergext.testing.RecordingFileIO;
import io.github.icebergext.testing.TestData;
import io.github.icebergext.testing.TestData.CorpusFile;
import io.github.icebergext.testing.TestPuffin;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.puffin.BlobMetadata;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Puffin files of other writers, read with every check. */
class CorpusReadTest {
  private final RecordingFileIO io = RecordingFileIO.rangeReadable();

  static Stream<CorpusFile> puffins() {
    return TestData.corpusFiles("puffin").stream()
        .filter(file -> file.column("decoded").contains("\"dv\":{"))
        .filter(file -> file.validity().startsWith("valid"));
  }

  static Stream<CorpusFile> bareVectors() {
    return TestData.corpusFiles("puffin").stream()
        .filter(file -> file.validity().equals("bare-blob"));
  }

  @ParameterizedTest
  @MethodSource("puffins")
  void holdVectorsThatPassTheFullCheck(CorpusFile file) {
    RecordingFile puffin = io.put("s3://bucket/" + file.path(), file.bytes());
    List<DeleteFile> entries = entries(puffin);
    puffin.forget();

    List<String> digests = new ArrayList<>();
    DeletionVectorReader.builder(io)
        .build()
        .readAll(entries)
        .forEach(vector -> digests.add(CorpusTest.digest(vector.positions())));

    assertThat(digests).isNotEmpty().isEqualTo(CorpusTest.all(CorpusTest.DIGEST, file));
    assertThat(puffin.requests()).hasSize(1);
  }

  private static List<DeleteFile> entries(RecordingFile puffin) {
    try (PuffinFileReader reader = PuffinFileReader.read(puffin).build()) {
      return reader.footer().blobs().stream()
          .filter(DeletionVectorBlob::isDeletionVector)
          .map(blob -> entry(puffin, blob))
          .toList();
    }
  }

  private static DeleteFile entry(RecordingFile puffin, BlobMetadata blob) {
    return TestPuffin.entry(
        puffin.location(),
        puffin.size(),
        DeletionVectorBlob.referencedDataFile(blob).orElseThrow(),
        blob.offset(),
        blob.length(),
        DeletionVectorBlob.cardinality(blob).orElseThrow());
  }

  // duckdb-iceberg#1095
  @ParameterizedTest
  @MethodSource("bareVectors")
  void bareVectorsAreReadOnlyWhereThatIsAllowed(CorpusFile file) {
    byte[] bytes = file.bytes();
    io.put("s3://bucket/bare", bytes);
    long cardinality = DeletionVectorCodec.decodeOwned(bytes.clone()).cardinality();
    DeleteFile entry =
        TestPuffin.entry("s3://bucket/bare", bytes.length, "data", 0, bytes.length, cardinality);

    assertThatThrownBy(() -> DeletionVectorReader.builder(io).build().read(entry))
        .isInstanceOfSatisfying(
            InvalidDeletionVectorException.class,
            e -> assertThat(e.reason()).isEqualTo(Reason.NOT_PUFFIN))
        .hasMessageContaining("a bare deletion-vector-v1 blob");
    assertThat(
            DeletionVectorReader.builder(io)
                .withForeignContainers(ForeignContainerPolicy.ALLOW)
                .build()
                .read(entry)
                .cardinality())
        .isEqualTo(cardinality);
  }
}
