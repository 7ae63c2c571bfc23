package io.github.icebergext.puffin;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.exc.InputCoercionException;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.iceberg.puffin.BlobMetadata;
import org.jspecify.annotations.Nullable;

/**
 * Reads the JSON of a footer payload, whoever wrote it.
 *
 * <p>Refused: a missing, repeated or mistyped key, and anything but whitespace after the object.
 * Unknown keys are ignored with all that is in them, unless repeated. An optional key whose value
 * is {@code null} counts as absent.
 *
 * <p>One use, by one thread.
 */
final class FooterJsonReader {
  private static final int FIRST_BLOB_OFFSET = 4;

  /** Positions are bits of {@link Keys#seen}. */
  private static final List<String> REQUIRED_BLOB_KEYS =
      List.of("type", "fields", "snapshot-id", "sequence-number", "offset", "length");

  private static final List<String> REQUIRED_FILE_KEYS = List.of("blobs");

  private final String location;
  private final long footerOffset;
  private final JsonParser parser;
  private final List<BlobMetadata> blobs = new ArrayList<>();
  private Map<String, String> properties = Map.of();
  private boolean inBlob;

  private FooterJsonReader(String location, long footerOffset, JsonParser parser) {
    this.location = location;
    this.footerOffset = footerOffset;
    this.parser = parser;
  }

  static FooterJsonReader read(
      String location, ByteBuffer payload, long footerOffset, PuffinLimits limits) {
    ByteBuffer heap = payload.hasArray() ? payload : copy(payload);
    int start = heap.arrayOffset() + heap.position();
    try (JsonParser parser = factory(limits).createParser(heap.array(), start, heap.remaining())) {
      FooterJsonReader reader = new FooterJsonReader(location, footerOffset, parser);
      reader.readPayload();
      return reader;
    } catch (StreamConstraintsException e) {
      throw failure(Reason.LIMIT, location, e.getOriginalMessage(), e);
    } catch (JsonProcessingException e) {
      throw failure(Reason.FOOTER_PAYLOAD, location, e.getOriginalMessage(), e);
    } catch (IOException e) {
      throw failure(Reason.FOOTER_PAYLOAD, location, String.valueOf(e.getMessage()), e);
    }
  }

  List<BlobMetadata> blobs() {
    return blobs;
  }

  Map<String, String> properties() {
    return properties;
  }

  private static JsonFactory factory(PuffinLimits limits) {
    return new JsonFactoryBuilder()
        .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
        .streamReadConstraints(
            StreamReadConstraints.builder()
                .maxNestingDepth(limits.maxJsonDepth())
                .maxStringLength(limits.maxJsonStringLength())
                .maxNameLength(limits.maxJsonStringLength())
                .build())
        .build();
  }

  private static ByteBuffer copy(ByteBuffer bytes) {
    return ByteBuffer.allocate(bytes.remaining()).put(bytes.duplicate()).flip();
  }

  private void readPayload() throws IOException {
    if (parser.nextToken() != JsonToken.START_OBJECT) {
      throw invalid("payload is not a JSON object");
    }
    Keys keys = new Keys();
    for (String key = parser.nextFieldName(); key != null; key = parser.nextFieldName()) {
      switch (key) {
        case "blobs" -> {
          claim(keys, 0, key);
          readBlobs();
        }
        case "properties" -> {
          claim(keys, 1, key);
          properties = properties(key);
        }
        default -> skip(keys, key);
      }
    }
    require(keys, REQUIRED_FILE_KEYS);
    if (parser.nextToken() != null) {
      throw invalid("content after the JSON object");
    }
  }

  private void readBlobs() throws IOException {
    expect(JsonToken.START_ARRAY, "blobs", "a list");
    while (parser.nextToken() != JsonToken.END_ARRAY) {
      inBlob = true;
      if (parser.currentToken() != JsonToken.START_OBJECT) {
        throw invalid("is not an object");
      }
      blobs.add(readBlob());
      inBlob = false;
    }
  }

  private BlobMetadata readBlob() throws IOException {
    String type = "";
    List<Integer> fields = List.of();
    long snapshotId = 0;
    long sequenceNumber = 0;
    long offset = 0;
    long length = 0;
    String codec = null;
    Map<String, String> blobProperties = Map.of();
    Keys keys = new Keys();
    for (String key = parser.nextFieldName(); key != null; key = parser.nextFieldName()) {
      switch (key) {
        case "type" -> {
          claim(keys, 0, key);
          type = text(key);
        }
        case "fields" -> {
          claim(keys, 1, key);
          fields = fields(key);
        }
        case "snapshot-id" -> {
          claim(keys, 2, key);
          snapshotId = number(key);
        }
        case "sequence-number" -> {
          claim(keys, 3, key);
          sequenceNumber = number(key);
        }
        case "offset" -> {
          claim(keys, 4, key);
          offset = number(key);
        }
        case "length" -> {
          claim(keys, 5, key);
          length = number(key);
        }
        case "compression-codec" -> {
          claim(keys, 6, key);
          codec = optionalText(key);
        }
        case "properties" -> {
          claim(keys, 7, key);
          blobProperties = properties(key);
        }
        default -> skip(keys, key);
      }
    }
    require(keys, REQUIRED_BLOB_KEYS);
    checkRange(offset, length);
    return new BlobMetadata(
        type, fields, snapshotId, sequenceNumber, offset, length, codec, blobProperties);
  }

  private void checkRange(long offset, long length) {
    if (offset < FIRST_BLOB_OFFSET
        || length < 0
        || offset > footerOffset
        || length > footerOffset - offset) {
      throw failure(
          Reason.BLOB_RANGE,
          "range is outside of the file's blobs (actual offset "
              + offset
              + ", length "
              + length
              + ", expected within ["
              + FIRST_BLOB_OFFSET
              + ", "
              + footerOffset
              + "))");
    }
  }

  private String text(String key) throws IOException {
    expect(JsonToken.VALUE_STRING, key, "a string");
    return parser.getText();
  }

  private @Nullable String optionalText(String key) throws IOException {
    if (parser.nextToken() == JsonToken.VALUE_NULL) {
      return null;
    }
    check(JsonToken.VALUE_STRING, key, "a string or null");
    return parser.getText();
  }

  private long number(String key) throws IOException {
    expect(JsonToken.VALUE_NUMBER_INT, key, "an integer");
    try {
      return parser.getLongValue();
    } catch (InputCoercionException e) {
      throw invalid("key " + quoted(key) + " is over 64 bits");
    }
  }

  private List<Integer> fields(String key) throws IOException {
    expect(JsonToken.START_ARRAY, key, "a list of integers");
    List<Integer> fields = new ArrayList<>();
    while (parser.nextToken() != JsonToken.END_ARRAY) {
      check(JsonToken.VALUE_NUMBER_INT, key, "a list of integers");
      try {
        fields.add(parser.getIntValue());
      } catch (InputCoercionException e) {
        throw invalid("key " + quoted(key) + " holds a number over 32 bits");
      }
    }
    return fields;
  }

  private Map<String, String> properties(String key) throws IOException {
    if (parser.nextToken() == JsonToken.VALUE_NULL) {
      return Map.of();
    }
    check(JsonToken.START_OBJECT, key, "an object or null");
    Map<String, String> result = new LinkedHashMap<>();
    for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
      String value = parser.nextTextValue();
      if (value == null) {
        throw invalid("property " + quoted(name) + " is not a string");
      }
      if (result.put(name, value) != null) {
        throw invalid("property " + quoted(name) + " appears twice");
      }
    }
    return result;
  }

  private void skip(Keys keys, String key) throws IOException {
    if (!keys.unknown.add(key)) {
      throw invalid("key " + quoted(key) + " appears twice");
    }
    parser.nextToken();
    parser.skipChildren();
  }

  private void claim(Keys keys, int bit, String key) {
    if ((keys.seen & (1 << bit)) != 0) {
      throw invalid("key " + quoted(key) + " appears twice");
    }
    keys.seen |= 1 << bit;
  }

  private void require(Keys keys, List<String> required) {
    int missing = Integer.numberOfTrailingZeros(~keys.seen);
    if (missing < required.size()) {
      throw invalid("key " + quoted(required.get(missing)) + " is missing");
    }
  }

  private void expect(JsonToken token, String key, String what) throws IOException {
    parser.nextToken();
    check(token, key, what);
  }

  private void check(JsonToken token, String key, String what) {
    if (parser.currentToken() != token) {
      throw invalid("key " + quoted(key) + " is not " + what);
    }
  }

  private static String quoted(String name) {
    return FooterJsonWriter.quote(name);
  }

  private PuffinFormatException invalid(String problem) {
    return failure(Reason.FOOTER_PAYLOAD, problem);
  }

  private PuffinFormatException failure(Reason reason, String problem) {
    String where = inBlob ? "blob " + blobs.size() + ": " : "";
    return new PuffinFormatException(
        reason, "Cannot read footer of " + location + ": " + where + problem);
  }

  private static PuffinFormatException failure(
      Reason reason, String location, String problem, IOException cause) {
    return new PuffinFormatException(
        reason, "Cannot read footer of " + location + ": payload is not JSON: " + problem, cause);
  }

  /** The keys of one object met so far. */
  private static final class Keys {
    private final Set<String> unknown = new HashSet<>();
    private int seen;
  }
}
