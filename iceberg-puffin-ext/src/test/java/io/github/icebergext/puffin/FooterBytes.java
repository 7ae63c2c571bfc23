package io.github.icebergext.puffin;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.iceberg.inmemory.InMemoryOutputFile;
import org.apache.iceberg.puffin.Blob;
import org.apache.iceberg.puffin.BlobMetadata;
import org.apache.iceberg.puffin.Puffin;
import org.apache.iceberg.puffin.PuffinWriter;

/** Puffin files around footers that tests make by hand or let Iceberg make. */
final class FooterBytes {
  static final String LOCATION = "s3://b/f.puffin";

  /** Where the footer of a file made by hand starts, after 96 bytes for blobs. */
  static final int OFFSET = 100;

  private static final byte[] MAGIC = "PFA1".getBytes(StandardCharsets.US_ASCII);

  private FooterBytes() {}

  static byte[] file(String json) {
    return file(json.getBytes(StandardCharsets.UTF_8));
  }

  static byte[] file(byte[] payload) {
    return file(payload, payload.length, 0);
  }

  /** Makes a file of which the payload's size and the flags need not be true. */
  static byte[] file(byte[] payload, int payloadSize, int flags) {
    return ByteBuffer.allocate(OFFSET + 16 + payload.length)
        .order(ByteOrder.LITTLE_ENDIAN)
        .put(MAGIC)
        .position(OFFSET)
        .put(MAGIC)
        .put(payload)
        .putInt(payloadSize)
        .putInt(flags)
        .put(MAGIC)
        .array();
  }

  /** Puts a footer behind 96 bytes for blobs. */
  static byte[] file(ByteBuffer footer) {
    return ByteBuffer.allocate(OFFSET + footer.remaining())
        .put(MAGIC)
        .position(OFFSET)
        .put(footer.duplicate())
        .array();
  }

  /** A file of two blobs and some properties, as Iceberg writes it. */
  static byte[] icebergFile() {
    InMemoryOutputFile output = new InMemoryOutputFile(LOCATION);
    try (PuffinWriter writer = Puffin.write(output).createdBy("test").set("a", "b").build()) {
      writer.add(
          new Blob(
              "some-blob",
              List.of(1, 2),
              3,
              4,
              ByteBuffer.wrap(new byte[] {5, 6, 7}),
              null,
              Map.of("key", "\"\\\b\t\n\f\r\u0001\u007f\u00e9\u20ac\ud83e\udd2f/")));
      writer.add(new Blob("t", List.of(), -1, -1, ByteBuffer.wrap(new byte[] {8})));
      writer.finish();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return output.toByteArray();
  }

  /** Returns the JSON that a footer is written as. */
  static String json(PuffinFooter footer) {
    ByteBuffer bytes = footer.toBytes();
    return StandardCharsets.UTF_8.decode(bytes.slice(4, bytes.remaining() - 16)).toString();
  }

  /** Parses the footer from all bytes of its file. */
  static PuffinFooter parse(byte[] file) {
    return parse(file, PuffinLimits.defaults());
  }

  static PuffinFooter parse(byte[] file, PuffinLimits limits) {
    return PuffinFooter.parse(LOCATION, ByteBuffer.wrap(file), file.length, limits);
  }

  /** Parses the footer from exactly its own bytes. */
  static PuffinFooter parseFooterAlone(byte[] file, PuffinLimits limits) {
    ByteBuffer end = ByteBuffer.wrap(Arrays.copyOfRange(file, file.length - 12, file.length));
    int size = PuffinFooter.sizeInBytes(LOCATION, end, file.length, limits);
    ByteBuffer footer = ByteBuffer.wrap(Arrays.copyOfRange(file, file.length - size, file.length));
    return PuffinFooter.parse(LOCATION, footer, file.length, limits);
  }

  /** Asserts that two footers say the same; blobs have no equality of their own. */
  static void assertSameContent(PuffinFooter actual, PuffinFooter expected) {
    assertThat(actual.properties()).isEqualTo(expected.properties());
    assertThat(facts(actual)).isEqualTo(facts(expected));
  }

  private static List<List<Object>> facts(PuffinFooter footer) {
    return footer.blobs().stream().map(FooterBytes::facts).toList();
  }

  private static List<Object> facts(BlobMetadata blob) {
    return List.of(
        blob.type(),
        blob.inputFields(),
        blob.snapshotId(),
        blob.sequenceNumber(),
        blob.offset(),
        blob.length(),
        Optional.ofNullable(blob.compressionCodec()),
        blob.properties());
  }
}
