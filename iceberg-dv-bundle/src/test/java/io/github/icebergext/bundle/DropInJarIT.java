package io.github.icebergext.bundle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.dv.DeletionVectorCodec;
import io.github.icebergext.dv.read.DeletionVectorCache;
import io.github.icebergext.dv.read.DeletionVectorReader;
import io.github.icebergext.puffin.PuffinFile;
import io.github.icebergext.puffin.PuffinFileReader;
import io.github.icebergext.puffin.PuffinFileWriter;
import io.github.icebergext.puffin.PuffinFormatException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileMetadata;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.inmemory.InMemoryFileIO;
import org.apache.iceberg.inmemory.InMemoryInputFile;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.puffin.Blob;
import org.apache.iceberg.puffin.BlobMetadata;
import org.apache.iceberg.puffin.PuffinCompressionCodec;
import org.apache.iceberg.puffin.StandardBlobTypes;
import org.apache.iceberg.util.Pair;
import org.junit.jupiter.api.Test;

/** The packaged jar at work on the Iceberg of the class path. */
class DropInJarIT {
  private static final String DATA_FILE = "memory:/data.parquet";
  private static final byte[] TEXT =
      "compressible, ".repeat(1000).getBytes(StandardCharsets.US_ASCII);

  private final InMemoryFileIO io = new InMemoryFileIO();

  @Test
  void readsWhatItWroteUnderEveryCodec() throws IOException {
    PuffinFile file = write("memory:/all.puffin");

    try (PuffinFileReader reader = PuffinFileReader.read(io.newInputFile(file.location())).build();
        CloseableIterable<Pair<BlobMetadata, ByteBuffer>> blobs =
            reader.readAll(reader.footer().blobs())) {
      reader.verify();
      assertThat(reader.footer().compressed()).isTrue();
      assertThat(reader.footer().blobs())
          .extracting(BlobMetadata::compressionCodec)
          .containsExactly("lz4", "zstd", null, null);
      List<ByteBuffer> contents = new ArrayList<>();
      blobs.forEach(pair -> contents.add(pair.second()));
      assertThat(contents.subList(0, 3)).containsOnly(ByteBuffer.wrap(TEXT));
    }
  }

  @Test
  void decodesTheVectorThatItEncoded() throws IOException {
    PuffinFile file = write("memory:/vector.puffin");

    try (PuffinFileReader reader =
        PuffinFileReader.read(io.newInputFile(file.location())).build()) {
      BlobMetadata vector = reader.footer().blobs().get(3);
      DeletedPositions positions = DeletionVectorCodec.decode(reader.read(vector), 1003);
      assertThat(positions.isDeleted(7)).isTrue();
      assertThat(positions.isDeleted(8)).isFalse();
      assertThat(positions.firstPosition()).isEqualTo(7);
      assertThat(positions.lastPosition()).isEqualTo(5_000_000_000L);
    }
  }

  @Test
  void readsAVectorByItsManifestEntry() {
    PuffinFile file = write("memory:/entry.puffin");
    BlobMetadata blob = file.footer().blobs().get(3);
    DeleteFile entry =
        FileMetadata.deleteFileBuilder(PartitionSpec.unpartitioned())
            .ofPositionDeletes()
            .withFormat(FileFormat.PUFFIN)
            .withPath(file.location())
            .withFileSizeInBytes(file.fileSizeInBytes())
            .withReferencedDataFile(DATA_FILE)
            .withContentOffset(blob.offset())
            .withContentSizeInBytes(blob.length())
            .withRecordCount(1003)
            .build();

    DeletionVectorCache cache = DeletionVectorCache.ofMaxBytes(1 << 20);
    DeletionVectorReader reader = DeletionVectorReader.builder(io).withVectorCache(cache).build();
    DeletedPositions positions = reader.read(entry);

    assertThat(positions.cardinality()).isEqualTo(1003);
    assertThat(reader.read(entry)).isSameAs(positions);
    assertThat(cache.figures().hits()).isOne();
    assertThat(positions.union(positions).isDeleted(70_999)).isTrue();
  }

  @Test
  void refusesWhatIsNoPuffinFile() {
    InMemoryInputFile notPuffin = new InMemoryInputFile("memory:/x", TEXT);

    assertThatThrownBy(() -> PuffinFileReader.read(notPuffin).build().footer())
        .isInstanceOf(PuffinFormatException.class)
        .hasMessageContaining("memory:/x");
  }

  private PuffinFile write(String location) {
    try (PuffinFileWriter writer =
        PuffinFileWriter.write(io.newOutputFile(location), io)
            .createdBy("drop-in jar")
            .compressFooter()
            .build()) {
      writer.write(blob(PuffinCompressionCodec.LZ4));
      writer.write(blob(PuffinCompressionCodec.ZSTD));
      writer.write(blob(PuffinCompressionCodec.NONE));
      writer.write(vector());
      return writer.finish();
    }
  }

  private static Blob blob(PuffinCompressionCodec codec) {
    return new Blob("text", List.of(1), 1, 1, ByteBuffer.wrap(TEXT), codec, Map.of());
  }

  private static Blob vector() {
    DeletedPositions positions =
        DeletedPositions.builder()
            .add(7)
            .add(100)
            .addRange(70_000, 71_000)
            .add(5_000_000_000L)
            .build();
    return new Blob(
        StandardBlobTypes.DV_V1,
        List.of(),
        -1,
        -1,
        DeletionVectorCodec.encode(positions),
        null,
        Map.of("referenced-data-file", DATA_FILE, "cardinality", "1003"));
  }
}
