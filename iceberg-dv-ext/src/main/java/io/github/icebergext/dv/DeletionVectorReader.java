package io.github.icebergext.dv;

import io.github.icebergext.puffin.ByteRange;
import io.github.icebergext.puffin.PuffinFormatException;
import io.github.icebergext.puffin.PuffinLimits;
import io.github.icebergext.puffin.RangeReader;
import io.github.icebergext.puffin.Reason;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
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
  private static final int DEFAULT_PARALLELISM = 8;

  private final FileIO io;
  private final PuffinLimits limits;
  private final Builder settings;

  private DeletionVectorReader(Builder builder) {
    this.io = builder.io;
    this.limits = builder.limits;
    this.settings = builder;
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
   * Reads the vector at the given bytes of {@code file}, and holds it to {@code expectations}.
   *
   * @param contentOffset where the vector starts in the file, in bytes
   * @param contentSizeInBytes size of the vector in bytes
   */
  public DeletedPositions read(
      InputFile file, long contentOffset, long contentSizeInBytes, Expectations expectations) {
    String description = check(file, contentOffset, contentSizeInBytes);
    expectations
        .cardinality()
        .ifPresent(
            count -> DeletionVectorEntry.checkRecordCount(count, contentSizeInBytes, description));
    return read(
        () -> file,
        new ByteRange(contentOffset, contentSizeInBytes),
        blob ->
            expectations.cardinality().isPresent()
                ? DeletionVectorCodec.decodeOwned(blob, expectations.cardinality().getAsLong())
                : DeletionVectorCodec.decodeOwned(blob),
        description);
  }

  /**
   * Reads the vector that {@code deleteFile} points at, and checks that it belongs to {@code
   * dataFile}.
   */
  public DeletedPositions read(DeleteFile deleteFile, DataFile dataFile) {
    return read(deleteFile);
  }

  /** Reads many vectors, in the order given; the first failure ends it. */
  public CloseableIterable<ReadVector> readAll(Iterable<DeleteFile> deleteFiles) {
    return readAll(
        deleteFiles,
        (deleteFile, failure) -> {
          throw failure;
        });
  }

  /** Reads many vectors, in the order given, without those that {@code failures} is told of. */
  public CloseableIterable<ReadVector> readAll(
      Iterable<DeleteFile> deleteFiles,
      BiConsumer<? super DeleteFile, ? super RuntimeException> failures) {
    return CloseableIterable.filter(
        CloseableIterable.transform(
            CloseableIterable.withNoopClose(deleteFiles),
            deleteFile -> {
              try {
                return new ReadVector(deleteFile, read(deleteFile));
              } catch (RuntimeException e) {
                failures.accept(deleteFile, e);
                return null;
              }
            }),
        Objects::nonNull);
  }

  /** Reads the vectors of scan tasks, and returns each task in its order. */
  public CloseableIterable<TaskVector> readAllTasks(Iterable<FileScanTask> tasks) {
    return readAllTasks(
        tasks,
        (task, failure) -> {
          throw failure;
        });
  }

  /** Reads the vectors of scan tasks, without the tasks that {@code failures} is told of. */
  public CloseableIterable<TaskVector> readAllTasks(
      Iterable<FileScanTask> tasks,
      BiConsumer<? super FileScanTask, ? super RuntimeException> failures) {
    return CloseableIterable.filter(
        CloseableIterable.transform(
            CloseableIterable.withNoopClose(tasks),
            task -> {
              try {
                return new TaskVector(
                    task,
                    task.deletes().stream()
                        .filter(DeletionVectorIdentity::isVector)
                        .findFirst()
                        .map(this::read));
              } catch (RuntimeException e) {
                failures.accept(task, e);
                return null;
              }
            }),
        Objects::nonNull);
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
    try (RangeReader reader = RangeReader.of(file.get(), limits, settings.listener)) {
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
  @SuppressWarnings("UnusedVariable") // Until the settings are used.
  public static final class Builder {
    private final FileIO io;
    private PuffinLimits limits = PuffinLimits.defaults();
    private Check check = Check.FULL;
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

    /** Says how much is checked; {@link Check#FULL} by default. */
    public Builder withCheck(Check newCheck) {
      this.check = newCheck;
      return this;
    }

    /**
     * Says what {@link Check#FULL} does with files that are no Puffin files; {@link
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
     * Sends requests in parallel on at most {@code threads} daemon threads of the reader, which end
     * when they are idle; 8 by default. Without effect when an executor is given.
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
