package io.github.icebergext.dv;

import io.github.icebergext.puffin.PuffinFile;
import java.nio.ByteBuffer;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileMetadata;
import org.apache.iceberg.puffin.BlobMetadata;
import org.jspecify.annotations.Nullable;

/** A vector in a Puffin file whose size is not known yet. */
record WrittenVector(
    Replacement replacement, BlobMetadata blob, long cardinality, long newPositionCount) {

  /** Returns the vector as an entry of the finished file. */
  FlushedVector in(PuffinFile file, @Nullable ByteBuffer keyMetadata) {
    return new FlushedVector(
        deleteFile(file, keyMetadata),
        replacement.replaced().stream().toList(),
        newPositionCount,
        cardinality == replacement.deletes().dataFile().recordCount());
  }

  private DeleteFile deleteFile(PuffinFile file, @Nullable ByteBuffer keyMetadata) {
    FilePartition partition = replacement.deletes().partition();
    return FileMetadata.deleteFileBuilder(partition.spec())
        .ofPositionDeletes()
        .withFormat(FileFormat.PUFFIN)
        .withPath(file.location())
        .withPartition(partition.tuple())
        .withFileSizeInBytes(file.fileSizeInBytes())
        .withReferencedDataFile(replacement.deletes().location())
        .withContentOffset(blob.offset())
        .withContentSizeInBytes(blob.length())
        .withRecordCount(cardinality)
        .withEncryptionKeyMetadata(keyMetadata)
        .build();
  }
}
