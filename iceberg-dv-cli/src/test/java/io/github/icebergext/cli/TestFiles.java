package io.github.icebergext.cli;

import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.dv.DeletionVectorCodec;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileMetadata;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.puffin.Blob;
import org.apache.iceberg.puffin.Puffin;
import org.apache.iceberg.puffin.PuffinWriter;

/** Small files of known content. Puffin files are written by Iceberg's own writer. */
final class TestFiles {
  private TestFiles() {}

  static byte[] vector(long... positions) {
    DeletedPositions.Builder builder = DeletedPositions.builder();
    for (long position : positions) {
      builder.add(position);
    }
    ByteBuffer encoded = DeletionVectorCodec.encode(builder.build());
    byte[] bytes = new byte[encoded.remaining()];
    encoded.get(bytes);
    return bytes;
  }

  static Blob vectorBlob(String dataFile, long declaredCardinality, long... positions) {
    return new Blob(
        "deletion-vector-v1",
        List.of(),
        -1,
        -1,
        ByteBuffer.wrap(vector(positions)),
        null,
        Map.of(
            "referenced-data-file", dataFile, "cardinality", Long.toString(declaredCardinality)));
  }

  static Blob otherBlob(String content) {
    return new Blob(
        "some-blob",
        List.of(1, 2),
        7,
        3,
        ByteBuffer.wrap(content.getBytes(StandardCharsets.UTF_8)),
        null,
        Map.of());
  }

  static Path puffin(Path folder, Blob... blobs) {
    Path file = folder.resolve("test.puffin");
    try (PuffinWriter writer =
        Puffin.write(org.apache.iceberg.Files.localOutput(file.toFile()))
            .createdBy("a test")
            .build()) {
      for (Blob blob : blobs) {
        writer.add(blob);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return file;
  }

  /** Writes the version byte 1 and then the parts, as Delta Lake and Paimon do. */
  static Path frames(Path folder, byte[]... parts) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.write(1);
    for (byte[] part : parts) {
      bytes.writeBytes(part);
    }
    return write(folder.resolve("frames.bin"), bytes.toByteArray());
  }

  /** Writes a file that is nothing but a vector, as older DuckDB writers did, and its entry. */
  static DeleteFile bareVector(Path folder, String dataFile, long... positions) {
    byte[] vector = vector(positions);
    return FileMetadata.deleteFileBuilder(PartitionSpec.unpartitioned())
        .ofPositionDeletes()
        .withFormat(FileFormat.PUFFIN)
        .withPath(write(folder.resolve("bare.puffin"), vector).toString())
        .withFileSizeInBytes(vector.length)
        .withReferencedDataFile(dataFile)
        .withContentOffset(0)
        .withContentSizeInBytes(vector.length)
        .withRecordCount(positions.length)
        .build();
  }

  static Path write(Path file, byte[] bytes) {
    try {
      return Files.write(file, bytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
