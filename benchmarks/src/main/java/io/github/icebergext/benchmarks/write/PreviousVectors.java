package io.github.icebergext.benchmarks.write;

import io.github.icebergext.benchmarks.vector.IcebergIndex;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.iceberg.AppendFiles;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileMetadata;
import org.apache.iceberg.Files;
import org.apache.iceberg.MetadataColumns;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.RowDelta;
import org.apache.iceberg.Table;
import org.apache.iceberg.puffin.Blob;
import org.apache.iceberg.puffin.BlobMetadata;
import org.apache.iceberg.puffin.Puffin;
import org.apache.iceberg.puffin.PuffinWriter;
import org.apache.iceberg.puffin.StandardBlobTypes;

/**
 * A table on the local disk with 2,000 data files, of each of which a vector of 128 KB deletes
 * 100,000 rows, and 100 further rows of each to be deleted.
 */
final class PreviousVectors {
  private static final int DATA_FILES = 2_000;
  private static final int VECTORS_PER_PUFFIN = 100;
  private static final int PREVIOUS_POSITIONS = 100_000;
  private static final int NEW_POSITIONS = 100;

  /** Building all of them would take longer than the measurement. */
  private static final int DIFFERENT_VECTORS = 8;

  private PreviousVectors() {}

  /** Writes the table as Iceberg does. */
  static void write(String folder) throws IOException {
    List<byte[]> blobs =
        IntStream.range(0, DIFFERENT_VECTORS).mapToObj(PreviousVectors::blob).toList();
    Table table = LocalTable.create(folder + "table");
    AppendFiles append = table.newAppend();
    IntStream.range(0, DATA_FILES).mapToObj(Workload::dataFile).forEach(append::appendFile);
    append.commit();
    RowDelta deletes = table.newRowDelta();
    for (int first = 0; first < DATA_FILES; first += VECTORS_PER_PUFFIN) {
      String location = folder + "deletes-%05d.puffin".formatted(first);
      writePuffin(location, first, blobs).forEach(deletes::addDeletes);
    }
    deletes.commit();
    LocalTable.save(table, metadataFile(folder));
  }

  private static String metadataFile(String folder) {
    return folder + "table.metadata.json";
  }

  /** Returns what is to be deleted from the table in {@code folder}. */
  static Workload workload(String folder) {
    return Workload.random(LocalTable.open(metadataFile(folder)), DATA_FILES, NEW_POSITIONS);
  }

  private static byte[] blob(int seed) {
    long[] positions = Workload.randomPositions(-1 - seed, PREVIOUS_POSITIONS);
    Arrays.sort(positions);
    return IcebergIndex.blob(IcebergIndex.of(positions));
  }

  private static List<DeleteFile> writePuffin(String location, int first, List<byte[]> blobs)
      throws IOException {
    List<BlobMetadata> written = new ArrayList<>();
    long fileSize;
    try (PuffinWriter writer =
        Puffin.write(Files.localOutput(location)).createdBy("benchmarks").build()) {
      for (int i = first; i < first + VECTORS_PER_PUFFIN; i++) {
        written.add(writer.write(vector(blobs.get(i % blobs.size()), i)));
      }
      writer.finish();
      fileSize = writer.fileSize();
    }
    return written.stream().map(blob -> entry(location, fileSize, blob)).toList();
  }

  private static Blob vector(byte[] blob, int dataFile) {
    return new Blob(
        StandardBlobTypes.DV_V1,
        List.of(MetadataColumns.ROW_POSITION.fieldId()),
        -1,
        -1,
        ByteBuffer.wrap(blob),
        null,
        Map.of(
            "referenced-data-file",
            Workload.dataFile(dataFile).location(),
            "cardinality",
            Integer.toString(PREVIOUS_POSITIONS)));
  }

  private static DeleteFile entry(String location, long fileSize, BlobMetadata blob) {
    return FileMetadata.deleteFileBuilder(PartitionSpec.unpartitioned())
        .ofPositionDeletes()
        .withFormat(FileFormat.PUFFIN)
        .withPath(location)
        .withFileSizeInBytes(fileSize)
        .withReferencedDataFile(blob.properties().get("referenced-data-file"))
        .withContentOffset(blob.offset())
        .withContentSizeInBytes(blob.length())
        .withRecordCount(PREVIOUS_POSITIONS)
        .build();
  }
}
