package io.github.icebergext.puffin;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Random;
import org.apache.iceberg.puffin.PuffinCompressionCodec;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PuffinCompressionTest {
  @ParameterizedTest
  @EnumSource
  void whatIsCompressedDecompressesToTheSameBytes(PuffinCompressionCodec codec) {
    for (int size : new int[] {0, 1, 255, 256, 65_791, 65_792, 5_000_000}) {
      byte[] data = new byte[size];
      new Random(size).nextBytes(data);
      for (int i = size / 4; i < size / 2; i++) {
        data[i] = (byte) (data[i] & 3);
      }
      ByteBuffer stored = PuffinCompression.compress(codec, ByteBuffer.wrap(data));
      ByteBuffer content = PuffinCompression.decompress(codec, stored, PuffinLimits.defaults());
      assertThat(content).isEqualTo(ByteBuffer.wrap(data));
    }
  }
}
