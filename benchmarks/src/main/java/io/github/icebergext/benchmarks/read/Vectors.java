package io.github.icebergext.benchmarks.read;

import io.github.icebergext.benchmarks.vector.IcebergIndex;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileMetadata;
import org.apache.iceberg.MetadataColumns;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.inmemory.InMemoryOutputFile;
import org.apache.iceberg.puffin.Blob;
import org.apache.iceberg.puffin.BlobMetadata;
import org.apache.iceberg.puffin.Puffin;
import org.apache.iceberg.puffin.PuffinWriter;
import org.apache.iceberg.puffin.StandardBlobTypes;

/**
 * Puffin files of deletion vectors as Iceberg writes them, and the entries that point at them.
 *
 * @param files what the files hold, by location
 * @param entries one for each vector, file by file
 */
record Vectors(Map<String, byte[]> files, List<DeleteFile> entries) {
  /** Makes vectors of 2 KB. */
  static final int FEW_DELETED_ROWS = 1_000;

  /** Makes vectors of 126 KB. */
  static final int MANY_DELETED_ROWS = 200_000;

  private static final int ROWS = 1_000_000;

  /** Building all of them would take longer than the measurement. */
  private static final int DIFFERENT_VECTORS = 8;

  /** Returns no files. */
  static Vectors none() {
    return new Vectors(Map.of(), List.of());
  }

  /**
   * Writes files.
   *
   * @param folder where they are, with a slash at its end
   * @param deletedRows how many of a million rows each vector deletes, at random
   */
  static Vectors of(String folder, int files, int vectorsPerFile, int deletedRows) {
    List<byte[]> blobs =
        IntStream.range(0, DIFFERENT_VECTORS).mapToObj(seed -> blob(deletedRows, seed)).toList();
    Vectors vectors = new Vectors(new LinkedHashMap<>(), new ArrayList<>());
    for (int file = 0; file < files; file++) {
      String location = folder + "deletes-%05d.puffin".formatted(file);
      vectors.write(location, file * vectorsPerFile, vectorsPerFile, blobs, deletedRows);
    }
    return vectors;
  }

  /** Returns the same files with nothing but the first entry. */
  Vectors onlyFirst() {
    return new Vectors(files, entries.subList(0, 1));
  }

  private static byte[] blob(int deletedRows, int seed) {
    SplittableRandom random = new SplittableRandom(seed);
    return IcebergIndex.blob(
        IcebergIndex.of(random.longs(0, ROWS).distinct().limit(deletedRows).sorted().toArray()));
  }

  private void write(
      String location, int firstDataFile, int vectors, List<byte[]> blobs, int cardinality) {
    List<BlobMetadata> written = new ArrayList<>();
    InMemoryOutputFile output = new InMemoryOutputFile(location);
    try (PuffinWriter writer = Puffin.write(output).createdBy("benchmarks").build()) {
      for (int i = 0; i < vectors; i++) {
        byte[] blob = blobs.get(i % blobs.size());
        written.add(writer.write(vector(blob, dataFile(firstDataFile + i), cardinality)));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    byte[] content = output.toByteArray();
    files.put(location, content);
    for (int i = 0; i < vectors; i++) {
      BlobMetadata blob = written.get(i);
      String dataFile = dataFile(firstDataFile + i);
      entries.add(
          entry(location, content.length, dataFile, blob.offset(), blob.length(), cardinality));
    }
  }

  private static String dataFile(int index) {
    return "s3://bucket/warehouse/db/table/data/day=2026-01-01/00000-0-%08d.parquet"
        .formatted(index);
  }

  private static Blob vector(byte[] blob, String dataFile, long cardinality) {
    return new Blob(
        StandardBlobTypes.DV_V1,
        List.of(MetadataColumns.ROW_POSITION.fieldId()),
        -1,
        -1,
        ByteBuffer.wrap(blob),
        null,
        Map.of("referenced-data-file", dataFile, "cardinality", Long.toString(cardinality)));
  }

  private static DeleteFile entry(
      String location, long fileSize, String dataFile, long offset, long size, long cardinality) {
    return FileMetadata.deleteFileBuilder(PartitionSpec.unpartitioned())
        .ofPositionDeletes()
        .withFormat(FileFormat.PUFFIN)
        .withPath(location)
        .withFileSizeInBytes(fileSize)
        .withReferencedDataFile(dataFile)
        .withContentOffset(offset)
        .withContentSizeInBytes(size)
        .withRecordCount(cardinality)
        .build();
  }

  /** Returns an entry that says of another file what {@code entry} says of its own. */
  static DeleteFile moved(DeleteFile entry, String location) {
    return entry(
        location,
        entry.fileSizeInBytes(),
        entry.referencedDataFile(),
        entry.contentOffset(),
        entry.contentSizeInBytes(),
        entry.recordCount());
  }
}
