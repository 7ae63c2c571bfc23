package io.github.icebergext.dv;

import io.github.icebergext.puffin.ByteRange;
import io.github.icebergext.puffin.PuffinFormatException;
import io.github.icebergext.puffin.PuffinLimits;
import io.github.icebergext.puffin.RangeReader;
import io.github.icebergext.puffin.Reason;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.Table;
import org.apache.iceberg.encryption.EncryptingFileIO;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.InputFile;

/**
 * Reads the deletion vectors that manifest entries point at.
 *
 * <p>A vector costs one ranged request and nothing else: its coordinates come from the entry, which
 * is checked first, and neither the file's length nor its footer is asked for. What was read is
 * checked against the entry; that the Puffin footer agrees is not.
 *
 * <p>Whatever goes wrong names the entry. Bytes that break a rule leave as {@link
 * InvalidDeletionVectorException}. Exceptions of the storage leave as they are, with a suppressed
 * one that says which vector was read.
 *
 * <p>Immutable and thread-safe, if its {@link FileIO} is.
 */
public final class DeletionVectorReader {
  private final FileIO io;
  private final PuffinLimits limits;

  private DeletionVectorReader(FileIO io, PuffinLimits limits) {
    this.io = io;
    this.limits = limits;
  }

  /** Returns a reader of the table's vectors through its own storage and encryption. */
  public static DeletionVectorReader of(Table table) {
    return builder(EncryptingFileIO.combine(table.io(), table.encryption())).build();
  }

  /**
   * Starts a reader that opens files through {@code io}; for an encrypted table that is {@link
   * EncryptingFileIO#combine}.
   */
  public static Builder builder(FileIO io) {
    return new Builder(io);
  }

  /**
   * Reads the vector that {@code deleteFile} points at.
   *
   * @throws InvalidDeletionVectorException with {@link Reason#NOT_DELETION_VECTOR}, {@link
   *     Reason#ENTRY_COORDINATES} or {@link Reason#LIMIT} if the entry is none, or lacks a
   *     coordinate, or has an impossible or too large one: before anything is read
   * @throws InvalidDeletionVectorException if the bytes break the format, or hold another number of
   *     positions than the entry's record count
   * @throws java.io.UncheckedIOException if the storage fails
   */
  public DeletedPositions read(DeleteFile deleteFile) {
    DeletionVectorEntry entry = DeletionVectorEntry.of(deleteFile, limits);
    return read(
        () -> inputFile(deleteFile, entry),
        entry.range(),
        blob -> DeletionVectorCodec.decodeOwned(blob, entry.recordCount()),
        entry.describe());
  }

  /**
   * Reads the vector at the given bytes of {@code file}, whatever its cardinality.
   *
   * @param contentOffset where the vector starts in the file, in bytes
   * @param contentSizeInBytes size of the vector in bytes
   * @throws InvalidDeletionVectorException with {@link Reason#ENTRY_COORDINATES} or {@link
   *     Reason#LIMIT} if offset or size are impossible or too large: before anything is read
   * @throws InvalidDeletionVectorException if the bytes break the format
   * @throws java.io.UncheckedIOException if the storage fails
   */
  public DeletedPositions read(InputFile file, long contentOffset, long contentSizeInBytes) {
    String description = check(file, contentOffset, contentSizeInBytes);
    return read(
        () -> file,
        new ByteRange(contentOffset, contentSizeInBytes),
        DeletionVectorCodec::decodeOwned,
        description);
  }

  /**
   * Reads the vector at the given bytes of {@code file}, which must hold {@code
   * expectedCardinality} positions.
   *
   * @param contentOffset where the vector starts in the file, in bytes
   * @param contentSizeInBytes size of the vector in bytes
   * @param expectedCardinality number of positions
   * @throws InvalidDeletionVectorException with {@link Reason#ENTRY_COORDINATES} or {@link
   *     Reason#LIMIT} if offset, size or cardinality are impossible or too large: before anything
   *     is read
   * @throws InvalidDeletionVectorException if the bytes break the format, or hold another number of
   *     positions
   * @throws java.io.UncheckedIOException if the storage fails
   */
  public DeletedPositions read(
      InputFile file, long contentOffset, long contentSizeInBytes, long expectedCardinality) {
    String description = check(file, contentOffset, contentSizeInBytes);
    DeletionVectorEntry.checkRecordCount(expectedCardinality, contentSizeInBytes, description);
    return read(
        () -> file,
        new ByteRange(contentOffset, contentSizeInBytes),
        blob -> DeletionVectorCodec.decodeOwned(blob, expectedCardinality),
        description);
  }

  private String check(InputFile file, long contentOffset, long contentSizeInBytes) {
    DeletionVectorIdentity identity =
        new DeletionVectorIdentity(file.location(), contentOffset, contentSizeInBytes);
    String description = DeletionVectorEntry.describe(identity);
    DeletionVectorEntry.checkRange(identity, description);
    DeletionVectorEntry.checkLimits(identity, limits, description);
    return description;
  }

  private DeletedPositions read(
      Supplier<InputFile> file,
      ByteRange range,
      Function<byte[], DeletedPositions> decoder,
      String description) {
    try (RangeReader reader = RangeReader.of(file.get(), limits)) {
      return decoder.apply(reader.read(range));
    } catch (PuffinFormatException e) {
      throw new InvalidDeletionVectorException(
          e.reason(), "Cannot read " + description + ": " + e.getMessage(), e);
    } catch (RuntimeException e) {
      e.addSuppressed(new Note("while reading " + description));
      throw e;
    }
  }

  /** An absent size is not passed on: to a storage it would be a length. */
  private InputFile inputFile(DeleteFile deleteFile, DeletionVectorEntry entry) {
    if (entry.fileSizeInBytes().isEmpty() && deleteFile.keyMetadata() == null) {
      return io.newInputFile(deleteFile.location());
    }
    return io.newInputFile(deleteFile);
  }

  /** Says, attached to another exception, which vector was read when that one was thrown. */
  private static final class Note extends Exception {
    private static final long serialVersionUID = 1L;

    Note(String message) {
      super(message, null, false, false);
    }
  }

  /** Collects how vectors are read. Not thread-safe. */
  public static final class Builder {
    private final FileIO io;
    private PuffinLimits limits = PuffinLimits.defaults();

    private Builder(FileIO io) {
      this.io = io;
    }

    /** Replaces the default limits. */
    public Builder withLimits(PuffinLimits limits) {
      this.limits = limits;
      return this;
    }

    /** Returns the reader. */
    public DeletionVectorReader build() {
      return new DeletionVectorReader(io, limits);
    }
  }
}
