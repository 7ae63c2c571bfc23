package io.github.icebergext.puffin;

import java.nio.ByteBuffer;
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
 * <p>The escapes are Iceberg's too, but for a surrogate without its other half, which UTF-8 cannot
 * hold: it is escaped, where Iceberg writes a question mark. Jackson's generator of bytes would
 * escape every character outside the basic plane.
 */
final class FooterJsonWriter {
  private static final HexFormat HEX = HexFormat.of().withUpperCase();

  private final StringBuilder json = new StringBuilder();

  private FooterJsonWriter() {}

  static ByteBuffer write(List<BlobMetadata> blobs, Map<String, String> properties) {
    FooterJsonWriter writer = new FooterJsonWriter();
    writer.file(blobs, properties);
    return ByteBuffer.wrap(writer.json.toString().getBytes(StandardCharsets.UTF_8));
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
      char character = text.charAt(i);
      if (!Character.isSurrogate(character)) {
        character(character);
      } else if (i + 1 < text.length()
          && Character.isSurrogatePair(character, text.charAt(i + 1))) {
        json.append(character).append(text.charAt(++i));
      } else {
        escape(character);
      }
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
          escape(character);
        } else {
          json.append(character);
        }
      }
    }
  }

  private void escape(char character) {
    json.append("\\u").append(HEX.toHexDigits(character));
  }
}
