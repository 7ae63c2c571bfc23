package io.github.icebergext.puffin;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.puffin.BlobMetadata;

/**
 * The footer of a Puffin file.
 *
 * @param blobs metadata of the blobs, in the footer's order
 * @param properties file properties
 * @param compressed whether the payload is stored as an LZ4 frame
 * @param offset where the footer starts in its file, in bytes
 * @param sizeInBytes size of the whole footer in bytes, from its first magic to its last
 */
public record PuffinFooter(
    List<BlobMetadata> blobs,
    Map<String, String> properties,
    boolean compressed,
    long offset,
    long sizeInBytes) {

  /**
   * Returns the size in bytes of the footer that ends with the given bytes, so that a caller knows
   * whether what it has read is all of it.
   *
   * @param location the file's location, for messages
   * @param tail the last bytes of the file, at least 12 of them or all; not consumed
   * @param fileSize size of the file in bytes
   */
  public static int sizeInBytes(
      String location, ByteBuffer tail, long fileSize, PuffinLimits limits) {
    throw new UnsupportedOperationException();
  }

  /**
   * Parses the footer that ends with the given bytes.
   *
   * @param location the file's location, for messages
   * @param tail the last bytes of the file, at least {@link #sizeInBytes}; not consumed
   * @param fileSize size of the file in bytes
   */
  public static PuffinFooter parse(
      String location, ByteBuffer tail, long fileSize, PuffinLimits limits) {
    throw new UnsupportedOperationException();
  }

  /** Returns the footer as bytes, from its first magic to its last: the same for equal footers. */
  public ByteBuffer toBytes() {
    throw new UnsupportedOperationException();
  }
}
