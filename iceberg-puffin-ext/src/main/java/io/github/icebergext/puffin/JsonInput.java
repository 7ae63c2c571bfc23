package io.github.icebergext.puffin;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.exc.InputCoercionException;
import com.fasterxml.jackson.core.io.SerializedString;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The JSON of a footer payload as a sequence of keys and typed values, of which every failure says
 * in which blob and at which key.
 *
 * <p>What a value costs in memory and is not in proportion to its bytes is counted: a list element
 * of two bytes takes four or more, a property of ten a hundred and fifty.
 */
final class JsonInput {
  /** Counted elements that every payload may have: some 150 MiB at worst. */
  private static final int MIN_MAX_ELEMENTS = 1 << 20;

  /** Bytes of a largest footer for each counted element; a deletion vector takes 100 for each. */
  private static final int BYTES_PER_ELEMENT = 64;

  private static final int MAX_QUOTED_KEY = 64;
  private static final int NO_BLOB = -1;

  private final String location;
  private final JsonParser parser;
  private final int maxElements;
  private int elements;
  private int blob = NO_BLOB;

  JsonInput(String location, JsonParser parser, PuffinLimits limits) {
    this.location = location;
    this.parser = parser;
    this.maxElements = Math.max(MIN_MAX_ELEMENTS, limits.maxFooterBytes() / BYTES_PER_ELEMENT);
  }

  /** Says for messages that the blob with this index starts. */
  void enterBlob(int index) {
    blob = index;
  }

  /** Says for messages that no blob goes on. */
  void leaveBlob() {
    blob = NO_BLOB;
  }

  void startPayload() throws IOException {
    if (parser.nextToken() != JsonToken.START_OBJECT) {
      throw invalid("payload is " + kind(parser.currentToken()) + ", expected an object");
    }
  }

  void endPayload() throws IOException {
    if (parser.nextToken() != null) {
      throw invalid("content after the object of the payload");
    }
  }

  /** Returns the next key of the current object, or null at the object's end. */
  @Nullable String nextKey() throws IOException {
    return parser.nextFieldName();
  }

  /**
   * Returns the next key of the current object, or null at the object's end. Matches the bytes of
   * the key against the expected one before anything else, which is faster than to look it up.
   */
  @Nullable String nextKey(SerializedString expected) throws IOException {
    if (parser.nextFieldName(expected)) {
      return expected.getValue();
    }
    return parser.currentToken() == JsonToken.END_OBJECT ? null : parser.currentName();
  }

  void startList(String key) throws IOException {
    parser.nextToken();
    expect(JsonToken.START_ARRAY, key, "a list");
  }

  /** Moves to the next object of the current list; false at the list's end. */
  boolean nextObject() throws IOException {
    JsonToken token = parser.nextToken();
    if (token == JsonToken.END_ARRAY) {
      return false;
    }
    if (token != JsonToken.START_OBJECT) {
      throw invalid("is " + kind(token) + ", expected an object");
    }
    return true;
  }

  String text(String key) throws IOException {
    parser.nextToken();
    expect(JsonToken.VALUE_STRING, key, "a string");
    return parser.getText();
  }

  @Nullable String optionalText(String key) throws IOException {
    if (parser.nextToken() == JsonToken.VALUE_NULL) {
      return null;
    }
    expect(JsonToken.VALUE_STRING, key, "a string");
    return parser.getText();
  }

  long integer(String key) throws IOException {
    parser.nextToken();
    expect(JsonToken.VALUE_NUMBER_INT, key, "an integer");
    try {
      return parser.getLongValue();
    } catch (InputCoercionException e) {
      throw invalid("key " + quoted(key) + " is an integer of more than 64 bits");
    }
  }

  List<Integer> integers(String key) throws IOException {
    startList(key);
    List<Integer> integers = new ArrayList<>(1);
    for (JsonToken token = parser.nextToken();
        token != JsonToken.END_ARRAY;
        token = parser.nextToken()) {
      count();
      if (token != JsonToken.VALUE_NUMBER_INT) {
        throw invalid("key " + quoted(key) + " holds " + kind(token) + ", expected integers");
      }
      integers.add(int32(key));
    }
    return integers;
  }

  /** Returns the strings of an object by their names; none if it is null. */
  Map<String, String> optionalTexts(String key) throws IOException {
    if (parser.nextToken() == JsonToken.VALUE_NULL) {
      return Map.of();
    }
    expect(JsonToken.START_OBJECT, key, "an object");
    Map<String, String> texts = new LinkedHashMap<>();
    for (String name = nextKey(); name != null; name = nextKey()) {
      count();
      parser.nextToken();
      expect(JsonToken.VALUE_STRING, name, "a string");
      checkFirst(name, texts.put(name, parser.getText()) == null);
    }
    return texts;
  }

  /** Skips the value of a key, whatever it is. */
  void skipValue() throws IOException {
    count();
    parser.nextToken();
    parser.skipChildren();
  }

  PuffinFormatException missing(String key) {
    return invalid("key " + quoted(key) + " is missing");
  }

  /** Refuses a key that is met again. */
  void checkFirst(String key, boolean first) {
    if (!first) {
      throw invalid("key " + quoted(key) + " is repeated");
    }
  }

  PuffinFormatException malformed(JsonProcessingException cause) {
    JsonLocation place = cause.getLocation();
    String where = place == null ? "" : " at payload byte " + place.getByteOffset();
    return failure(
        Reason.FOOTER_PAYLOAD, "malformed JSON" + where + ": " + withoutSource(cause), cause);
  }

  PuffinFormatException failure(Reason reason, String problem) {
    return PuffinFormat.cannotReadFooter(reason, location, inBlob(problem));
  }

  PuffinFormatException failure(Reason reason, String problem, Exception cause) {
    return PuffinFormat.cannotReadFooter(reason, location, inBlob(problem), cause);
  }

  private String inBlob(String problem) {
    return blob == NO_BLOB ? problem : "blob " + blob + ": " + problem;
  }

  private PuffinFormatException invalid(String problem) {
    return failure(Reason.FOOTER_PAYLOAD, problem);
  }

  private int int32(String key) throws IOException {
    try {
      return parser.getIntValue();
    } catch (InputCoercionException e) {
      throw invalid("key " + quoted(key) + " holds an integer of more than 32 bits");
    }
  }

  private void count() {
    if (++elements > maxElements) {
      throw failure(
          Reason.LIMIT,
          "more than " + maxElements + " fields, properties and unknown keys in all blobs");
    }
  }

  private void expect(JsonToken expected, String key, String what) throws IOException {
    JsonToken actual = parser.currentToken();
    if (actual != expected) {
      throw invalid("key " + quoted(key) + " is " + kind(actual) + ", expected " + what);
    }
  }

  /** Returns Jackson's message up to where it says what source it does not show. */
  private static String withoutSource(JsonProcessingException e) {
    String message = e.getOriginalMessage();
    int source = message.indexOf("[Source:");
    int end = source < 0 ? -1 : message.lastIndexOf(" (", source);
    return end < 0 ? message : message.substring(0, end);
  }

  private static String kind(@Nullable JsonToken token) {
    if (token == null) {
      return "absent";
    }
    return switch (token) {
      case START_OBJECT -> "an object";
      case START_ARRAY -> "a list";
      case VALUE_STRING -> "a string";
      case VALUE_NUMBER_INT -> "an integer";
      case VALUE_NUMBER_FLOAT -> "a number with a fraction or an exponent";
      case VALUE_NULL -> "null";
      default -> "a truth value";
    };
  }

  private static String quoted(String key) {
    return FooterJsonWriter.quote(
        key.length() > MAX_QUOTED_KEY ? key.substring(0, MAX_QUOTED_KEY) + "..." : key);
  }
}
