package io.github.icebergext.puffin;

import com.fasterxml.jackson.core.io.SerializedString;
import java.io.IOException;
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

/** Reads the blobs of one footer, one after the other, and checks where they lie in the file. */
final class BlobMetadataReader {
  private static final int FIRST_BLOB_OFFSET = 4;

  private static final EnumSet<BlobKey> REQUIRED = EnumSet.range(BlobKey.TYPE, BlobKey.LENGTH);

  private static final List<Key> ICEBERG_ORDER =
      Stream.of(BlobKey.values())
          .map(key -> new Key(key, new SerializedString(key.text())))
          .toList();

  private static final Map<String, Key> KEYS =
      ICEBERG_ORDER.stream().collect(Collectors.toUnmodifiableMap(Key::name, Function.identity()));

  private final JsonInput json;
  private final long footerOffset;

  /**
   * The keys of the blob before, in its order, at first Iceberg's: writers keep to an order, and a
   * key that is expected is matched faster than it is looked up.
   */
  private final Key[] order = ICEBERG_ORDER.toArray(Key[]::new);

  BlobMetadataReader(JsonInput json, long footerOffset) {
    this.json = json;
    this.footerOffset = footerOffset;
  }

  /** Reads the object that was just entered, up to its end. */
  BlobMetadata read() throws IOException {
    BlobDraft blob = new BlobDraft();
    int position = 0;
    for (String name = nextKey(position); name != null; name = nextKey(position)) {
      Key key = name.equals(order[position].name()) ? order[position] : KEYS.get(name);
      if (key == null) {
        json.checkFirst(name, blob.unknown().add(name));
        json.skipValue();
      } else {
        json.checkFirst(name, blob.seen.add(key.meaning()));
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

  private void readValue(BlobDraft blob, BlobKey key) throws IOException {
    String name = key.text();
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
