package io.github.icebergext.dv.read;

import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.dv.DeletionVectorIdentity;
import io.github.icebergext.dv.InvalidDeletionVectorException;
import io.github.icebergext.dv.internal.FooterFacts;
import io.github.icebergext.puffin.PuffinLimits;
import io.github.icebergext.puffin.Reason;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Table;
import org.apache.iceberg.encryption.EncryptingFileIO;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.InputFile;
import org.jspecify.annotations.Nullable;

/**
 * Reads the deletion vectors that manifest entries point at, and proves each to be the right one.
 *
 * <p>An entry is checked before anything is asked of the storage. Under {@link ReadCheck#FULL}, the
 * default, the vector and the end of its Puffin file are read in one round trip, and the footer
 * must list exactly this vector for exactly this data file; a footer that does not fit {@link
 * PuffinLimits#tailBytes()} costs a second one. Under {@link ReadCheck#ENTRY} a vector costs one
 * ranged request and its footer is not looked at. The length of a file is only asked for when its
 * entry does not say it or is wrong about it.
 *
 * <p>Many vectors are read in a few large requests: see {@link #readAll(Iterable)}.
 *
 * <p>Whatever goes wrong names the entry. What breaks a rule leaves as {@link
 * InvalidDeletionVectorException}. Exceptions of the storage leave as they are, with a suppressed
 * one that says which vector was read.
 *
 * <p>Immutable and thread-safe, if its {@link FileIO}, listener, executor and mappings are. Needs
 * not be closed.
 */
public final class DeletionVectorReader {
  private static final int DEFAULT_PARALLELISM = 8;

  private final ReadContext context;
  private final Map<Integer, PartitionSpec> specs;

  private DeletionVectorReader(Builder builder) {
    ReadEvents events = new ReadEvents(builder.listener);
    this.specs = builder.specs;
    this.context =
        new ReadContext(
            builder.limits,
            builder.check,
            new VectorFileOpener(builder.io, builder.puffinLocations),
            new VectorCheck(builder.foreignContainers, builder.dataFileLocations, events),
            events,
            builder.executor,
            builder.parallelism,
            builder.vectorCache,
            builder.footerCache);
  }

  /** Returns a reader of the table's vectors through its own storage and encryption. */
  public static DeletionVectorReader of(Table table) {
    return builder(table).build();
  }

  /** Starts a reader of the table's vectors through its own storage and encryption. */
  public static Builder builder(Table table) {
    return builder(EncryptingFileIO.combine(table.io(), table.encryption()))
        .withSpecs(table.specs());
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
   * @throws InvalidDeletionVectorException under {@link ReadCheck#FULL} if the file is no sound
   *     Puffin file, or with {@link Reason#BLOB_NOT_FOUND}, {@link Reason#BLOB_TYPE}, {@link
   *     Reason#REFERENCED_DATA_FILE} or {@link Reason#CARDINALITY} if its footer has no blob at
   *     exactly these bytes, one that is no uncompressed deletion vector, one of another data file,
   *     or one of another cardinality
   * @throws java.io.UncheckedIOException if the storage fails
   */
  public DeletedPositions read(DeleteFile deleteFile) {
    return read(VectorRequest.of(deleteFile, context));
  }

  /**
   * Reads the vector that {@code deleteFile} points at, and checks that it belongs to {@code
   * dataFile}.
   *
   * @throws InvalidDeletionVectorException as {@link #read(DeleteFile)}
   * @throws InvalidDeletionVectorException before anything is read, with {@link
   *     Reason#REFERENCED_DATA_FILE} if the vector is another data file's, {@link Reason#PARTITION}
   *     if spec or partition differ, {@link Reason#SEQUENCE_NUMBER} if the vector is older, as far
   *     as both ages are known, {@link Reason#POSITION_RANGE} if it deletes more rows than there
   *     are
   * @throws InvalidDeletionVectorException with {@link Reason#POSITION_RANGE} if its last position
   *     is not less than the data file's record count
   * @throws java.io.UncheckedIOException if the storage fails
   */
  public DeletedPositions read(DeleteFile deleteFile, DataFile dataFile) {
    PartitionSpec spec = specs.get(dataFile.specId());
    return read(VectorRequest.of(deleteFile, dataFile, spec, context));
  }

  /**
   * Reads the vector at the given bytes of {@code file}, of which nothing else is known.
   *
   * @param contentOffset where the vector starts in the file, in bytes
   * @param contentSizeInBytes size of the vector in bytes
   * @throws InvalidDeletionVectorException as {@link #read(InputFile, long, long, Expectations)}
   * @throws java.io.UncheckedIOException if the storage fails
   */
  public DeletedPositions read(InputFile file, long contentOffset, long contentSizeInBytes) {
    return read(file, contentOffset, contentSizeInBytes, Expectations.none());
  }

  /**
   * Reads the vector at the given bytes of {@code file}, and holds it to {@code expectations}.
   *
   * <p>Under {@link ReadCheck#FULL} the length of the file is asked of {@code file}, which costs no
   * request where it was opened with its length.
   *
   * @param contentOffset where the vector starts in the file, in bytes
   * @param contentSizeInBytes size of the vector in bytes
   * @throws InvalidDeletionVectorException with {@link Reason#ENTRY_COORDINATES} or {@link
   *     Reason#LIMIT} if offset, size or cardinality are impossible or too large: before anything
   *     is read
   * @throws InvalidDeletionVectorException if the bytes break the format, with {@link
   *     Reason#CARDINALITY} if they hold another number of positions than expected, with {@link
   *     Reason#POSITION_RANGE} if the last one is not less than the expected number of rows
   * @throws InvalidDeletionVectorException under {@link ReadCheck#FULL} as {@link
   *     #read(DeleteFile)}
   * @throws java.io.UncheckedIOException if the storage fails
   */
  public DeletedPositions read(
      InputFile file, long contentOffset, long contentSizeInBytes, Expectations expectations) {
    DeletionVectorIdentity identity =
        new DeletionVectorIdentity(file.location(), contentOffset, contentSizeInBytes);
    VectorTarget target = VectorTarget.of(identity, expectations, context.limits());
    return read(target, () -> HintedFile.of(file));
  }

  /**
   * Reads many vectors, and returns them in the order given, each with its entry.
   *
   * <p>Vectors of the same Puffin file that are near each other are read in one request, within
   * {@link PuffinLimits#mergeGapBytes()} and {@link PuffinLimits#mergeCapBytes()}; its footer is
   * read once, and vectors that are asked for several times in a row are read once. Each result
   * owns an array of exactly its size.
   *
   * <p>Reading begins when the result is iterated, and goes on in parallel while it is: entries are
   * taken in windows, of which one is handed out while the next is read. What the windows ask of
   * the storage and hold is at most {@link PuffinLimits#maxBytesInFlight()}, unless one vector
   * alone is larger; footers that are kept for later windows come on top, up to the same number of
   * bytes. The entries themselves may be any number.
   *
   * <p>The first failure is thrown while iterating, in the place of its entry, and ends the
   * iteration. Closing the result early cancels what has not begun; what is under way in other
   * threads ends by itself. A single iterator belongs to one thread; {@code deleteFiles} stays the
   * caller's to close, but not its iterator.
   *
   * @see #read(DeleteFile) the checks and exceptions
   */
  public CloseableIterable<ReadVector> readAll(Iterable<DeleteFile> deleteFiles) {
    return readAll(deleteFiles, DeletionVectorReader::rethrow);
  }

  /**
   * Reads many vectors, and goes on after failures.
   *
   * <p>A failed request fails every vector that it was sent for, and those of its file that were
   * not read yet; it is not repeated vector by vector.
   *
   * @param failures is told of each entry whose vector could not be read, and why, in its place in
   *     the order and in the iterating thread; what it throws ends the iteration
   * @see #readAll(Iterable)
   */
  public CloseableIterable<ReadVector> readAll(
      Iterable<DeleteFile> deleteFiles,
      BiConsumer<? super DeleteFile, ? super RuntimeException> failures) {
    return new BatchRead<>(
        context,
        deleteFiles,
        deleteFile -> Optional.of(VectorRequest.of(deleteFile, context)),
        (deleteFile, vector) -> new ReadVector(deleteFile, vector.orElseThrow()),
        failures);
  }

  /**
   * Reads the vectors of scan tasks, and returns every task in the order given, with its vector if
   * it has one. Other deletes of a task are not looked at; a data file that has a vector ignores
   * position deletes that are none.
   *
   * <p>Each vector is checked against its task's data file, as {@link #read(DeleteFile, DataFile)}
   * does. A task with two vectors is a failure, with {@link Reason#DUPLICATE_VECTOR}.
   *
   * @see #readAll(Iterable)
   */
  public CloseableIterable<TaskVector> readAllTasks(Iterable<FileScanTask> tasks) {
    return readAllTasks(tasks, DeletionVectorReader::rethrow);
  }

  /**
   * Reads the vectors of scan tasks, and goes on after failures. A task whose vector could not be
   * read is not returned: without it, deleted rows would come back.
   *
   * @param failures is told of each such task, and why, in its place in the order and in the
   *     iterating thread; what it throws ends the iteration
   * @see #readAllTasks(Iterable)
   */
  public CloseableIterable<TaskVector> readAllTasks(
      Iterable<FileScanTask> tasks,
      BiConsumer<? super FileScanTask, ? super RuntimeException> failures) {
    return new BatchRead<>(
        context, tasks, task -> VectorRequest.of(task, context), TaskVector::new, failures);
  }

  /**
   * Reads the vector of each item that has one, and returns what becomes of the items, in the order
   * given.
   *
   * @param entries says which entry the vector of an item has, if there is one
   * @param results makes the result of an item and its vector, in the iterating thread; what it
   *     throws ends the iteration
   * @param <T> type of the items
   * @param <R> type of the results
   * @see #readAll(Iterable)
   */
  public <T, R> CloseableIterable<R> readEach(
      Iterable<T> items,
      Function<T, Optional<DeleteFile>> entries,
      BiFunction<T, Optional<DeletedPositions>, R> results) {
    return new BatchRead<>(
        context,
        items,
        item -> entries.apply(item).map(entry -> VectorRequest.of(entry, context)),
        results,
        DeletionVectorReader::rethrow);
  }

  private static void rethrow(Object item, RuntimeException failure) {
    throw failure;
  }

  private DeletedPositions read(VectorRequest request) {
    return read(
        request.target(), () -> context.files().open(request.deleteFile(), request.entry()));
  }

  private DeletedPositions read(VectorTarget target, Supplier<HintedFile> file) {
    CachedVector cached = context.find(target);
    if (cached != null) {
      return context.accept(target, cached);
    }
    DeletedPositions positions;
    FooterFacts facts;
    try {
      boolean full = context.check() == ReadCheck.FULL;
      FileRead read =
          new FileRead(context, file.get(), List.of(target.range()), full, footer -> false);
      read.read(context.threadsForOne());
      positions = read.positions(0);
      facts = full ? read.facts(0) : null;
    } catch (RuntimeException e) {
      throw target.named(e);
    }
    return context.accept(target, positions, facts);
  }

  /** Collects how vectors are read. Not thread-safe. */
  public static final class Builder {
    private final FileIO io;
    private PuffinLimits limits = PuffinLimits.defaults();
    private ReadCheck check = ReadCheck.FULL;
    private ForeignContainerPolicy foreignContainers = ForeignContainerPolicy.REJECT;
    private ReadListener listener = new ReadListener() {};
    private @Nullable Executor executor;
    private int parallelism = DEFAULT_PARALLELISM;
    private UnaryOperator<String> puffinLocations = UnaryOperator.identity();
    private UnaryOperator<String> dataFileLocations = UnaryOperator.identity();
    private @Nullable DeletionVectorCache vectorCache;
    private @Nullable FooterCache footerCache;
    private Map<Integer, PartitionSpec> specs = Map.of();

    private Builder(FileIO io) {
      this.io = io;
    }

    /** Replaces the default limits. */
    public Builder withLimits(PuffinLimits newLimits) {
      this.limits = newLimits;
      return this;
    }

    /** Says how much is checked; {@link ReadCheck#FULL} by default. */
    public Builder withCheck(ReadCheck newCheck) {
      this.check = newCheck;
      return this;
    }

    /**
     * Says what {@link ReadCheck#FULL} does with files that are no Puffin files; {@link
     * ForeignContainerPolicy#REJECT} by default.
     */
    public Builder withForeignContainers(ForeignContainerPolicy policy) {
      this.foreignContainers = policy;
      return this;
    }

    /** Tells {@code newListener} of requests, cache hits and warnings. */
    public Builder withListener(ReadListener newListener) {
      this.listener = newListener;
      return this;
    }

    /**
     * Sends requests in parallel on {@code newExecutor}, which is not shut down. The reading thread
     * never waits for a request that no other thread has begun, but sends it itself.
     */
    public Builder withExecutor(Executor newExecutor) {
      this.executor = newExecutor;
      return this;
    }

    /**
     * Sends the requests of each batch in parallel on at most {@code threads} daemon threads, which
     * end with it; 8 by default. Without effect when an executor is given.
     *
     * @throws IllegalArgumentException if {@code threads} is less than 1
     */
    public Builder withParallelism(int threads) {
      if (threads < 1) {
        throw new IllegalArgumentException(
            "Invalid parallelism: " + threads + ", expected at least 1");
      }
      this.parallelism = threads;
      return this;
    }

    /**
     * Opens Puffin files at the location that {@code mapping} returns for that of the entry, for
     * tables that were moved.
     */
    public Builder withPuffinLocations(UnaryOperator<String> mapping) {
      this.puffinLocations = mapping;
      return this;
    }

    /**
     * Compares locations of data files after {@code mapping} was applied to both, for tables that
     * were moved: those in footers, entries and data files.
     */
    public Builder withDataFileLocations(UnaryOperator<String> mapping) {
      this.dataFileLocations = mapping;
      return this;
    }

    /** Looks for vectors in {@code cache} first, and puts those that were read there. */
    public Builder withVectorCache(DeletionVectorCache cache) {
      this.vectorCache = cache;
      return this;
    }

    /** Looks for footers in {@code cache} first, and puts those that were read there. */
    public Builder withFooterCache(FooterCache cache) {
      this.footerCache = cache;
      return this;
    }

    /**
     * Compares partitions by the types of these specs, by their IDs. A table's reader has the
     * table's.
     */
    public Builder withSpecs(Map<Integer, PartitionSpec> newSpecs) {
      this.specs = Map.copyOf(newSpecs);
      return this;
    }

    /** Returns the reader. */
    public DeletionVectorReader build() {
      return new DeletionVectorReader(this);
    }
  }
}
