package io.github.icebergext.puffin;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.github.icebergext.testing.RecordingFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.puffin.BlobMetadata;
import org.apache.iceberg.util.Pair;

/**
 * Any bytes are read as a Puffin file or refused, whatever the number of requests for the footer.
 *
 * <p>A build replays the inputs under {@code PuffinFileFuzzTestInputs} in the test resources. To
 * search for new ones:
 *
 * <pre>
 * JAZZER_FUZZ=1 mvn -pl iceberg-puffin-ext test -Djazzer.hooks=true -Djacoco.skip -Dtest=PuffinFileFuzzTest
 * </pre>
 *
 * What crashes is written to that folder as a file, which stays there as a regression test. The
 * seeds are a file without blobs and one with a plain and a zstd blob by Iceberg's writer, and one
 * with an LZ4 blob and a compressed footer by ours.
 */
class PuffinFileFuzzTest {
  private static final PuffinLimits LIMITS =
      PuffinLimits.builder().maxBlobBytes(1 << 20).maxDecompressedBytes(1 << 20).build();
  private static final PuffinLimits SHORT_TAIL =
      PuffinLimits.builder()
          .maxBlobBytes(1 << 20)
          .maxDecompressedBytes(1 << 20)
          .tailBytes(16)
          .build();

  @FuzzTest
  void readsOrRefuses(byte[] bytes) throws IOException {
    RecordingFile file = RecordingFile.seekable("fuzz", bytes);
    boolean inOneRead = reads(file, LIMITS);
    boolean inTwoReads = reads(file, SHORT_TAIL);
    assertThat(inTwoReads).isEqualTo(inOneRead);
    assertThat(file.openStreams()).isZero();
  }

  private static boolean reads(RecordingFile file, PuffinLimits limits) throws IOException {
    try (PuffinFileReader reader = PuffinFileReader.read(file).withLimits(limits).build()) {
      PuffinFooter footer = reader.footer();
      reader.verify();
      readBlobs(reader, footer);
      return true;
    } catch (PuffinFormatException refused) {
      return false;
    }
  }

  private static void readBlobs(PuffinFileReader reader, PuffinFooter footer) throws IOException {
    try (CloseableIterable<Pair<BlobMetadata, ByteBuffer>> blobs =
        reader.readAllStored(footer.blobs())) {
      for (Pair<BlobMetadata, ByteBuffer> blob : blobs) {
        assertThat(blob.second().remaining()).isEqualTo((int) blob.first().length());
      }
    }
    try (CloseableIterable<Pair<BlobMetadata, ByteBuffer>> blobs = reader.readAll(footer.blobs())) {
      blobs.forEach(blob -> assertThat(blob.second().position()).isZero());
    }
  }
}
