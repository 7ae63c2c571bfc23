package io.github.icebergext.puffin;

import static io.github.icebergext.puffin.FooterBytes.assertSameContent;
import static io.github.icebergext.puffin.FooterBytes.file;
import static io.github.icebergext.puffin.FooterBytes.json;
import static io.github.icebergext.puffin.FooterBytes.parse;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.charset.StandardCharsets;
import org.apache.iceberg.puffin.FileMetadata;
import org.apache.iceberg.puffin.FileMetadataParser;

/**
 * Any bytes are refused as a footer payload, or parsed to what Iceberg too parses them to, and what
 * is written back for them.
 *
 * <p>A build replays the inputs under {@code PuffinFooterFuzzTestInputs} in the test resources. To
 * search for new ones:
 *
 * <pre>
 * JAZZER_FUZZ=1 mvn -pl iceberg-puffin-ext test -Djazzer.hooks=true -Djacoco.skip -Dtest=PuffinFooterFuzzTest
 * </pre>
 *
 * What crashes is written to that folder as a file, which stays there as a regression test. The
 * seeds are a payload by Iceberg's writer and one by hand with what other writers may leave.
 */
class PuffinFooterFuzzTest {
  @FuzzTest
  void parsesOrRefuses(byte[] payload) {
    PuffinFooter footer;
    try {
      footer = parse(file(payload));
    } catch (PuffinFormatException refused) {
      return;
    }
    assertSameContent(parse(file(footer.toBytes())), footer);
    assertSameAsIceberg(footer, json(footer));
    if (!holdsNull(footer, payload)) {
      assertSameAsIceberg(footer, new String(payload, StandardCharsets.UTF_8));
    }
  }

  /** Iceberg refuses null for properties; where they are absent here, they may be null there. */
  private static boolean holdsNull(PuffinFooter footer, byte[] payload) {
    boolean absent =
        footer.properties().isEmpty()
            || footer.blobs().stream().anyMatch(blob -> blob.properties().isEmpty());
    return absent && new String(payload, StandardCharsets.UTF_8).contains("null");
  }

  private static void assertSameAsIceberg(PuffinFooter footer, String json) {
    FileMetadata expected = FileMetadataParser.fromJson(json);
    assertSameContent(
        footer, new PuffinFooter(expected.blobs(), expected.properties(), false, 100, 16));
  }
}
