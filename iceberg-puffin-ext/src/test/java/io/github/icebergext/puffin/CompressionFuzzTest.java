package io.github.icebergext.puffin;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.ByteBuffer;
import org.apache.iceberg.puffin.PuffinCompressionCodec;

/**
 * Any bytes decompress to what compresses and decompresses to itself, or are refused.
 *
 * <p>A build replays the inputs under {@code CompressionFuzzTestInputs} in the test resources. To
 * search for new ones, one method at a time:
 *
 * <pre>
 * JAZZER_FUZZ=1 mvn -pl iceberg-puffin-ext test -Djazzer.hooks=true -Djacoco.skip -Dtest=CompressionFuzzTest#lz4
 * </pre>
 *
 * What crashes is written to that folder as a file, which stays there as a regression test. The
 * seeds are frames that the lz4 1.9.4 and zstd 1.5.4 commands wrote for a few bytes of text.
 */
class CompressionFuzzTest {
  /** Small, so that a hostile size shows as an error of ours and not as a slow run. */
  private static final PuffinLimits LIMITS =
      PuffinLimits.builder().maxDecompressedBytes(1 << 20).build();

  @FuzzTest
  void lz4(byte[] stored) {
    decompress(PuffinCompressionCodec.LZ4, stored);
  }

  @FuzzTest
  void zstd(byte[] stored) {
    decompress(PuffinCompressionCodec.ZSTD, stored);
  }

  private static void decompress(PuffinCompressionCodec codec, byte[] stored) {
    ByteBuffer content;
    try {
      content = PuffinCompression.decompress(codec, ByteBuffer.wrap(stored), LIMITS);
    } catch (PuffinFormatException refused) {
      return;
    }
    ByteBuffer again = PuffinCompression.compress(codec, content);
    assertThat(PuffinCompression.decompress(codec, again, LIMITS)).isEqualTo(content);
  }
}
