package io.github.icebergext.puffin;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import org.apache.iceberg.puffin.PuffinCompressionCodec;
import org.junit.jupiter.api.Test;

class PuffinCompressionTest {
  private static final PuffinLimits NOTHING =
      PuffinLimits.builder().maxDecompressedBytes(0).build();

  @Test
  void whatIsStoredAsItIsIsCopiedWhateverTheLimits() {
    ByteBuffer stored = ByteBuffer.wrap(new byte[] {1, 2, 3, 4}, 1, 2);

    ByteBuffer content = PuffinCompression.decompress(PuffinCompressionCodec.NONE, stored, NOTHING);
    stored.put(1, (byte) 9);

    assertThat(content).isEqualTo(ByteBuffer.wrap(new byte[] {2, 3}));
    CompressionContract.assertOwnArray(content);
  }

  @Test
  void whatIsNotCompressedIsCopied() {
    ByteBuffer data = ByteBuffer.wrap(new byte[] {1, 2, 3, 4}, 1, 2).asReadOnlyBuffer();

    ByteBuffer stored = PuffinCompression.compress(PuffinCompressionCodec.NONE, data);

    assertThat(stored).isEqualTo(ByteBuffer.wrap(new byte[] {2, 3}));
    CompressionContract.assertOwnArray(stored);
  }

  @Test
  void ratioCountsOnlyAboveOneMebibyte() {
    PuffinLimits limits = PuffinLimits.builder().maxDecompressionRatio(10).build();

    assertThat(PuffinCompression.withinRatio(1, 1 << 20, limits)).isTrue();
    assertThat(PuffinCompression.withinRatio(1, (1 << 20) + 1, limits)).isFalse();
    assertThat(PuffinCompression.withinRatio(200_000, 2_000_000, limits)).isTrue();
    assertThat(PuffinCompression.withinRatio(200_000, 2_000_001, limits)).isFalse();
    assertThat(PuffinCompression.withinRatio(Integer.MAX_VALUE, Integer.MAX_VALUE, limits))
        .isTrue();
  }
}
