package io.github.icebergext.puffin;

import static io.github.icebergext.puffin.PuffinFormat.FLAGS_FROM_END;
import static io.github.icebergext.puffin.PuffinFormat.MAGIC_BYTES;
import static io.github.icebergext.puffin.PuffinFormat.MIN_FILE_BYTES;
import static io.github.icebergext.puffin.PuffinFormat.MIN_FOOTER_BYTES;
import static io.github.icebergext.puffin.PuffinFormat.PAYLOAD_SIZE_FROM_END;
import static io.github.icebergext.puffin.PuffinFormat.cannotReadFooter;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Collections;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.iceberg.puffin.BlobMetadata;
import org.apache.iceberg.puffin.PuffinCompressionCodec;

/**
 * The footer of a Puffin file.
 *
 * <pre>
 * bytes  field
 * 4      magic {@code PFA1}
 * n      payload: the JSON of one FileMetadata object in UTF-8, or that JSON as one LZ4 frame
 * 4      n, little-endian, signed, not negative
 * 4      flags: bit 0 of the first byte says that the payload is an LZ4 frame; no other bit is known
 * 4      magic {@code PFA1}
 * </pre>
 *
 * <p>Immutable and thread-safe. Two footers are equal only when they hold the very same blobs,
 * since Iceberg's {@link BlobMetadata} compares by identity.
 *
 * @param blobs metadata of the blobs, in the footer's order
 * @param properties file properties, in the footer's order
 * @param compressed whether the payload is stored as an LZ4 frame
 * @param offset where the footer starts in its file, in bytes; at least 4
 * @param sizeInBytes size of the whole stored footer in bytes, from its first magic to its last; at
 *     least 16
 * @see <a href="https://iceberg.apache.org/puffin-spec/#footer-structure">Puffin spec: footer
 *     structure</a>
 */
public record PuffinFooter(
    List<BlobMetadata> blobs,
    Map<String, String> properties,
    boolean compressed,
    long offset,
    long sizeInBytes) {
  /** The magic, read as a little-endian int. */
  private static final int MAGIC = Integer.reverseBytes(PuffinFormat.MAGIC);

  private static final int COMPRESSED_FLAG = 1;
  private static final String CREATED_BY = "created-by";

  /**
   * Copies the list and the map.
   *
   * @throws IllegalArgumentException if offset or size is less than its minimum
   */
  public PuffinFooter {
    if (offset < MAGIC_BYTES || sizeInBytes < MIN_FOOTER_BYTES) {
      throw new IllegalArgumentException(
          "Invalid footer: offset " + offset + ", size " + sizeInBytes);
    }
    blobs = List.copyOf(blobs);
    properties =
        properties.size() > 1
            ? Collections.unmodifiableMap(new LinkedHashMap<>(properties))
            : Map.copyOf(properties);
  }

  /** Returns the application that wrote the file, as its {@code created-by} property says. */
  public Optional<String> createdBy() {
    return Optional.ofNullable(properties.get(CREATED_BY));
  }

  /**
   * Returns the size in bytes of the footer that ends with the given bytes, so that a caller knows
   * whether what it has read is all of it.
   *
   * @param location the file's location, for messages
   * @param tail the last bytes of the file, at least 12 of them or all; not consumed
   * @param fileSize size of the file in bytes
   * @throws IllegalArgumentException if {@code tail} has fewer bytes than said, or more than the
   *     file
   * @throws PuffinFormatException with {@link Reason#NOT_PUFFIN} if the file is too small for a
   *     footer or does not end with the magic; {@link Reason#FOOTER_FLAGS} if an unknown flag is
   *     set; {@link Reason#FOOTER_SIZE} if the payload's size is negative or more than the file
   *     holds; {@link Reason#LIMIT} if the footer is larger than {@link
   *     PuffinLimits#maxFooterBytes()}
   */
  public static int sizeInBytes(
      String location, ByteBuffer tail, long fileSize, PuffinLimits limits) {
    if (tail.remaining() > fileSize
        || tail.remaining() < Math.min(PAYLOAD_SIZE_FROM_END, fileSize)) {
      throw new IllegalArgumentException(
          "Invalid tail: " + tail.remaining() + " bytes of a file of " + fileSize);
    }
    ByteBuffer bytes = littleEndian(tail);
    checkEnd(location, bytes, fileSize);
    checkFlags(location, bytes);
    return checkedSize(location, bytes, fileSize, limits);
  }

  /**
   * Parses the footer that ends with the given bytes. When they are the whole file, the magic at
   * its start is checked too; otherwise nothing before the footer is.
   *
   * @param location the file's location, for messages
   * @param tail the last bytes of the file, at least {@link #sizeInBytes}; not consumed, and not
   *     referred to by the result
   * @param fileSize size of the file in bytes
   * @throws IllegalArgumentException if {@code tail} has fewer bytes than said, or more than the
   *     file
   * @throws PuffinFormatException as {@link #sizeInBytes(String, ByteBuffer, long, PuffinLimits)}
   *     does; with {@link Reason#PUFFIN_MAGIC} if the footer or the file does not start with the
   *     magic; {@link Reason#COMPRESSED_DATA} if a compressed payload is not one sound LZ4 frame
   *     with its content size; {@link Reason#FOOTER_PAYLOAD} if the payload is not the JSON of a
   *     {@code FileMetadata} object; {@link Reason#BLOB_RANGE} if a blob lies outside the bytes
   *     between the file's magic and its footer; {@link Reason#LIMIT} if one of {@code limits} is
   *     exceeded
   */
  public static PuffinFooter parse(
      String location, ByteBuffer tail, long fileSize, PuffinLimits limits) {
    int size = sizeInBytes(location, tail, fileSize, limits);
    if (tail.remaining() < size) {
      throw new IllegalArgumentException(
          "Invalid tail: " + tail.remaining() + " bytes of a footer of " + size);
    }
    ByteBuffer bytes = littleEndian(tail);
    if (bytes.remaining() == fileSize) {
      checkMagic(location, bytes, 0, 0);
    }
    long offset = fileSize - size;
    int start = bytes.remaining() - size;
    checkMagic(location, bytes, start, offset);
    ByteBuffer payload = bytes.slice(start + MAGIC_BYTES, size - MIN_FOOTER_BYTES);
    boolean compressed = fromEnd(bytes, FLAGS_FROM_END) == COMPRESSED_FLAG;
    ByteBuffer json = compressed ? decompress(location, payload, limits) : payload;
    FooterJsonReader content = FooterJsonReader.read(location, json, offset, limits);
    return new PuffinFooter(content.blobs(), content.properties(), compressed, offset, size);
  }

  /**
   * Returns the footer as bytes, from its first magic to its last, ready to read: the same for
   * equal content, with properties in the order of their keys. The blobs are written in their
   * order. For a footer that another application wrote their number can differ from {@link
   * #sizeInBytes()}.
   *
   * @throws IllegalArgumentException if a string holds half of a surrogate pair, for which UTF-8
   *     has no bytes; no parsed footer has such a string
   */
  public ByteBuffer toBytes() {
    return toBytes(blobs, properties, compressed);
  }

  /** A footer and its bytes, encoded once. */
  record Encoded(PuffinFooter footer, ByteBuffer bytes) {}

  /** Makes the footer of a file whose blobs end at {@code offset}. */
  static Encoded encode(
      List<BlobMetadata> blobs, Map<String, String> properties, boolean compressed, long offset) {
    ByteBuffer bytes = toBytes(blobs, properties, compressed);
    return new Encoded(
        new PuffinFooter(blobs, properties, compressed, offset, bytes.remaining()), bytes);
  }

  private static ByteBuffer toBytes(
      List<BlobMetadata> blobs, Map<String, String> properties, boolean compressed) {
    ByteBuffer json = FooterJsonWriter.write(blobs, properties);
    ByteBuffer payload =
        compressed ? PuffinCompression.compress(PuffinCompressionCodec.LZ4, json) : json;
    int payloadSize = payload.remaining();
    return ByteBuffer.allocate(payloadSize + MIN_FOOTER_BYTES)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putInt(MAGIC)
        .put(payload)
        .putInt(payloadSize)
        .putInt(compressed ? COMPRESSED_FLAG : 0)
        .putInt(MAGIC)
        .flip()
        .order(ByteOrder.BIG_ENDIAN);
  }

  private static void checkEnd(String location, ByteBuffer tail, long fileSize) {
    if (fileSize >= MIN_FILE_BYTES && fromEnd(tail, MAGIC_BYTES) == MAGIC) {
      return;
    }
    ByteBuffer head = tail.remaining() == fileSize ? tail : ByteBuffer.allocate(0);
    Container container = Container.detect(head, tail, fileSize);
    String end =
        container == Container.UNKNOWN && tail.remaining() >= MAGIC_BYTES
            ? ", last 4 " + hex(fromEnd(tail, MAGIC_BYTES)) + ", expected " + hex(MAGIC)
            : "";
    throw cannotReadFooter(
        Reason.NOT_PUFFIN,
        location,
        "it is " + container.description() + " (" + fileSize + " bytes" + end + ")");
  }

  private static void checkFlags(String location, ByteBuffer tail) {
    int flags = fromEnd(tail, FLAGS_FROM_END);
    if ((flags & ~COMPRESSED_FLAG) != 0) {
      throw cannotReadFooter(
          Reason.FOOTER_FLAGS,
          location,
          "unknown flags (actual " + hex(flags) + ", known 01000000)");
    }
  }

  private static int checkedSize(
      String location, ByteBuffer tail, long fileSize, PuffinLimits limits) {
    long payloadSize = fromEnd(tail, PAYLOAD_SIZE_FROM_END);
    long most = fileSize - MIN_FILE_BYTES;
    if (payloadSize < 0 || payloadSize > most) {
      throw cannotReadFooter(
          Reason.FOOTER_SIZE,
          location,
          "payload size does not fit the file (actual " + payloadSize + ", at most " + most + ")");
    }
    long size = payloadSize + MIN_FOOTER_BYTES;
    if (size > limits.maxFooterBytes()) {
      throw cannotReadFooter(
          Reason.LIMIT,
          location,
          "its size is over the limit (actual "
              + size
              + ", limit "
              + limits.maxFooterBytes()
              + ")");
    }
    return (int) size;
  }

  private static void checkMagic(String location, ByteBuffer bytes, int index, long fileOffset) {
    int magic = bytes.getInt(index);
    if (magic != MAGIC) {
      throw cannotReadFooter(
          Reason.PUFFIN_MAGIC,
          location,
          "no magic at offset "
              + fileOffset
              + " (actual "
              + hex(magic)
              + ", expected "
              + hex(MAGIC)
              + ")");
    }
  }

  private static ByteBuffer decompress(String location, ByteBuffer payload, PuffinLimits limits) {
    try {
      return PuffinCompression.decompressFooter(payload, limits);
    } catch (PuffinFormatException e) {
      throw PuffinFormat.cannotReadFooter(e.reason(), location, e.getMessage(), e);
    }
  }

  private static ByteBuffer littleEndian(ByteBuffer bytes) {
    return bytes.slice().order(ByteOrder.LITTLE_ENDIAN);
  }

  private static int fromEnd(ByteBuffer tail, int distance) {
    return tail.getInt(tail.limit() - distance);
  }

  /** Returns the bytes of a little-endian int in the order of the file. */
  private static String hex(int littleEndian) {
    return HexFormat.of().toHexDigits(Integer.reverseBytes(littleEndian));
  }
}
