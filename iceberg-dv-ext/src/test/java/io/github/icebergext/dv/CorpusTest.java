package io.github.icebergext.dv;

import static io.github.icebergext.puffin.Reason.BITMAP_KEY;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.icebergext.testing.TestData;
import io.github.icebergext.testing.TestData.CorpusFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Real files of many writers and of other libraries' tests, against what an independent decoder in
 * Python found in them.
 *
 * <p>Where we differ from the index, on purpose:
 *
 * <table>
 *   <caption>verdicts</caption>
 *   <tr><td>valid-lenient</td><td>run container whose declared cardinality is wrong: read, since the
 *       number is redundant and Iceberg reads it</td></tr>
 *   <tr><td>contested</td><td>runs that touch: read, since the format only asks for ascending runs
 *       without overlap and Iceberg reads them; written joined</td></tr>
 *   <tr><td>valid-roaring-invalid-dv</td><td>keys above 2^31 − 1: refused, as positions are signed
 *       </td></tr>
 * </table>
 */
public class CorpusTest {
  private static final Set<String> READ = Set.of("valid", "valid-lenient", "contested");
  public static final Pattern DIGEST = Pattern.compile("\"positions_sha256\":\"([0-9a-f]{64})\"");
  private static final Pattern CARDINALITY = Pattern.compile("\"cardinality\":(\\d+)");

  static Stream<CorpusFile> vectors() {
    return TestData.corpusFiles("roaring32", "roaring64", "dv", "delta").stream();
  }

  @ParameterizedTest
  @MethodSource("vectors")
  void readsWhatIsValidAndRefusesWhatIsNot(CorpusFile file) {
    if (!READ.contains(file.validity())) {
      assertThat(file.validity()).isIn("invalid", "valid-roaring-invalid-dv");
      InvalidDeletionVectorException refusal =
          catchThrowableOfType(InvalidDeletionVectorException.class, () -> decode(file));
      assertThat(refusal).as("refusal of " + file).isNotNull();
      if (!file.validity().equals("invalid")) {
        assertThat(refusal.reason()).isEqualTo(BITMAP_KEY);
      }
      return;
    }
    List<DeletedPositions> decoded = decode(file);
    assertThat(decoded).extracting(CorpusTest::digest).isEqualTo(all(DIGEST, file));
    assertThat(decoded)
        .extracting(positions -> Long.toString(positions.cardinality()))
        .isEqualTo(all(CARDINALITY, file));
    for (DeletedPositions positions : decoded) {
      assertThat(DeletionVectorCodec.decode(DeletionVectorCodec.encode(positions)))
          .isEqualTo(positions);
    }
  }

  private static List<DeletedPositions> decode(CorpusFile file) {
    ByteBuffer bytes = ByteBuffer.wrap(file.bytes());
    return switch (file.column("kind")) {
      case "dv" -> List.of(DeletionVectorCodec.decode(bytes));
      case "roaring64" -> List.of(DeletionVectorCodec.decodeVector(bytes));
      case "roaring32" -> List.of(DeletionVectorCodec.decodeVector(withKey(bytes)));
      default -> stored(bytes);
    };
  }

  private static ByteBuffer withKey(ByteBuffer bitmap) {
    ByteBuffer vector = ByteBuffer.allocate(12 + bitmap.remaining()).order(ByteOrder.LITTLE_ENDIAN);
    return vector.putLong(1).putInt(0).put(bitmap).flip();
  }

  private static List<DeletedPositions> stored(ByteBuffer file) {
    List<DeletedPositions> vectors = new ArrayList<>();
    for (int offset = 1; offset < file.limit(); ) {
      int sizeInBytes = file.getInt(offset);
      vectors.add(DeltaVectorCodec.decodeStored(file, offset, sizeInBytes));
      offset += DeltaVectorCodec.blobLength(sizeInBytes);
    }
    return vectors;
  }

  public static List<String> all(Pattern pattern, CorpusFile file) {
    Matcher matcher = pattern.matcher(file.column("decoded"));
    return matcher.results().map(match -> match.group(1)).toList();
  }

  public static String digest(DeletedPositions positions) {
    MessageDigest digest = sha256();
    ByteBuffer number = ByteBuffer.allocate(8);
    positions.forEach(position -> digest.update(number.putLong(0, position).array()));
    return HexFormat.of().formatHex(digest.digest());
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
