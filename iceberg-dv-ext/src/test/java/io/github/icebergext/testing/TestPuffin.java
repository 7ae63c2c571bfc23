package io.github.icebergext.testing;

import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.dv.DeletionVectorCodec;
import io.github.icebergext.puffin.PuffinFooter;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileMetadata;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.puffin.BlobMetadata;
import org.jspecify.annotations.Nullable;

/** A Puffin file put together byte by byte, sound or not, and the entries of its vectors. */
public final class TestPuffin {
  public static final String TYPE = "deletion-vector-v1";

  private final String location;
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final List<BlobMetadata> blobs = new ArrayList<>();
  private final List<Entry> entries = new ArrayList<>();

  private record Entry(String dataFile, long offset, long size, long recordCount) {}

  public TestPuffin(String location) {
    this.location = location;
    bytes.writeBytes("PFA1".getBytes(StandardCharsets.US_ASCII));
  }

  /** Adds a vector as it should be. */
  public TestPuffin vector(String dataFile, long... positions) {
    return vector(dataFile, TestEntries.positions(positions));
  }

  public TestPuffin vector(String dataFile, DeletedPositions positions) {
    return vector(
        dataFile, positions, TYPE, null, TestEntries.properties(dataFile, positions.cardinality()));
  }

  /** Adds a vector of which the footer says anything. */
  public TestPuffin vector(
      String dataFile,
      DeletedPositions positions,
      String type,
      @Nullable String codec,
      Map<String, String> properties) {
    byte[] blob = encoded(positions);
    entries.add(new Entry(dataFile, bytes.size(), blob.length, positions.cardinality()));
    blobs.add(metadata(type, bytes.size(), blob.length, codec, properties));
    bytes.writeBytes(blob);
    return this;
  }

  /** Adds a vector that the footer does not list. */
  public TestPuffin unlisted(String dataFile, long... positions) {
    vector(dataFile, positions);
    blobs.remove(blobs.size() - 1);
    return this;
  }

  /** Lists the bytes of the last vector once more, as those of another data file. */
  public TestPuffin again(String dataFile, long cardinality) {
    BlobMetadata last = blobs.get(blobs.size() - 1);
    blobs.add(
        metadata(
            TYPE,
            last.offset(),
            last.length(),
            null,
            TestEntries.properties(dataFile, cardinality)));
    return this;
  }

  /** Adds a blob of another type. */
  public TestPuffin padding(int length) {
    blobs.add(metadata("padding", bytes.size(), length, null, Map.of()));
    bytes.writeBytes(new byte[length]);
    return this;
  }

  /** Stores the file and returns the entries of its vectors, in their order. */
  public List<DeleteFile> store(RecordingFileIO io) {
    byte[] file = toBytes();
    io.put(location, file);
    return entries(file.length);
  }

  public byte[] toBytes() {
    ByteArrayOutputStream file = new ByteArrayOutputStream();
    file.writeBytes(bytes.toByteArray());
    file.writeBytes(array(new PuffinFooter(blobs, Map.of(), false, bytes.size(), 16).toBytes()));
    return file.toByteArray();
  }

  public List<DeleteFile> entries(long fileSize) {
    return entries.stream()
        .map(
            entry ->
                entry(
                    location,
                    fileSize,
                    entry.dataFile(),
                    entry.offset(),
                    entry.size(),
                    entry.recordCount()))
        .toList();
  }

  public static DeleteFile entry(
      String location, long fileSize, String dataFile, long offset, long size, long recordCount) {
    return FileMetadata.deleteFileBuilder(PartitionSpec.unpartitioned())
        .ofPositionDeletes()
        .withFormat(FileFormat.PUFFIN)
        .withPath(location)
        .withFileSizeInBytes(fileSize)
        .withReferencedDataFile(dataFile)
        .withContentOffset(offset)
        .withContentSizeInBytes(size)
        .withRecordCount(recordCount)
        .build();
  }

  public static byte[] encoded(DeletedPositions positions) {
    return array(DeletionVectorCodec.encode(positions));
  }

  private static byte[] array(ByteBuffer buffer) {
    byte[] array = new byte[buffer.remaining()];
    buffer.duplicate().get(array);
    return array;
  }

  private static BlobMetadata metadata(
      String type,
      long offset,
      long length,
      @Nullable String codec,
      Map<String, String> properties) {
    return new BlobMetadata(type, List.of(), -1, -1, offset, length, codec, properties);
  }
}
