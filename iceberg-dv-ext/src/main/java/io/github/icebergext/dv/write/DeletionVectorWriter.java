package io.github.icebergext.dv.write;

import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.dv.InvalidDeletionVectorException;
import io.github.icebergext.dv.internal.FormatVersions;
import io.github.icebergext.dv.internal.PositionDeleteLoader;
import io.github.icebergext.dv.internal.TargetFile;
import io.github.icebergext.dv.read.DeletionVectorReader;
import io.github.icebergext.dv.read.FooterCache;
import io.github.icebergext.dv.table.LiveDeletes;
import io.github.icebergext.puffin.PuffinLimits;
import io.github.icebergext.puffin.Reason;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.deletes.DVFileWriter;
import org.apache.iceberg.deletes.PositionDelete;
import org.apache.iceberg.encryption.EncryptedOutputFile;
import org.apache.iceberg.encryption.EncryptingFileIO;
import org.apache.iceberg.io.DeleteWriteResult;
import org.apache.iceberg.io.OutputFileFactory;
import org.apache.iceberg.io.PartitioningWriter;
import org.apache.iceberg.util.PropertyUtil;
import org.jspecify.annotations.Nullable;

/**
 * Writes deleted row positions as deletion vectors, which contain the previous deletes of their
 * data files and replace them.
 *
 * <pre>{@code
 * try (DeletionVectorWriter writer = DeletionVectorWriter.of(table, LiveDeletes.of(table))) {
 *   writer.delete(dataFile, position);
 *   writer.flush().commit();
 * }
 * }</pre>
 *
 * <p>Rows may be deleted in any order, of any number of data files. Only the new positions are
 * held; a previous vector is read when its successor is written. Where the rows of each data file
 * come together, {@link ClusteredDeletionVectorWriter} holds one data file at a time.
 *
 * <p>A writer goes through rounds: what a flush returns has to be {@linkplain FlushResult#commit
 * committed}, {@linkplain FlushResult#committed said to be committed} or {@linkplain
 * FlushResult#discard discarded} before the next flush, by itself or as what it was {@linkplain
 * FlushResult#merge merged} into. Rows may be deleted meanwhile, for the next round. A flush that
 * fails leaves no file behind and keeps the positions: it is to be tried again before anything else
 * is deleted. Closing without a flush abandons them.
 *
 * <p>To expire snapshots, call {@code PuffinGuard.of(table).expire(e ->
 * e.expireOlderThan(t).retainLast(n))}: a plain {@code table.expireSnapshots()} may delete Puffin
 * files that hold live vectors, unless each holds {@linkplain Builder#withVectorsPerFile one}.
 *
 * <p>Not thread-safe, results included.
 */
public final class DeletionVectorWriter extends DeletesWriter {
  /**
   * The table property that sets how many vectors a Puffin file holds at most, a number from 1 to
   * 2,147,483,647. {@link Builder#withVectorsPerFile} beats it.
   */
  public static final String VECTORS_PER_FILE_PROPERTY = "dv-ext.write.vectors-per-puffin";

  private final Map<String, PendingDeletes> pending = new LinkedHashMap<>();
  private Supplier<PreviousDeletes> previous;
  private @Nullable FlushResult open;

  /** The data files of the open result, as its positions may come back. */
  private final Map<String, FlushedVector> inOpen = new HashMap<>();

  private @Nullable RuntimeException failure;
  private boolean closed;

  private DeletionVectorWriter(WriteContext context, PreviousDeletes previous) {
    super(context);
    this.previous = () -> previous;
  }

  /**
   * Creates a writer to files at the locations that the table gives, under its encryption.
   *
   * @throws InvalidDeletionVectorException with {@link Reason#FORMAT_VERSION} if the table's format
   *     version is not 3
   * @throws IllegalArgumentException if the table's property {@link #VECTORS_PER_FILE_PROPERTY} is
   *     no number from 1 to 2,147,483,647
   */
  public static DeletionVectorWriter of(Table table, PreviousDeletes previous) {
    return builder(table, previous).build();
  }

  /**
   * Creates a writer upon the deletes of a snapshot.
   *
   * @see #of(Table, PreviousDeletes)
   */
  public static DeletionVectorWriter of(Table table, LiveDeletes previous) {
    return builder(table, previous).build();
  }

  /**
   * Starts a writer.
   *
   * @param previous the deletes that the data files already have: {@link LiveDeletes} finds them
   * @throws InvalidDeletionVectorException with {@link Reason#FORMAT_VERSION} if the table's format
   *     version is not 3
   */
  public static Builder builder(Table table, PreviousDeletes previous) {
    return new Builder(table, previous);
  }

  /**
   * Starts a writer upon the deletes of a snapshot.
   *
   * @see #builder(Table, PreviousDeletes)
   */
  public static Builder builder(Table table, LiveDeletes previous) {
    return builder(table, PreviousDeletes.of(previous));
  }

  /**
   * Adds what another writer collected, such as that of another task of the same job: all of it,
   * or, if this throws, nothing.
   *
   * @throws IllegalStateException as for {@link #delete}
   * @throws IllegalArgumentException if the two contradict each other about a data file, or the
   *     table had no such partition spec when this writer was made
   */
  public void delete(PartialDeletes partial) {
    checkTakes();
    partial.forEach(context.specs(), this::checkTakes);
    partial.forEach(context.specs(), (file, positions) -> pending(file).addAll(positions));
  }

  /** Refuses what {@link #pending} and what comes after would, and changes nothing. */
  private void checkTakes(TargetFile file, DeletedPositions positions) {
    PendingDeletes known = pending.get(file.location());
    new PendingDeletes(known == null ? inOpen(file) : known.and(file)).checkPositions(positions);
  }

  /**
   * Returns the positions added so far and forgets them, to be added to another writer, in this
   * process or another one. Nothing is written.
   *
   * @throws IllegalStateException if this writer is closed
   */
  public PartialDeletes takePartial() {
    checkNotClosed("take deletes");
    PartialDeletes partial = PartialDeletes.of(pending.values());
    clear();
    return partial;
  }

  /**
   * Writes a vector for each data file, into one Puffin file, or several when one is full; none if
   * no row was deleted. Vectors stand in the order in which their data files were first given.
   *
   * <p>When this throws, what was created has been removed, and the positions are kept: a further
   * call tries again at a new location.
   *
   * @throws IllegalStateException if this writer is closed, or an earlier result is still open
   * @throws IllegalArgumentException if the previous deletes of a data file are not known, or were
   *     loaded without their entries or in part
   * @throws InvalidDeletionVectorException if a data file has several live vectors, or one that
   *     cannot be read, lies in another partition, is older, or deletes rows that the data file
   *     does not have
   * @throws InvalidDeletionVectorException with {@link Reason#LIMIT} if a vector is larger than
   *     {@link PuffinLimits#maxBlobBytes()}
   * @throws IllegalStateException if there are position deletes of version 2 to be replaced, and
   *     {@code iceberg-data}, or what it needs for their format, is not on the class path
   * @throws java.io.UncheckedIOException if the storage fails
   */
  public FlushResult flush() {
    checkCanFlush();
    forgetLast();
    FlushResult result;
    try {
      PreviousDeletes known = previous.get();
      previous = () -> known;
      result = new FlushResult(context, known, write(known), new Round());
    } catch (RuntimeException e) {
      failure = e;
      throw e;
    }
    clear();
    if (!result.isEmpty()) {
      open = result;
      result.files().forEach(file -> inOpen.put(file.file().location(), file));
    }
    return result;
  }

  private List<FlushedVector> write(PreviousDeletes known) {
    List<PendingDeletes> notEmpty =
        pending.values().stream().filter(deletes -> !deletes.isEmpty()).toList();
    return notEmpty.isEmpty() ? List.of() : VectorFlush.write(context, notEmpty, known);
  }

  private void checkCanFlush() {
    checkNotClosed("flush");
    if (open != null) {
      throw new IllegalStateException(
          "Cannot flush: the result of the last flush, "
              + open
              + ", is neither committed nor discarded, nor is what it was merged into");
    }
  }

  /** Abandons positions that were not flushed. What a flush wrote stays. */
  @Override
  public void close() {
    clear();
    closed = true;
  }

  private void clear() {
    forgetLast();
    forgetPartitions();
    pending.clear();
    failure = null;
  }

  @Override
  void checkTakes() {
    checkNotClosed("delete rows");
    if (failure != null) {
      throw new IllegalStateException(
          "Cannot delete rows: the last flush failed, and has to be tried again first", failure);
    }
  }

  private void checkNotClosed(String action) {
    if (closed) {
      throw new IllegalStateException("Cannot " + action + ": the writer is closed");
    }
  }

  @Override
  PendingDeletes pending(TargetFile file) {
    PendingDeletes known = pending.get(file.location());
    if (known == null) {
      known = new PendingDeletes(inOpen(file));
      pending.put(file.location(), known);
    } else {
      known.checkSame(file);
    }
    return known;
  }

  /** Returns the data file with what the open result knows of it, which it may not contradict. */
  private TargetFile inOpen(TargetFile file) {
    FlushedVector known = inOpen.get(file.location());
    return known == null ? file : known.pendingAgain().and(file);
  }

  /** What becomes of the writer when the result of its flush is settled. */
  private final class Round implements FlushOwner {
    @Override
    public void committed(Supplier<PreviousDeletes> now) {
      settled();
      previous = now;
    }

    @Override
    public void discarded(List<FlushedVector> files) {
      settled();
      if (closed) {
        return;
      }
      forgetLast();
      List<PendingDeletes> since = new ArrayList<>(pending.values());
      pending.clear();
      for (FlushedVector file : files) {
        pending.put(file.file().location(), file.pendingAgain());
      }
      since.forEach(deletes -> pending(deletes.file()).addAll(deletes.positions()));
    }

    private void settled() {
      open = null;
      inOpen.clear();
    }
  }

  /** Collects how vectors are written. Not thread-safe. */
  public static final class Builder {
    private static final int DEFAULT_VECTORS_PER_FILE = 200;
    private static final int DEFAULT_READ_BYTES = 4 << 20;
    private static final int DEFAULT_FOOTER_BYTES = 2 << 20;
    private static final long POSITION_DELETE_BYTES = 16 << 20;

    private final Table table;
    private final PreviousDeletes previous;
    private final EncryptingFileIO io;
    private Supplier<EncryptedOutputFile> outputFiles;
    private PuffinLimits limits = PuffinLimits.defaults();
    private @Nullable DeletionVectorReader reader;
    private UnchangedVectorPolicy unchanged = UnchangedVectorPolicy.WRITE;
    private long fileSizeInBytes;
    private OptionalInt vectorsPerFile = OptionalInt.empty();

    private Builder(Table table, PreviousDeletes previous) {
      FormatVersions.checkWritable(table);
      this.table = table;
      this.previous = previous;
      this.io = EncryptingFileIO.combine(table.io(), table.encryption());
      this.outputFiles = () -> io.newEncryptingOutputFile(newLocation(table));
      this.fileSizeInBytes =
          PropertyUtil.propertyAsLong(
              table.properties(),
              TableProperties.DELETE_TARGET_FILE_SIZE_BYTES,
              TableProperties.DELETE_TARGET_FILE_SIZE_BYTES_DEFAULT);
    }

    private static String newLocation(Table table) {
      return table
          .locationProvider()
          .newDataLocation(FileFormat.PUFFIN.addExtension("deletes-" + UUID.randomUUID()));
    }

    /**
     * Replaces the table's own locations. The supplier is asked once a Puffin file, and gives a
     * file that does not exist.
     */
    public Builder withOutputFiles(Supplier<EncryptedOutputFile> newOutputFiles) {
      this.outputFiles = newOutputFiles;
      return this;
    }

    /**
     * Replaces the table's own locations by those of a factory, which must be one of {@link
     * FileFormat#PUFFIN}: a flush throws {@link IllegalArgumentException} if it gives a location
     * that does not end in {@code .puffin}.
     */
    public Builder withOutputFiles(OutputFileFactory factory) {
      return withOutputFiles(() -> puffin(factory.newOutputFile()));
    }

    private static EncryptedOutputFile puffin(EncryptedOutputFile file) {
      String location = file.encryptingOutputFile().location();
      if (!location.endsWith(FileFormat.PUFFIN.addExtension(""))) {
        throw new IllegalArgumentException(
            "Cannot write deletion vectors to "
                + location
                + ": its name does not end in .puffin; the output file factory has to be one of"
                + " format PUFFIN");
      }
      return file;
    }

    /**
     * Replaces the default limits, which hold for what is written, and for what is read unless
     * there is another {@linkplain #withVectorReader reader}.
     */
    public Builder withLimits(PuffinLimits newLimits) {
      this.limits = newLimits;
      return this;
    }

    /**
     * Reads the vectors that are replaced through {@code newReader}, with its checks, caches,
     * limits and policy of foreign containers. By default they are checked in full, and up to 4 MiB
     * of them are in memory while they are read.
     */
    public Builder withVectorReader(DeletionVectorReader newReader) {
      this.reader = newReader;
      return this;
    }

    /**
     * Says what happens where no row is newly deleted; {@link UnchangedVectorPolicy#WRITE} by
     * default.
     */
    public Builder withUnchangedVectors(UnchangedVectorPolicy newUnchanged) {
      this.unchanged = newUnchanged;
      return this;
    }

    /**
     * Begins a new Puffin file once one has so many bytes; the table's target size of delete files
     * by default, 64 MiB unless a property says otherwise. A file is larger by less than a vector
     * and its footer.
     *
     * @throws IllegalArgumentException if it is less than 1
     */
    public Builder withTargetFileSizeInBytes(long bytes) {
      if (bytes < 1) {
        throw new IllegalArgumentException("Invalid target file size: " + bytes);
      }
      this.fileSizeInBytes = bytes;
      return this;
    }

    /**
     * Sets how many vectors a Puffin file holds at most. By default the table's property {@value
     * DeletionVectorWriter#VECTORS_PER_FILE_PROPERTY} sets it, as the table says when the writer is
     * built, and without that property it is 200.
     *
     * <p>The footer of 200 vectors fits {@link PuffinLimits#tailBytes()}, which readers ask for at
     * the end of a file, where locations of data files have at most 135 characters. Then reading
     * one vector and its footer costs one request, or two at once; a larger footer costs a third
     * after them.
     *
     * <p>The more vectors share a Puffin file, the fewer objects and requests a commit costs, and
     * the longer that file is kept: until its last vector is replaced and expired.
     *
     * <p>{@code 1} is for tables whose snapshots are expired by Trino, Flink or a bare {@code
     * expireSnapshots()}: then no Puffin file holds two vectors, so a file that is deleted for its
     * replaced vector holds no live one. The cost is a Puffin file per data file, one written after
     * the other: a commit of 10 data files writes 10 Puffin files and not 1, a commit of 1,000
     * writes 1,000 and not 5, and the commit that replaces those vectors reads as many.
     *
     * @throws IllegalArgumentException if it is less than 1
     */
    public Builder withVectorsPerFile(int vectors) {
      if (vectors < 1) {
        throw new IllegalArgumentException("Invalid number of vectors per file: " + vectors);
      }
      this.vectorsPerFile = OptionalInt.of(vectors);
      return this;
    }

    /**
     * Returns the writer.
     *
     * @throws IllegalArgumentException if the table's property {@link #VECTORS_PER_FILE_PROPERTY}
     *     is no number from 1 to 2,147,483,647, and {@link #withVectorsPerFile} was not called
     */
    public DeletionVectorWriter build() {
      return new DeletionVectorWriter(context(), previous);
    }

    /**
     * Returns a writer that takes the rows of one data file after the other.
     *
     * @param results takes the vectors of each Puffin file, when that file is complete; if it
     *     throws, the writer has failed, and the file, which it was given, is not deleted
     * @throws IllegalArgumentException as {@link #build}
     */
    public ClusteredDeletionVectorWriter buildClustered(Consumer<FlushResult> results) {
      return new ClusteredDeletionVectorWriter(context(), previous, results);
    }

    /**
     * Returns a writer with the contract of Iceberg's own: closing it writes the files, and then it
     * has a result. A writer of which any method threw abandons instead.
     *
     * @throws IllegalArgumentException as {@link #build}
     */
    public DVFileWriter buildDVFileWriter() {
      return new DVFileWriterAdapter(build());
    }

    /**
     * Returns a writer with the contract of Iceberg's partitioning writers, of positions without
     * rows: closing it writes the files, and then it has a result. A writer of which any method
     * threw abandons instead.
     *
     * @param <T> type of the rows, of which there are none
     * @throws IllegalArgumentException as {@link #build}
     */
    public <T> PartitioningWriter<PositionDelete<T>, DeleteWriteResult> buildPartitioningWriter() {
      return new PartitioningWriterAdapter<>(new DVFileWriterAdapter(build()));
    }

    private WriteContext context() {
      return new WriteContext(
          table,
          Map.copyOf(table.specs()),
          io,
          outputFiles,
          limits,
          fileSizeInBytes,
          vectorsPerFile.orElseGet(this::tableVectorsPerFile),
          unchanged,
          reader == null ? defaultReader() : reader,
          new PositionDeleteLoader(io, POSITION_DELETE_BYTES));
    }

    private int tableVectorsPerFile() {
      String value = table.properties().get(VECTORS_PER_FILE_PROPERTY);
      return value == null ? DEFAULT_VECTORS_PER_FILE : positive(value);
    }

    private int positive(String value) {
      try {
        int vectors = Integer.parseInt(value);
        if (vectors >= 1) {
          return vectors;
        }
      } catch (NumberFormatException e) {
        // Refused below, with the text itself.
      }
      throw new IllegalArgumentException(
          "Cannot write deletion vectors of table "
              + table.name()
              + ": its property "
              + VECTORS_PER_FILE_PROPERTY
              + " is \""
              + value
              + "\", expected a number from 1 to "
              + Integer.MAX_VALUE);
    }

    private DeletionVectorReader defaultReader() {
      DeletionVectorReader.Builder builder =
          DeletionVectorReader.builder(table)
              .withLimits(
                  limits.toBuilder()
                      .maxBytesInFlight(Math.min(limits.maxBytesInFlight(), DEFAULT_READ_BYTES))
                      .build());
      try {
        builder.withFooterCache(FooterCache.ofMaxBytes(DEFAULT_FOOTER_BYTES));
      } catch (IllegalStateException e) {
        // Without Caffeine the footers of previous vectors may be read more than once.
      }
      return builder.build();
    }
  }
}
