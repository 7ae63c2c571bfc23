package io.github.icebergext.benchmarks.vector;

import java.nio.ByteBuffer;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileMetadata;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.deletes.Deletes;
import org.apache.iceberg.deletes.PositionDeleteIndex;
import org.apache.iceberg.io.CloseableIterable;

/** Iceberg's own deletion vectors, by the public ways to them. */
public final class IcebergIndex {
  private IcebergIndex() {}

  /** Returns an index that adds positions in the way of Iceberg's writers. */
  static PositionDeleteIndex create() {
    return Deletes.toPositionIndex(CloseableIterable.empty());
  }

  /** Returns an index of these positions. */
  public static PositionDeleteIndex of(long[] positions) {
    PositionDeleteIndex index = create();
    for (long position : positions) {
      index.delete(position);
    }
    return index;
  }

  /** Returns the blob that Iceberg writes. */
  public static byte[] blob(PositionDeleteIndex index) {
    ByteBuffer buffer = index.serialize();
    byte[] blob = new byte[buffer.remaining()];
    buffer.get(blob);
    return blob;
  }

  /** Returns what Iceberg needs to know of a blob to decode it. */
  static DeleteFile entry(byte[] blob, long cardinality) {
    return FileMetadata.deleteFileBuilder(PartitionSpec.unpartitioned())
        .ofPositionDeletes()
        .withFormat(FileFormat.PUFFIN)
        .withPath("memory:/deletes.puffin")
        .withFileSizeInBytes(blob.length + 100L)
        .withReferencedDataFile("memory:/data.parquet")
        .withContentOffset(4)
        .withContentSizeInBytes(blob.length)
        .withRecordCount(cardinality)
        .build();
  }
}
