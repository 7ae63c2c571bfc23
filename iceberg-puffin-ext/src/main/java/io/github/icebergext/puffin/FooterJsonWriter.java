package io.github.icebergext.puffin;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.iceberg.puffin.BlobMetadata;

/**
 * Writes the JSON of a footer payload: compact, keys in the order in which Iceberg writes them,
 * properties in the order of their keys.
 *
 * <p>The escapes are Iceberg's too. Jackson's generator of bytes would escape every character
 * outside of the basic plane.
 */
final class FooterJsonWriter {
  private static final HexFormat HEX = HexFormat.of().withUpperCase();

  private final StringBuilder json = new StringBuilder();

  private FooterJsonWriter() {}

  /**
   * Returns the JSON in UTF-8.
   *
   * @throws IllegalArgumentException if a string holds half of a surrogate pair
   */
  static ByteBuffer write(List<BlobMetadata> blobs, Map<String, String> properties) {
    FooterJsonWriter writer = new FooterJsonWriter();
    writer.file(blobs, properties);
    try {
      return StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(writer.json));
    } catch (CharacterCodingException e) {
      throw new IllegalArgumentException(
          "Cannot write footer: a string holds half of a surrogate pair", e);
    }
  }

  /** Returns {@code text} as a JSON string. */
  static String quote(String text) {
    FooterJsonWriter writer = new FooterJsonWriter();
    writer.string(text);
    return writer.json.toString();
  }

  private void file(List<BlobMetadata> blobs, Map<String, String> properties) {
    json.append("{\"blobs\":[");
    String separator = "";
    for (BlobMetadata blob : blobs) {
      json.append(separator);
      blob(blob);
      separator = ",";
    }
    json.append(']');
    properties(properties);
    json.append('}');
  }

  private void blob(BlobMetadata blob) {
    json.append("{\"type\":");
    string(blob.type());
    json.append(",\"fields\":");
    fields(blob.inputFields());
    json.append(",\"snapshot-id\":").append(blob.snapshotId());
    json.append(",\"sequence-number\":").append(blob.sequenceNumber());
    json.append(",\"offset\":").append(blob.offset());
    json.append(",\"length\":").append(blob.length());
    if (blob.compressionCodec() != null) {
      json.append(",\"compression-codec\":");
      string(blob.compressionCodec());
    }
    properties(blob.properties());
    json.append('}');
  }

  private void fields(List<Integer> fields) {
    json.append('[');
    String separator = "";
    for (Integer field : fields) {
      json.append(separator).append(field.intValue());
      separator = ",";
    }
    json.append(']');
  }

  private void properties(Map<String, String> properties) {
    if (properties.isEmpty()) {
      return;
    }
    String separator = ",\"properties\":{";
    for (Map.Entry<String, String> property : new TreeMap<>(properties).entrySet()) {
      json.append(separator);
      string(property.getKey());
      json.append(':');
      string(property.getValue());
      separator = ",";
    }
    json.append('}');
  }

  private void string(String text) {
    json.append('"');
    for (int i = 0; i < text.length(); i++) {
      character(text.charAt(i));
    }
    json.append('"');
  }

  private void character(char character) {
    switch (character) {
      case '"', '\\' -> json.append('\\').append(character);
      case '\b' -> json.append("\\b");
      case '\t' -> json.append("\\t");
      case '\n' -> json.append("\\n");
      case '\f' -> json.append("\\f");
      case '\r' -> json.append("\\r");
      default -> {
        if (character < ' ') {
          json.append("\\u").append(HEX.toHexDigits(character));
        } else {
          json.append(character);
        }
      }
    }
  }
}
