package io.github.icebergext.dv.write;

import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.dv.internal.FilePartition;
import io.github.icebergext.dv.internal.TargetFile;
import io.github.icebergext.puffin.PuffinFile;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileMetadata;
import org.apache.iceberg.puffin.BlobMetadata;
import org.jspecify.annotations.Nullable;

/** A vector in a Puffin file whose size is not known yet. */
record WrittenVector(
    TargetFile file,
    PreviousEntries previous,
    List<DeleteFile> replaced,
    DeletedPositions added,
    BlobMetadata blob,
    long cardinality,
    boolean allRowsDeleted) {

  /** Returns the vector as an entry of the finished file. */
  FlushedVector in(PuffinFile puffin, @Nullable ByteBuffer keyMetadata) {
    return new FlushedVector(
        file, previous, deleteFile(puffin, keyMetadata), replaced, added, allRowsDeleted);
  }

  private DeleteFile deleteFile(PuffinFile puffin, @Nullable ByteBuffer keyMetadata) {
    FilePartition partition = file.partition();
    return FileMetadata.deleteFileBuilder(partition.spec())
        .ofPositionDeletes()
        .withFormat(FileFormat.PUFFIN)
        .withPath(puffin.location())
        .withPartition(partition.tuple())
        .withFileSizeInBytes(puffin.fileSizeInBytes())
        .withReferencedDataFile(file.location())
        .withContentOffset(blob.offset())
        .withContentSizeInBytes(blob.length())
        .withRecordCount(cardinality)
        .withEncryptionKeyMetadata(keyMetadata)
        .build();
  }
}
