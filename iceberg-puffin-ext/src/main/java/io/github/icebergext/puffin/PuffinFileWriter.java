package io.github.icebergext.puffin;

import static java.util.Objects.requireNonNull;

import java.io.Closeable;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.iceberg.io.FileAppender;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.puffin.Blob;
import org.apache.iceberg.puffin.BlobMetadata;
import org.apache.iceberg.puffin.PuffinCompressionCodec;
import org.apache.iceberg.puffin.StandardBlobTypes;
import org.apache.iceberg.puffin.StandardPuffinProperties;
import org.jspecify.annotations.Nullable;

/**
 * Writes a Puffin file, to any {@link OutputFile}, encrypting ones too.
 *
 * <p>Finishing publishes, closing abandons: {@link #finish()} writes the footer and returns the
 * file's facts, while {@link #close()} without it deletes what was written, so that a file which
 * lacks some of its blobs is never left behind. The same calls give the same bytes.
 *
 * <p>A failed write to storage ends the writer: what then stands in the file is unknown, and every
 * later call but {@code close} is refused. Arguments that are refused before anything was written
 * leave it usable.
 *
 * <p>Not thread-safe. Buffers given to it are neither consumed nor kept.
 *
 * @see <a href="https://iceberg.apache.org/puffin-spec/#file-structure">Puffin spec: file
 *     structure</a>
 */
public final class PuffinFileWriter implements Closeable {
  private final PuffinOutput output;
  private final Map<String, String> properties;
  private final PuffinCompressionCodec defaultCodec;
  private final boolean compressFooter;
  private final PuffinLimits limits;
  private final List<BlobMetadata> blobs = new ArrayList<>();
  private @Nullable PuffinFile result;

  private PuffinFileWriter(Builder builder) {
    this.properties = Collections.unmodifiableMap(new TreeMap<>(builder.properties));
    this.defaultCodec = builder.defaultCodec;
    this.compressFooter = builder.compressFooter;
    this.limits = builder.limits;
    this.output =
        PuffinOutput.create(
            builder.file,
            builder.io,
            ByteBuffer.allocate(PuffinFormat.MAGIC_BYTES).putInt(0, PuffinFormat.MAGIC));
  }

  /**
   * Starts a writer of {@code file}, which must not exist; {@code io} deletes it when it is
   * abandoned.
   */
  public static Builder write(OutputFile file, FileIO io) {
    return new Builder(file, io);
  }

  /** Returns where the file is written. */
  public String location() {
    return output.location();
  }

  /** Returns the bytes written so far, before encryption; the next blob starts there. */
  public long length() {
    return output.position();
  }

  /**
   * Writes a blob.
   *
   * <p>The compression that the blob requests wins over the default, {@code NONE} included. A
   * {@code deletion-vector-v1} blob is never compressed, and neither is one that a reader with the
   * same limits would refuse to decompress.
   *
   * @return where and how the blob is stored
   * @throws IllegalStateException if the writer is finished or closed, or an earlier write failed;
   *     that failure is the cause
   * @throws IllegalArgumentException if the blob is a deletion vector and requests compression, is
   *     larger than {@link PuffinLimits#maxBlobBytes()} as stored, or has a type or property longer
   *     than {@link PuffinLimits#maxJsonStringLength()}; nothing was written
   * @throws java.io.UncheckedIOException if the storage fails, as do the storage's own exceptions
   */
  public BlobMetadata write(Blob blob) {
    output.checkOpen("write a blob to");
    PuffinCompressionCodec requested = codec(blob);
    ByteBuffer data = blob.blobData();
    ByteBuffer compressed = compressed(requested, data);
    PuffinCompressionCodec codec = compressed == null ? PuffinCompressionCodec.NONE : requested;
    ByteBuffer stored = compressed == null ? data : compressed;
    return append(
        new BlobMetadata(
            blob.type(),
            blob.inputFields(),
            blob.snapshotId(),
            blob.sequenceNumber(),
            output.position(),
            stored.remaining(),
            codec.codecName(),
            blob.properties()),
        stored);
  }

  private PuffinCompressionCodec codec(Blob blob) {
    PuffinCompressionCodec requested = blob.requestedCompression();
    if (!blob.type().equals(StandardBlobTypes.DV_V1)) {
      return requested == null ? defaultCodec : requested;
    }
    if (requested != null && requested != PuffinCompressionCodec.NONE) {
      throw cannotWrite(
          StandardBlobTypes.DV_V1 + " is never compressed, and requests " + requested.codecName());
    }
    return PuffinCompressionCodec.NONE;
  }

  /** Returns the data compressed, or null if a reader with the same limits would refuse that. */
  private @Nullable ByteBuffer compressed(PuffinCompressionCodec codec, ByteBuffer data) {
    if (codec == PuffinCompressionCodec.NONE || data.remaining() > limits.maxDecompressedBytes()) {
      return null;
    }
    ByteBuffer compressed = PuffinCompression.compress(codec, data);
    boolean readable =
        compressed.remaining() <= limits.maxBlobBytes()
            && PuffinCompression.withinRatio(compressed.remaining(), data.remaining(), limits);
    return readable ? compressed : null;
  }

  /**
   * Writes a blob as it is stored in another Puffin file, without decompressing it.
   *
   * <p>Only the offset changes. A caller that moves data files passes a new {@link BlobMetadata}
   * whose properties, such as {@code referenced-data-file}, name the new locations.
   *
   * @param blob what is known about the blob; its offset does not matter
   * @param stored the stored bytes, compressed as {@code blob} says, which is not checked
   * @return where the blob is stored now
   * @throws IllegalStateException if the writer is finished or closed, or an earlier write failed;
   *     that failure is the cause
   * @throws IllegalArgumentException if {@code stored} has not the blob's length, the blob is a
   *     compressed deletion vector, is larger than {@link PuffinLimits#maxBlobBytes()}, or has a
   *     type or property longer than {@link PuffinLimits#maxJsonStringLength()}; nothing was
   *     written
   * @throws java.io.UncheckedIOException if the storage fails, as do the storage's own exceptions
   */
  public BlobMetadata writeStored(BlobMetadata blob, ByteBuffer stored) {
    output.checkOpen("write a blob to");
    if (blob.length() != stored.remaining()) {
      throw cannotWrite("stored bytes are " + stored.remaining() + ", expected " + blob.length());
    }
    if (blob.compressionCodec() != null && blob.type().equals(StandardBlobTypes.DV_V1)) {
      throw cannotWrite(
          StandardBlobTypes.DV_V1 + " is never compressed, and is by " + blob.compressionCodec());
    }
    return append(
        new BlobMetadata(
            blob.type(),
            blob.inputFields(),
            blob.snapshotId(),
            blob.sequenceNumber(),
            output.position(),
            blob.length(),
            blob.compressionCodec(),
            blob.properties()),
        stored);
  }

  private BlobMetadata append(BlobMetadata blob, ByteBuffer stored) {
    if (blob.length() > limits.maxBlobBytes()) {
      throw cannotWrite(
          blob.type() + " is " + blob.length() + " bytes, limit " + limits.maxBlobBytes());
    }
    int longest = Math.max(blob.type().length(), longest(blob.properties()));
    if (longest > limits.maxJsonStringLength()) {
      throw cannotWrite(tooLong(longest, limits));
    }
    output.append(stored);
    blobs.add(blob);
    return blob;
  }

  private static int longest(Map<String, String> properties) {
    int longest = 0;
    for (Map.Entry<String, String> property : properties.entrySet()) {
      longest = Math.max(longest, property.getKey().length());
      longest = Math.max(longest, property.getValue().length());
    }
    return longest;
  }

  private static String tooLong(int characters, PuffinLimits limits) {
    return "a string has " + characters + " characters, limit " + limits.maxJsonStringLength();
  }

  private IllegalArgumentException cannotWrite(String reason) {
    return new IllegalArgumentException(
        "Cannot write blob " + blobs.size() + " to " + location() + ": " + reason);
  }

  /**
   * Writes the footer and publishes the file, which may hold no blob at all. When that fails the
   * file is deleted.
   *
   * @return the facts of the file
   * @throws IllegalStateException if the writer is finished or closed, an earlier write failed
   *     (that failure is the cause), or a reader with the same limits would refuse the footer
   * @throws java.io.UncheckedIOException if the storage fails, as do the storage's own exceptions
   */
  public PuffinFile finish() {
    output.checkOpen("finish");
    try {
      PuffinFooter.Encoded encoded =
          PuffinFooter.encode(blobs, properties, compressFooter, output.position());
      checkReadable(encoded);
      output.append(encoded.bytes());
      PuffinFile file = new PuffinFile(location(), output.publish(), encoded.footer());
      result = file;
      return file;
    } catch (RuntimeException | Error e) {
      output.abandon(e);
      throw e;
    }
  }

  /** What is compressed is judged by what it decompresses to, so that is parsed. */
  private void checkReadable(PuffinFooter.Encoded encoded) {
    long size = encoded.footer().sizeInBytes();
    if (size > limits.maxFooterBytes()) {
      throw new IllegalStateException(
          "Cannot finish "
              + location()
              + ": footer is "
              + size
              + " bytes, limit "
              + limits.maxFooterBytes());
    }
    if (compressFooter) {
      try {
        PuffinFooter.parse(location(), encoded.bytes(), output.position() + size, limits);
      } catch (PuffinFormatException e) {
        throw new IllegalStateException(
            "Cannot finish " + location() + ": a reader with the same limits refuses its footer",
            e);
      }
    }
  }

  /**
   * Returns the facts of the file that {@link #finish()} or the appender's {@code close} published.
   *
   * @throws IllegalStateException if it is not published
   */
  public PuffinFile result() {
    if (result == null) {
      throw new IllegalStateException("Cannot describe " + location() + ": it is not finished");
    }
    return result;
  }

  /**
   * Deletes what was written, unless {@link #finish()} has published it. Does nothing the second
   * time.
   *
   * <p>Never fails for what the storage does: a file that cannot be deleted is logged as a warning.
   * Iceberg's streams cannot be discarded, only closed, so that an object store may show the file,
   * which has no footer, until it is deleted.
   */
  @Override
  public void close() {
    output.abandon(null);
  }

  /**
   * Returns this writer behind Iceberg's contract, by which {@code close} publishes the file, after
   * which {@link #result()} describes it.
   *
   * <p>Once adding a blob has failed for any reason, {@code close} deletes the file and throws
   * {@link IllegalStateException}. What fails elsewhere in the caller's own code it cannot know of.
   */
  public FileAppender<Blob> asFileAppender() {
    return new PuffinFileAppender(this);
  }

  /** Collects what goes into the file. Not thread-safe; for one file only. */
  public static final class Builder {
    private final OutputFile file;
    private final FileIO io;
    private final Map<String, String> properties = new TreeMap<>();
    private PuffinCompressionCodec defaultCodec = PuffinCompressionCodec.NONE;
    private boolean compressFooter;
    private PuffinLimits limits = PuffinLimits.defaults();

    private Builder(OutputFile file, FileIO io) {
      this.file = file;
      this.io = io;
      this.properties.put(StandardPuffinProperties.CREATED_BY_PROPERTY, CreatedBy.DEFAULT);
    }

    /**
     * Sets the {@code created-by} property, for example "Trino version 470". By default it names
     * this library and its version.
     */
    public Builder createdBy(String application) {
      return set(StandardPuffinProperties.CREATED_BY_PROPERTY, application);
    }

    /** Sets a file property; the last value given for a key counts, {@code created-by} included. */
    public Builder set(String key, String value) {
      properties.put(requireNonNull(key, "key"), requireNonNull(value, "value"));
      return this;
    }

    /** Sets file properties, each as {@link #set} does. */
    public Builder setAll(Map<String, String> properties) {
      properties.forEach(this::set);
      return this;
    }

    /**
     * Compresses blobs that ask for no compression themselves; never a {@code deletion-vector-v1}
     * blob. By default they are stored as they are. Iceberg itself reads {@code ZSTD} only.
     */
    public Builder compressBlobs(PuffinCompressionCodec codec) {
      this.defaultCodec = codec;
      return this;
    }

    /** Stores the footer payload as one LZ4 frame, which Iceberg itself cannot read. */
    public Builder compressFooter() {
      this.compressFooter = true;
      return this;
    }

    /** Replaces the default limits: what is written stays within them, so that it can be read. */
    public Builder withLimits(PuffinLimits limits) {
      this.limits = limits;
      return this;
    }

    /**
     * Creates the file and returns its writer. A file that exists is left as it is.
     *
     * @throws IllegalArgumentException if a property is longer than {@link
     *     PuffinLimits#maxJsonStringLength()}
     * @throws org.apache.iceberg.exceptions.AlreadyExistsException if the file exists
     * @throws java.io.UncheckedIOException if the storage fails, as do the storage's own exceptions
     */
    public PuffinFileWriter build() {
      int longest = longest(properties);
      if (longest > limits.maxJsonStringLength()) {
        throw new IllegalArgumentException(
            "Cannot write " + file.location() + ": " + tooLong(longest, limits));
      }
      return new PuffinFileWriter(this);
    }
  }
}
