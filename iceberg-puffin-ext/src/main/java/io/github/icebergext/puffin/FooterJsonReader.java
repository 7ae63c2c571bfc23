package io.github.icebergext.puffin;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.iceberg.puffin.BlobMetadata;

/**
 * Reads the JSON of a footer payload, whoever wrote it.
 *
 * <p>Refused: a missing, repeated or mistyped key, and anything but whitespace after the object.
 * Unknown keys are ignored with all that is in them, but not repeated ones. An optional key whose
 * value is null counts as absent: writers differ in how they say so.
 *
 * <p>One use, by one thread.
 */
final class FooterJsonReader {
  /**
   * The most characters, about, of a key that the shared factory reads. It remembers some thousand
   * keys for as long as the process lives, so hostile files must not make it remember long ones.
   */
  private static final int MAX_SHARED_KEY = 256;

  private static final JsonFactory SHARED = factory(PuffinLimits.defaults(), MAX_SHARED_KEY);

  private static final String BLOBS = "blobs";
  private static final String PROPERTIES = "properties";

  private final JsonInput json;
  private final BlobMetadataReader blobReader;
  private final List<BlobMetadata> blobs = new ArrayList<>();
  private Map<String, String> properties = Map.of();

  private FooterJsonReader(JsonInput json, long footerOffset) {
    this.json = json;
    this.blobReader = new BlobMetadataReader(json, footerOffset);
  }

  /**
   * Reads a payload.
   *
   * @throws PuffinFormatException with {@link Reason#FOOTER_PAYLOAD}, {@link Reason#BLOB_RANGE} or
   *     {@link Reason#LIMIT}
   */
  static FooterJsonReader read(
      String location, ByteBuffer payload, long footerOffset, PuffinLimits limits) {
    ByteBuffer heap = payload.hasArray() ? payload : copy(payload);
    checkText(location, heap);
    if (hasSharedLimits(limits)) {
      try {
        return read(location, heap, footerOffset, limits, SHARED);
      } catch (PuffinFormatException e) {
        if (!(e.getCause() instanceof StreamConstraintsException)) {
          throw e;
        }
      }
    }
    JsonFactory own = factory(limits, limits.maxJsonStringLength());
    return read(location, heap, footerOffset, limits, own);
  }

  List<BlobMetadata> blobs() {
    return blobs;
  }

  Map<String, String> properties() {
    return properties;
  }

  private static FooterJsonReader read(
      String location,
      ByteBuffer payload,
      long footerOffset,
      PuffinLimits limits,
      JsonFactory factory) {
    int start = payload.arrayOffset() + payload.position();
    try (JsonParser parser = factory.createParser(payload.array(), start, payload.remaining())) {
      FooterJsonReader reader =
          new FooterJsonReader(new JsonInput(location, parser, limits), footerOffset);
      reader.read();
      return reader;
    } catch (IOException e) {
      throw PuffinFormat.cannotReadFooter(
          Reason.FOOTER_PAYLOAD, location, "payload is not JSON: " + e.getMessage(), e);
    }
  }

  private void read() throws IOException {
    try {
      readFile();
    } catch (StreamConstraintsException e) {
      throw json.failure(Reason.LIMIT, e.getOriginalMessage(), e);
    } catch (JsonProcessingException e) {
      throw json.malformed(e);
    } catch (IllegalStateException e) {
      // Jackson's table of keys gives up so when hostile keys overflow it.
      throw json.failure(Reason.LIMIT, "keys that Jackson cannot hold: " + e.getMessage(), e);
    }
  }

  private void readFile() throws IOException {
    json.startPayload();
    boolean metBlobs = false;
    boolean metProperties = false;
    Set<String> unknown = new HashSet<>();
    for (String key = json.nextKey(); key != null; key = json.nextKey()) {
      switch (key) {
        case BLOBS -> {
          json.checkFirst(key, !metBlobs);
          metBlobs = true;
          readBlobs();
        }
        case PROPERTIES -> {
          json.checkFirst(key, !metProperties);
          metProperties = true;
          properties = json.optionalTexts(key);
        }
        default -> {
          json.checkFirst(key, unknown.add(key));
          json.skipValue();
        }
      }
    }
    if (!metBlobs) {
      throw json.missing(BLOBS);
    }
    json.endPayload();
  }

  private void readBlobs() throws IOException {
    json.startList(BLOBS);
    json.enterBlob(0);
    while (json.nextObject()) {
      blobs.add(blobReader.read());
      json.enterBlob(blobs.size());
    }
    json.leaveBlob();
  }

  private static void checkText(String location, ByteBuffer payload) {
    int invalid = JsonEncoding.firstInvalid(payload);
    if (invalid >= 0) {
      throw PuffinFormat.cannotReadFooter(
          Reason.FOOTER_PAYLOAD,
          location,
          "payload is not Unicode text in UTF-8 at payload byte " + invalid);
    }
  }

  private static boolean hasSharedLimits(PuffinLimits limits) {
    PuffinLimits shared = PuffinLimits.defaults();
    return limits.maxJsonDepth() == shared.maxJsonDepth()
        && limits.maxJsonStringLength() == shared.maxJsonStringLength();
  }

  private static JsonFactory factory(PuffinLimits limits, int maxKey) {
    return new JsonFactoryBuilder()
        .disable(JsonFactory.Feature.CHARSET_DETECTION)
        .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
        .streamReadConstraints(
            StreamReadConstraints.builder()
                .maxNestingDepth(limits.maxJsonDepth())
                .maxStringLength(limits.maxJsonStringLength())
                .maxNameLength(maxKey)
                .build())
        .build();
  }

  private static ByteBuffer copy(ByteBuffer bytes) {
    return ByteBuffer.allocate(bytes.remaining()).put(bytes.duplicate()).flip();
  }
}
