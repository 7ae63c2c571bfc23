package io.github.icebergext.dv;

import io.github.icebergext.puffin.Reason;
import org.apache.iceberg.ContentFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileContent;
import org.apache.iceberg.FileFormat;

/**
 * What makes a deletion vector that one and no other: the key of every set, map and cache of
 * vectors.
 *
 * <p>Many vectors share a Puffin file, so the location alone identifies none of them. Immutable and
 * thread-safe. Whether the bytes can be a vector's is checked by {@link DeletionVectorEntry}, not
 * here.
 *
 * @param location location of the file that holds the vector, exactly as in table metadata
 * @param contentOffset where the vector starts in its file, in bytes
 * @param contentSizeInBytes size of the vector as stored, in bytes
 */
public record DeletionVectorIdentity(String location, long contentOffset, long contentSizeInBytes) {

  /**
   * Returns the identity of the vector that {@code deleteFile} points at.
   *
   * @throws InvalidDeletionVectorException with {@link Reason#NOT_DELETION_VECTOR} if the content
   *     is not position deletes or the format is not Puffin
   * @throws InvalidDeletionVectorException with {@link Reason#ENTRY_COORDINATES} if the content
   *     offset or the content size is missing
   */
  public static DeletionVectorIdentity of(DeleteFile deleteFile) {
    if (!isVector(deleteFile)) {
      throw new InvalidDeletionVectorException(
          Reason.NOT_DELETION_VECTOR,
          "Not a deletion vector: "
              + deleteFile.location()
              + " has content "
              + deleteFile.content()
              + " and format "
              + deleteFile.format()
              + ", expected POSITION_DELETES and PUFFIN");
    }
    return new DeletionVectorIdentity(
        deleteFile.location(),
        present(deleteFile, "content offset", deleteFile.contentOffset()),
        present(deleteFile, "content size", deleteFile.contentSizeInBytes()));
  }

  /** Returns whether an entry is a deletion vector: by content and format, and nothing else. */
  public static boolean isVector(ContentFile<?> file) {
    return file.content() == FileContent.POSITION_DELETES && file.format() == FileFormat.PUFFIN;
  }

  private static long present(DeleteFile deleteFile, String field, Long value) {
    if (value == null) {
      throw DeletionVectorEntry.invalid(
          Reason.ENTRY_COORDINATES,
          DeletionVectorEntry.describe(deleteFile),
          field + " is missing");
    }
    return value;
  }
}
