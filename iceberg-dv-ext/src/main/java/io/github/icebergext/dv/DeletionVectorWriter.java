package io.github.icebergext.dv;

import io.github.icebergext.puffin.PuffinFile;
import io.github.icebergext.puffin.PuffinFileWriter;
import io.github.icebergext.puffin.PuffinLimits;
import io.github.icebergext.puffin.Reason;
import java.io.Closeable;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Table;
import org.apache.iceberg.encryption.EncryptedOutputFile;
import org.apache.iceberg.encryption.EncryptingFileIO;
import org.apache.iceberg.puffin.Blob;
import org.apache.iceberg.puffin.BlobMetadata;

/**
 * Writes deleted row positions as deletion vectors, which contain the previous deletes of their
 * data files and replace them.
 *
 * <pre>{@code
 * try (DeletionVectorWriter writer = DeletionVectorWriter.of(table, LiveDeletes.of(table))) {
 *   writer.delete(dataFile, position);
 *   writer.flush().applyTo(table.newRowDelta()).commit();
 * }
 * }</pre>
 *
 * <p>Only the new positions are held; a previous vector is read when its successor is written. A
 * flush that fails leaves no file behind and keeps the positions, so that it can be tried again.
 * Closing without a flush abandons them.
 *
 * <p>Not thread-safe.
 */
public final class DeletionVectorWriter implements Closeable {
  private final Map<Integer, PartitionSpec> specs;
  private final EncryptingFileIO io;
  private final PreviousDeletes previous;
  private final Supplier<EncryptedOutputFile> outputFiles;
  private final PuffinLimits limits;
  private final DeletionVectorReader reader;
  private final Map<String, PendingDeletes> pending = new LinkedHashMap<>();
  private State state = State.OPEN;

  private DeletionVectorWriter(Builder builder) {
    this.specs = builder.table.specs();
    this.io = builder.io;
    this.previous = builder.previous;
    this.outputFiles = builder.outputFiles;
    this.limits = builder.limits;
    this.reader = DeletionVectorReader.builder(io).withLimits(limits).build();
  }

  /**
   * Creates a writer to files at the locations that the table gives, under its encryption.
   *
   * @throws InvalidDeletionVectorException with {@link Reason#FORMAT_VERSION} if the table's format
   *     version is not 3
   */
  public static DeletionVectorWriter of(Table table, PreviousDeletes previous) {
    return builder(table, previous).build();
  }

  /**
   * Starts a writer.
   *
   * @param previous the deletes that the data files already have: {@link LiveDeletes}, or {@link
   *     PreviousDeletes#none}
   */
  public static Builder builder(Table table, PreviousDeletes previous) {
    return new Builder(table, previous);
  }

  /**
   * Deletes one row.
   *
   * @param position position of the row in {@code dataFile}, from 0
   * @throws IllegalStateException if this writer was flushed or closed
   * @throws IllegalArgumentException if the position is negative or not less than the data file's
   *     record count
   * @throws IllegalArgumentException if the table has no such partition spec, or the same location
   *     was given with another spec, partition or record count
   */
  public void delete(DataFile dataFile, long position) {
    checkOpen();
    checkPosition(dataFile, position);
    pendingOf(dataFile).add(position);
  }

  /**
   * Deletes rows.
   *
   * @param positions positions of the rows in {@code dataFile}, from 0
   * @throws IllegalStateException if this writer was flushed or closed
   * @throws IllegalArgumentException if a position is not less than the data file's record count
   * @throws IllegalArgumentException if the table has no such partition spec, or the same location
   *     was given with another spec, partition or record count
   */
  public void delete(DataFile dataFile, DeletedPositions positions) {
    checkOpen();
    if (!positions.isEmpty()) {
      checkPosition(dataFile, positions.lastPosition());
      pendingOf(dataFile).addAll(positions);
    }
  }

  /**
   * Writes a vector for each data file, all into one Puffin file; none if no row was deleted.
   *
   * <p>When this throws, what was created has been removed, and the positions are kept: a further
   * call tries again at a new location. After it has returned, this writer takes no more positions.
   *
   * @throws IllegalStateException if this writer was flushed or closed
   * @throws IllegalStateException if position deletes other than a vector may apply to one of the
   *     data files, as they would be lost
   * @throws InvalidDeletionVectorException if a data file has several live vectors, or one that
   *     cannot be read, lies in another partition, or deletes rows that the data file does not have
   * @throws InvalidDeletionVectorException with {@link Reason#LIMIT} if a vector is larger than
   *     {@link PuffinLimits#maxBlobBytes()}
   * @throws java.io.UncheckedIOException if the storage fails
   */
  public FlushResult flush() {
    checkOpen();
    List<FlushedVector> vectors = pending.isEmpty() ? List.of() : write(replacements());
    pending.clear();
    state = State.FLUSHED;
    return new FlushResult(previous.snapshotId(), vectors);
  }

  /** Abandons positions that were not flushed. What a flush wrote stays. */
  @Override
  public void close() {
    pending.clear();
    state = State.CLOSED;
  }

  private void checkOpen() {
    if (state != State.OPEN) {
      throw new IllegalStateException("Cannot delete rows: the writer is " + state.description);
    }
  }

  private static void checkPosition(DataFile dataFile, long position) {
    if (position < 0 || position >= dataFile.recordCount()) {
      throw new IllegalArgumentException(
          "Cannot delete row at position "
              + position
              + " of "
              + dataFile.location()
              + ": expected 0 to "
              + (dataFile.recordCount() - 1));
    }
  }

  private PendingDeletes pendingOf(DataFile dataFile) {
    PendingDeletes known = pending.get(dataFile.location());
    if (known != null) {
      known.checkSame(dataFile);
      return known;
    }
    PartitionSpec spec = specs.get(dataFile.specId());
    if (spec == null) {
      throw new IllegalArgumentException(
          "Cannot delete rows of "
              + dataFile.location()
              + ": the table has no partition spec "
              + dataFile.specId());
    }
    PendingDeletes added = new PendingDeletes(dataFile, spec);
    pending.put(added.location(), added);
    return added;
  }

  /** Pairs the deletes of each data file with the vector they replace, before anything is made. */
  private List<Replacement> replacements() {
    List<Replacement> replacements = new ArrayList<>();
    for (PendingDeletes deletes : pending.values()) {
      replacements.add(Replacement.of(deletes, previous));
    }
    return replacements;
  }

  private List<FlushedVector> write(List<Replacement> replacements) {
    EncryptedOutputFile output = outputFiles.get();
    List<WrittenVector> written = new ArrayList<>();
    PuffinFile file;
    try (PuffinFileWriter puffin = puffinWriter(output)) {
      for (Replacement replacement : replacements) {
        written.add(write(puffin, replacement));
      }
      file = puffin.finish();
    }
    return flushed(written, file, output);
  }

  private PuffinFileWriter puffinWriter(EncryptedOutputFile output) {
    return PuffinFileWriter.write(output.encryptingOutputFile(), io).withLimits(limits).build();
  }

  private WrittenVector write(PuffinFileWriter puffin, Replacement replacement) {
    PendingDeletes deletes = replacement.deletes();
    Optional<DeletedPositions> old = replacement.replaced().map(reader::read);
    old.ifPresent(replacement::checkInDataFile);
    DeletedPositions added = deletes.positions();
    DeletedPositions all = old.map(added::union).orElse(added);
    Blob blob = all.toBlob(deletes.location());
    checkSize(blob.blobData(), deletes.location());
    BlobMetadata stored = puffin.write(blob);
    long oldCount = old.map(DeletedPositions::cardinality).orElse(0L);
    return new WrittenVector(replacement, stored, all.cardinality(), all.cardinality() - oldCount);
  }

  private void checkSize(ByteBuffer bytes, String dataFile) {
    if (bytes.remaining() > limits.maxBlobBytes()) {
      throw new InvalidDeletionVectorException(
          Reason.LIMIT,
          "Cannot write deletion vector of "
              + dataFile
              + ": it has "
              + bytes.remaining()
              + " bytes, limit maxBlobBytes is "
              + limits.maxBlobBytes());
    }
  }

  private List<FlushedVector> flushed(
      List<WrittenVector> written, PuffinFile file, EncryptedOutputFile output) {
    try {
      ByteBuffer key = IcebergFeatures.withFileLength(output.keyMetadata(), file.fileSizeInBytes());
      return written.stream().map(vector -> vector.in(file, key)).toList();
    } catch (RuntimeException e) {
      discard(file, e);
      throw e;
    }
  }

  private void discard(PuffinFile file, RuntimeException cause) {
    try {
      io.deleteFile(file.location());
    } catch (RuntimeException e) {
      cause.addSuppressed(e);
    }
  }

  private enum State {
    OPEN("open"),
    FLUSHED("flushed"),
    CLOSED("closed");

    private final String description;

    State(String description) {
      this.description = description;
    }
  }

  /** Collects how vectors are written. Not thread-safe. */
  public static final class Builder {
    private final Table table;
    private final PreviousDeletes previous;
    private final EncryptingFileIO io;
    private Supplier<EncryptedOutputFile> outputFiles;
    private PuffinLimits limits = PuffinLimits.defaults();

    private Builder(Table table, PreviousDeletes previous) {
      FormatVersions.checkWritable(table);
      this.table = table;
      this.previous = previous;
      this.io = EncryptingFileIO.combine(table.io(), table.encryption());
      this.outputFiles = () -> io.newEncryptingOutputFile(newLocation(table));
    }

    private static String newLocation(Table table) {
      return table
          .locationProvider()
          .newDataLocation(FileFormat.PUFFIN.addExtension("deletes-" + UUID.randomUUID()));
    }

    /**
     * Replaces the table's own locations. The supplier is asked once a flush, and gives a file that
     * does not exist.
     */
    public Builder withOutputFiles(Supplier<EncryptedOutputFile> outputFiles) {
      this.outputFiles = outputFiles;
      return this;
    }

    /** Replaces the default limits, which hold for what is read and what is written. */
    public Builder withLimits(PuffinLimits limits) {
      this.limits = limits;
      return this;
    }

    /** Returns the writer. */
    public DeletionVectorWriter build() {
      return new DeletionVectorWriter(this);
    }
  }
}
