package io.github.icebergext.puffin;

import java.io.Closeable;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.BiFunction;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.CloseableIterator;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.puffin.BlobMetadata;
import org.apache.iceberg.puffin.PuffinCompressionCodec;
import org.apache.iceberg.util.Pair;
import org.jspecify.annotations.Nullable;

/**
 * Reads a Puffin file.
 *
 * <p>Neither the file nor what tables say about it is trusted: sizes are checked against the file,
 * as far as its size is known, and against the {@link PuffinLimits} before anything is allocated.
 * No request is sent but those named at each method. The storage is asked for the file's length
 * only when a footer has to be found and {@link Builder#withFileSize} was not given, and to explain
 * a read that failed.
 *
 * <p>Every read throws {@link IllegalStateException} when the reader is closed, {@link
 * UncheckedIOException} when reading failed with an {@code IOException}, and other exceptions of
 * the storage as they are.
 *
 * <p>Thread-safe; a single iterator belongs to one thread. A returned buffer belongs to the caller
 * and is backed by an array of exactly its size.
 *
 * @see <a href="https://iceberg.apache.org/puffin-spec/">Puffin spec</a>
 */
public final class PuffinFileReader implements Closeable {
  private final String location;
  private final PuffinLimits limits;
  private final @Nullable Executor executor;
  private final RangeReader ranges;
  private final FooterReader footers;

  private PuffinFileReader(Builder builder) {
    this.location = builder.file.location();
    this.limits = builder.limits;
    this.executor = builder.executor;
    this.ranges = RangeReader.of(builder.file, limits, builder.listener);
    this.footers =
        new FooterReader(
            builder.file, ranges, limits, builder.fileSizeInBytes, builder.footerSizeInBytes);
  }

  /** Starts a reader of {@code file}. */
  public static Builder read(InputFile file) {
    return new Builder(file);
  }

  /**
   * Returns the footer, read on the first call: in one request when its size was given or {@link
   * PuffinLimits#tailBytes()} hold it, in two when it is larger.
   *
   * <p>Every blob range in it lies between the first magic and the footer. The magic at the start
   * of the file is checked only if the request covered it; see {@link #verify()}.
   *
   * @throws PuffinFormatException if the file is no Puffin file (a further small request tells what
   *     it is instead), or its footer breaks the spec, has another size than given, or exceeds a
   *     limit
   */
  public PuffinFooter footer() {
    ranges.checkOpen();
    return footers.footer();
  }

  /**
   * Checks the whole structure: all magics, the footer, and every blob range, in at most one
   * request more than {@link #footer()}. What is in the blobs is not looked at, and they are not
   * decompressed: only the spec of a blob's type says what is right in it, and reading it tells.
   *
   * @throws PuffinFormatException as {@link #footer()}, and with {@link Reason#PUFFIN_MAGIC} if the
   *     file does not start with the magic
   */
  public void verify() {
    footer();
    footers.verifyHead();
  }

  /**
   * Reads one blob, decompressed, in one request.
   *
   * @param blob from the footer of this file, or made by hand: its range is checked again
   * @throws PuffinFormatException with {@link Reason#BLOB_RANGE} if the blob does not lie between
   *     the first magic and the footer, as far as that is known, with {@link Reason#LIMIT} if it is
   *     larger than {@link PuffinLimits#maxBlobBytes()} or decompresses to too much, with {@link
   *     Reason#UNKNOWN_CODEC}, or with {@link Reason#COMPRESSED_DATA}
   */
  public ByteBuffer read(BlobMetadata blob) {
    ByteRange range = rangeOf(blob);
    codecOf(blob);
    return decompress(blob, ranges.read(range));
  }

  /**
   * Reads many blobs, decompressed, in the order given, near ones in one request.
   *
   * <p>How they are fetched is told at {@link RangeReader#readAll}. Ranges and sizes are checked
   * before the first request; a codec or compressed data when the blob's turn comes.
   *
   * @throws PuffinFormatException as {@link #read}; the last two reasons while iterating
   */
  public CloseableIterable<Pair<BlobMetadata, ByteBuffer>> readAll(List<BlobMetadata> blobs) {
    return readAll(blobs, this::decompress);
  }

  /**
   * Reads stored bytes in one request, without reading the footer.
   *
   * <p>Any bytes of the file can be read, so that vectors in files that are no Puffin files can be
   * reached too.
   *
   * @param offset offset of the first byte from the start of the file
   * @param length number of bytes
   * @throws PuffinFormatException with {@link Reason#BLOB_RANGE} if an argument is negative or the
   *     range does not lie in the file, with {@link Reason#LIMIT} if it is larger than {@link
   *     PuffinLimits#maxBlobBytes()}
   */
  public ByteBuffer readStored(long offset, long length) {
    return ByteBuffer.wrap(ranges.read(check(offset, length, 0, footers.endOfFile())));
  }

  /**
   * Reads many blobs as stored, in the order given, near ones in one request.
   *
   * @throws PuffinFormatException as {@link #readAll}, but nothing is decompressed and any codec
   *     will do
   */
  public CloseableIterable<Pair<BlobMetadata, ByteBuffer>> readAllStored(List<BlobMetadata> blobs) {
    return readAll(blobs, (blob, stored) -> ByteBuffer.wrap(stored));
  }

  /**
   * Closes the file's streams. Closing again does nothing.
   *
   * @throws UncheckedIOException if closing a stream failed
   */
  @Override
  public void close() {
    ranges.close();
  }

  private CloseableIterable<Pair<BlobMetadata, ByteBuffer>> readAll(
      List<BlobMetadata> blobs, BiFunction<BlobMetadata, byte[], ByteBuffer> content) {
    List<BlobMetadata> copy = List.copyOf(blobs);
    CloseableIterable<byte[]> stored =
        ranges.readAll(copy.stream().map(this::rangeOf).toList(), executor);
    return CloseableIterable.combine(() -> pairs(copy, stored.iterator(), content), stored);
  }

  private static Iterator<Pair<BlobMetadata, ByteBuffer>> pairs(
      List<BlobMetadata> blobs,
      CloseableIterator<byte[]> stored,
      BiFunction<BlobMetadata, byte[], ByteBuffer> content) {
    Iterator<BlobMetadata> nextBlob = blobs.iterator();
    return CloseableIterator.transform(
        stored,
        bytes -> {
          BlobMetadata blob = nextBlob.next();
          return Pair.of(blob, content.apply(blob, bytes));
        });
  }

  private ByteRange rangeOf(BlobMetadata blob) {
    return check(blob.offset(), blob.length(), PuffinFormat.MAGIC_BYTES, footers.endOfBlobs());
  }

  private ByteRange check(long offset, long length, long start, long end) {
    if (offset < start || length < 0 || length > end - offset) {
      throw new PuffinFormatException(
          Reason.BLOB_RANGE, cannotRead(offset, length) + ": not between " + start + " and " + end);
    }
    if (length > limits.maxBlobBytes()) {
      throw new PuffinFormatException(
          Reason.LIMIT, cannotRead(offset, length) + ": limit " + limits.maxBlobBytes());
    }
    return new ByteRange(offset, length);
  }

  private ByteBuffer decompress(BlobMetadata blob, byte[] bytes) {
    PuffinCompressionCodec codec = codecOf(blob);
    ByteBuffer stored = ByteBuffer.wrap(bytes);
    if (codec == PuffinCompressionCodec.NONE) {
      return stored;
    }
    try {
      return PuffinCompression.decompress(codec, stored, limits);
    } catch (PuffinFormatException e) {
      throw new PuffinFormatException(
          e.reason(), cannotRead(blob.offset(), blob.length()) + ": " + e.getMessage(), e);
    }
  }

  private PuffinCompressionCodec codecOf(BlobMetadata blob) {
    for (PuffinCompressionCodec codec : PuffinCompressionCodec.values()) {
      if (Objects.equals(codec.codecName(), blob.compressionCodec())) {
        return codec;
      }
    }
    throw new PuffinFormatException(
        Reason.UNKNOWN_CODEC,
        cannotRead(blob.offset(), blob.length())
            + (": compression-codec '" + blob.compressionCodec() + "', known are lz4 and zstd"));
  }

  private String cannotRead(long offset, long length) {
    return "Cannot read " + location + ": blob at offset " + offset + " of " + length + " bytes";
  }

  /** Collects what is known about the file. Not thread-safe. */
  public static final class Builder {
    private final InputFile file;
    private PuffinLimits limits = PuffinLimits.defaults();
    private @Nullable Long fileSizeInBytes;
    private @Nullable Long footerSizeInBytes;
    private @Nullable Executor executor;
    private RequestListener listener = (location, range) -> {};

    private Builder(InputFile file) {
      this.file = file;
    }

    /**
     * Gives the file's size in bytes, which saves asking the storage for it. For an encrypted file
     * it is the size of the plaintext, which {@link InputFile#getLength()} knows.
     *
     * <p>Table metadata says it, so that a wrong one is no mistake of the caller: reading then
     * fails with a {@link PuffinFormatException}.
     */
    public Builder withFileSize(long size) {
      this.fileSizeInBytes = size;
      return this;
    }

    /**
     * Gives the footer's size in bytes, as a {@code StatisticsFile} has it, so that it is read in
     * exactly one request. A wrong one fails like a wrong file size.
     */
    public Builder withFooterSize(long size) {
      this.footerSizeInBytes = size;
      return this;
    }

    /** Replaces the default limits. */
    public Builder withLimits(PuffinLimits newLimits) {
      this.limits = newLimits;
      return this;
    }

    /**
     * Reads many blobs in parallel on {@code newExecutor}, which is not shut down.
     *
     * @see RangeReader#readAll
     */
    public Builder withExecutor(Executor newExecutor) {
      this.executor = newExecutor;
      return this;
    }

    /** Tells {@code newListener} of each request before it is sent. */
    public Builder withListener(RequestListener newListener) {
      this.listener = newListener;
      return this;
    }

    /** Returns the reader; no stream is opened and no request sent before the first read. */
    public PuffinFileReader build() {
      return new PuffinFileReader(this);
    }
  }
}
