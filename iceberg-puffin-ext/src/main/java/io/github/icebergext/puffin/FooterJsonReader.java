package io.github.icebergext.puffin;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.io.SerializedString;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.iceberg.puffin.BlobMetadata;
import org.jspecify.annotations.Nullable;

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
  private static final int FIRST_BLOB_OFFSET = 4;

  /**
   * The most characters, about, of a key that the shared factory reads. It remembers some thousand
   * keys for as long as the process lives, so hostile files must not make it remember long ones.
   */
  private static final int MAX_SHARED_KEY = 256;

  private static final JsonFactory SHARED = factory(PuffinLimits.defaults(), MAX_SHARED_KEY);

  private static final EnumSet<BlobKey> REQUIRED = EnumSet.range(BlobKey.TYPE, BlobKey.LENGTH);

  private static final List<Key> ICEBERG_ORDER =
      Stream.of(BlobKey.values())
          .map(key -> new Key(key, new SerializedString(key.text())))
          .toList();

  private static final Map<String, Key> KEYS =
      ICEBERG_ORDER.stream().collect(Collectors.toUnmodifiableMap(Key::name, Function.identity()));

  private final JsonInput json;
  private final long footerOffset;
  private final List<BlobMetadata> blobs = new ArrayList<>();
  private Map<String, String> properties = Map.of();

  /**
   * The keys of the blob before, in its order, at first Iceberg's: writers keep to an order, and a
   * key that is expected is matched faster than it is looked up.
   */
  private final Key[] order = ICEBERG_ORDER.toArray(Key[]::new);

  private FooterJsonReader(JsonInput json, long footerOffset) {
    this.json = json;
    this.footerOffset = footerOffset;
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
    if (hasSharedLimits(limits)) {
      try {
        return read(location, heap, footerOffset, limits, SHARED);
      } catch (PuffinFormatException e) {
        if (e.reason() != Reason.LIMIT) {
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
      reader.read(payload);
      return reader;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void read(ByteBuffer payload) throws IOException {
    int invalid = JsonEncoding.firstInvalid(payload);
    if (invalid >= 0) {
      throw json.failure(
          Reason.FOOTER_PAYLOAD, "payload is not Unicode text in UTF-8 at payload byte " + invalid);
    }
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
    Set<String> seen = new HashSet<>();
    for (String key = json.nextKey(); key != null; key = json.nextKey()) {
      if (!seen.add(key)) {
        throw json.repeated(key);
      }
      switch (key) {
        case "blobs" -> readBlobs();
        case "properties" -> properties = json.optionalTexts(key);
        default -> json.skipValue();
      }
    }
    if (!seen.contains("blobs")) {
      throw json.missing("blobs");
    }
    json.endPayload();
  }

  private void readBlobs() throws IOException {
    json.startList("blobs");
    json.enterBlob(0);
    while (json.nextObject()) {
      blobs.add(readBlob());
      json.enterBlob(blobs.size());
    }
    json.leaveBlob();
  }

  private BlobMetadata readBlob() throws IOException {
    BlobDraft blob = new BlobDraft();
    int position = 0;
    for (String name = nextKey(position); name != null; name = nextKey(position)) {
      Key key = name.equals(order[position].name()) ? order[position] : KEYS.get(name);
      if (key == null) {
        skip(blob, name);
      } else {
        readValue(blob, key.meaning());
        order[position] = key;
        position = Math.min(position + 1, order.length - 1);
      }
    }
    check(blob);
    return blob.metadata();
  }

  private @Nullable String nextKey(int position) throws IOException {
    return json.nextKey(order[position].serialized());
  }

  private void skip(BlobDraft blob, String key) throws IOException {
    if (!blob.unknown().add(key)) {
      throw json.repeated(key);
    }
    json.skipValue();
  }

  private void readValue(BlobDraft blob, BlobKey key) throws IOException {
    String name = key.text();
    if (!blob.seen.add(key)) {
      throw json.repeated(name);
    }
    switch (key) {
      case TYPE -> blob.type = json.text(name);
      case FIELDS -> blob.fields = json.integers(name);
      case SNAPSHOT_ID -> blob.snapshotId = json.integer(name);
      case SEQUENCE_NUMBER -> blob.sequenceNumber = json.integer(name);
      case OFFSET -> blob.offset = json.integer(name);
      case LENGTH -> blob.length = json.integer(name);
      case COMPRESSION_CODEC -> blob.compressionCodec = json.optionalText(name);
      case PROPERTIES -> blob.properties = json.optionalTexts(name);
    }
  }

  private void check(BlobDraft blob) {
    if (!blob.seen.containsAll(REQUIRED)) {
      EnumSet<BlobKey> missing = EnumSet.copyOf(REQUIRED);
      missing.removeAll(blob.seen);
      throw json.missing(missing.iterator().next().text());
    }
    if (blob.offset < FIRST_BLOB_OFFSET
        || blob.length < 0
        || blob.offset > footerOffset
        || blob.length > footerOffset - blob.offset) {
      throw json.failure(
          Reason.BLOB_RANGE,
          "range is not between the file's magic and its footer (actual offset "
              + blob.offset
              + " and length "
              + blob.length
              + ", expected within ["
              + FIRST_BLOB_OFFSET
              + ", "
              + footerOffset
              + "))");
    }
  }

  private static boolean hasSharedLimits(PuffinLimits limits) {
    PuffinLimits shared = PuffinLimits.defaults();
    return limits.maxJsonDepth() == shared.maxJsonDepth()
        && limits.maxJsonStringLength() == shared.maxJsonStringLength();
  }

  private static JsonFactory factory(PuffinLimits limits, int maxKey) {
    return new JsonFactoryBuilder()
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

  /** A key of a blob, and its text as Jackson compares it fastest with the input. */
  private record Key(BlobKey meaning, SerializedString serialized) {
    String name() {
      return meaning.text();
    }
  }

  /** A blob of which some keys were read. */
  private static final class BlobDraft {
    private final EnumSet<BlobKey> seen = EnumSet.noneOf(BlobKey.class);
    private @Nullable Set<String> unknown;
    private String type = "";
    private List<Integer> fields = List.of();
    private long snapshotId;
    private long sequenceNumber;
    private long offset;
    private long length;
    private @Nullable String compressionCodec;
    private Map<String, String> properties = Map.of();

    Set<String> unknown() {
      if (unknown == null) {
        unknown = new HashSet<>();
      }
      return unknown;
    }

    BlobMetadata metadata() {
      return new BlobMetadata(
          type, fields, snapshotId, sequenceNumber, offset, length, compressionCodec, properties);
    }
  }
}
