package io.github.icebergext.dv;

import io.github.icebergext.puffin.ByteRange;
import io.github.icebergext.puffin.PuffinLimits;
import io.github.icebergext.puffin.Reason;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;
import org.apache.iceberg.DeleteFile;
import org.jspecify.annotations.Nullable;

/**
 * The coordinates of a deletion vector in a manifest entry, checked before anything is allocated or
 * asked of the storage.
 *
 * <p>An entry is a deletion vector when its content is position deletes and its format is Puffin.
 * Such an entry without one of its coordinates is an error, never "no vector"; bounds of the entry
 * do not replace a missing referenced data file. That the vector lies inside its file is not
 * checked, as the file size of an entry is a hint that some writers leave out or get wrong.
 *
 * <p>Immutable and thread-safe.
 *
 * @param identity where the vector is: an offset of at least 0, and a size of at least 20 bytes
 *     that does not overflow when added to the offset
 * @param referencedDataFile location of the data file whose rows are deleted, exactly as in table
 *     metadata; not empty
 * @param recordCount number of deleted rows; at least 0, and no more than a vector of that size can
 *     hold
 * @param fileSizeInBytes size of the file that holds the vector, if the entry says so: a hint
 * @see <a href="https://iceberg.apache.org/spec/#deletion-vectors">Iceberg table spec, deletion
 *     vectors</a>
 */
public record DeletionVectorEntry(
    DeletionVectorIdentity identity,
    String referencedDataFile,
    long recordCount,
    OptionalLong fileSizeInBytes) {

  /** Length prefix 4, magic 4, bitmap count 8, CRC 4. */
  private static final int MIN_SIZE = 20;

  /** {@link #MIN_SIZE} and the key 4, cookie 4 and run flags 1 of one bitmap. */
  private static final int SIZE_BEFORE_CONTAINERS = MIN_SIZE + 9;

  /** A container of one run: its descriptor 4, run count 2, the run 4. No container is smaller. */
  private static final int MIN_CONTAINER_SIZE = 10;

  private static final int MAX_CONTAINER_CARDINALITY = 1 << 16;

  /**
   * Checks the coordinates.
   *
   * @throws InvalidDeletionVectorException with {@link Reason#ENTRY_COORDINATES} if the referenced
   *     data file is null or empty, the offset is negative, the size is less than 20 bytes, offset
   *     and size overflow, or the record count is negative or more than the size can hold
   */
  public DeletionVectorEntry {
    Supplier<String> description = () -> describe(identity, referencedDataFile);
    if (referencedDataFile == null || referencedDataFile.isEmpty()) {
      throw invalid(Reason.ENTRY_COORDINATES, description.get(), "referenced data file is missing");
    }
    checkRange(identity, description);
    checkRecordCount(recordCount, identity.contentSizeInBytes(), description);
  }

  /**
   * Returns the checked coordinates of {@code deleteFile}.
   *
   * @throws InvalidDeletionVectorException with {@link Reason#NOT_DELETION_VECTOR} if the content
   *     is not position deletes or the format is not Puffin
   * @throws InvalidDeletionVectorException with {@link Reason#ENTRY_COORDINATES} if a coordinate is
   *     missing or impossible
   */
  public static DeletionVectorEntry of(DeleteFile deleteFile) {
    long fileSize = deleteFile.fileSizeInBytes();
    return new DeletionVectorEntry(
        DeletionVectorIdentity.of(deleteFile),
        deleteFile.referencedDataFile(),
        deleteFile.recordCount(),
        fileSize < 0 ? OptionalLong.empty() : OptionalLong.of(fileSize));
  }

  /**
   * Returns the checked coordinates of {@code deleteFile}, whose vector may be read under {@code
   * limits}.
   *
   * @throws InvalidDeletionVectorException with {@link Reason#NOT_DELETION_VECTOR} if the content
   *     is not position deletes or the format is not Puffin
   * @throws InvalidDeletionVectorException with {@link Reason#ENTRY_COORDINATES} if a coordinate is
   *     missing or impossible
   * @throws InvalidDeletionVectorException with {@link Reason#LIMIT} if the size is more than
   *     {@link PuffinLimits#maxBlobBytes()}
   */
  public static DeletionVectorEntry of(DeleteFile deleteFile, PuffinLimits limits) {
    DeletionVectorEntry entry = of(deleteFile);
    checkLimits(entry.identity, limits, entry::describe);
    return entry;
  }

  /** Returns the bytes of the vector in its file. */
  public ByteRange range() {
    return new ByteRange(identity.contentOffset(), identity.contentSizeInBytes());
  }

  /** Returns what the entry points at, as it stands in messages. */
  public String describe() {
    return describe(identity, referencedDataFile);
  }

  /** Returns what an entry points at, as it stands in messages; its coordinates may be missing. */
  public static String describe(DeleteFile deleteFile) {
    return describe(
        deleteFile.location(),
        deleteFile.contentOffset(),
        deleteFile.contentSizeInBytes(),
        deleteFile.referencedDataFile());
  }

  /** Returns what a vector is called in messages, whose data file may not be known. */
  public static String describe(
      DeletionVectorIdentity identity, Optional<String> referencedDataFile) {
    return describe(identity, referencedDataFile.orElse("not given"));
  }

  private static String describe(
      DeletionVectorIdentity identity, @Nullable String referencedDataFile) {
    return describe(
        identity.location(),
        identity.contentOffset(),
        identity.contentSizeInBytes(),
        referencedDataFile);
  }

  private static String describe(
      String location,
      @Nullable Long contentOffset,
      @Nullable Long contentSizeInBytes,
      @Nullable String referencedDataFile) {
    return "deletion vector in "
        + location
        + " (content offset "
        + contentOffset
        + ", content size "
        + contentSizeInBytes
        + " bytes, referenced data file "
        + referencedDataFile
        + ")";
  }

  /**
   * Checks the coordinates of a vector without an entry, as far as they are known.
   *
   * @throws InvalidDeletionVectorException with {@link Reason#ENTRY_COORDINATES} or {@link
   *     Reason#LIMIT} as {@link #of(DeleteFile, PuffinLimits)}
   */
  public static void checkCoordinates(
      DeletionVectorIdentity identity,
      OptionalLong recordCount,
      Optional<String> referencedDataFile,
      PuffinLimits limits) {
    Supplier<String> description = () -> describe(identity, referencedDataFile);
    checkRange(identity, description);
    checkLimits(identity, limits, description);
    if (recordCount.isPresent()) {
      checkRecordCount(recordCount.getAsLong(), identity.contentSizeInBytes(), description);
    }
  }

  private static void checkRange(DeletionVectorIdentity identity, Supplier<String> description) {
    long offset = identity.contentOffset();
    long size = identity.contentSizeInBytes();
    if (offset < 0) {
      throw invalid(
          Reason.ENTRY_COORDINATES,
          description.get(),
          "content offset is " + offset + ", expected ≥ 0");
    }
    if (size < MIN_SIZE) {
      throw invalid(
          Reason.ENTRY_COORDINATES,
          description.get(),
          "content size is " + size + ", expected ≥ " + MIN_SIZE + ", the smallest vector");
    }
    if (offset > Long.MAX_VALUE - size) {
      throw invalid(
          Reason.ENTRY_COORDINATES, description.get(), "content offset and content size overflow");
    }
  }

  private static void checkLimits(
      DeletionVectorIdentity identity, PuffinLimits limits, Supplier<String> description) {
    if (identity.contentSizeInBytes() > limits.maxBlobBytes()) {
      throw invalid(
          Reason.LIMIT,
          description.get(),
          "content size is "
              + identity.contentSizeInBytes()
              + ", limit maxBlobBytes is "
              + limits.maxBlobBytes());
    }
  }

  private static void checkRecordCount(long recordCount, long size, Supplier<String> description) {
    if (recordCount < 0) {
      throw invalid(
          Reason.ENTRY_COORDINATES,
          description.get(),
          "record count is " + recordCount + ", expected ≥ 0");
    }
    long containers = Math.max(0, size - SIZE_BEFORE_CONTAINERS) / MIN_CONTAINER_SIZE;
    // Divided rather than multiplied, as counts and sizes near 2^63 would overflow.
    if (recordCount > 0 && (recordCount - 1) / MAX_CONTAINER_CARDINALITY >= containers) {
      throw invalid(
          Reason.ENTRY_COORDINATES,
          description.get(),
          "record count is " + recordCount + ", more than a vector of that size can hold");
    }
  }

  static InvalidDeletionVectorException invalid(
      Reason reason, String description, String complaint) {
    return new InvalidDeletionVectorException(reason, "Invalid " + description + ": " + complaint);
  }
}
