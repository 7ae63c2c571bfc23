package io.github.icebergext.dv.read;

import io.github.icebergext.dv.DeletionVectorEntry;
import io.github.icebergext.dv.DeletionVectorIdentity;
import io.github.icebergext.dv.internal.IcebergFeatures;
import java.nio.ByteBuffer;
import java.util.function.UnaryOperator;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileMetadata;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.InputFile;
import org.jspecify.annotations.Nullable;

/** Opens the files that entries point at, without a request. Thread-safe if its storage is. */
final class VectorFileOpener {
  private final FileIO io;
  private final UnaryOperator<String> locations;

  VectorFileOpener(FileIO io, UnaryOperator<String> locations) {
    this.io = io;
    this.locations = locations;
  }

  /** Returns where the file of a vector really is. */
  String location(DeletionVectorIdentity identity) {
    return locations.apply(identity.location());
  }

  HintedFile open(DeleteFile deleteFile, DeletionVectorEntry entry) {
    String location = location(entry.identity());
    ByteBuffer keyMetadata = deleteFile.keyMetadata();
    if (keyMetadata != null) {
      return HintedFile.of(openEncrypted(deleteFile, entry, location, keyMetadata));
    }
    if (entry.fileSizeInBytes().isEmpty()) {
      // An absent size is not passed on: to a storage it would be a length.
      return HintedFile.of(io.newInputFile(location));
    }
    return HintedFile.hinted(
        open(deleteFile, entry, location, null),
        entry.fileSizeInBytes().getAsLong(),
        () -> io.newInputFile(location));
  }

  /**
   * Opens an encrypted file. Its length is part of what its encryption vouches for, so that it is
   * never asked of the storage; from Iceberg 1.11 on it stands in the key metadata, and older
   * entries have it only as the size of the file.
   */
  private InputFile openEncrypted(
      DeleteFile deleteFile, DeletionVectorEntry entry, String location, ByteBuffer keyMetadata) {
    InputFile file = open(deleteFile, entry, location, keyMetadata);
    if (entry.fileSizeInBytes().isPresent() && IcebergFeatures.lacksFileLength(file)) {
      long size = entry.fileSizeInBytes().getAsLong();
      return reopen(entry, location, IcebergFeatures.withFileLength(keyMetadata, size));
    }
    return file;
  }

  private InputFile open(
      DeleteFile deleteFile,
      DeletionVectorEntry entry,
      String location,
      @Nullable ByteBuffer keyMetadata) {
    return location.equals(deleteFile.location())
        ? io.newInputFile(deleteFile)
        : reopen(entry, location, keyMetadata);
  }

  /** Opens a file by an entry that is only good for opening it. */
  private InputFile reopen(
      DeletionVectorEntry entry, String location, @Nullable ByteBuffer keyMetadata) {
    return io.newInputFile(
        FileMetadata.deleteFileBuilder(PartitionSpec.unpartitioned())
            .ofPositionDeletes()
            .withFormat(FileFormat.PUFFIN)
            .withPath(location)
            .withFileSizeInBytes(entry.fileSizeInBytes().orElse(0))
            .withEncryptionKeyMetadata(keyMetadata)
            .withReferencedDataFile(entry.referencedDataFile())
            .withContentOffset(entry.identity().contentOffset())
            .withContentSizeInBytes(entry.identity().contentSizeInBytes())
            .withRecordCount(entry.recordCount())
            .build());
  }
}
