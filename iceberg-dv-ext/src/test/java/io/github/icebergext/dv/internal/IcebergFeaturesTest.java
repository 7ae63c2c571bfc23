package io.github.icebergext.dv.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import org.apache.iceberg.encryption.EncryptionKeyMetadata;
import org.apache.iceberg.encryption.NativeEncryptionKeyMetadata;
import org.junit.jupiter.api.Test;

class IcebergFeaturesTest {
  // apache/iceberg#15911
  @Test
  void keyMetadataGetsTheFileLengthWhereIcebergKnowsHow() {
    String version = System.getProperty("iceberg.version");
    int minor = Integer.parseInt(version.split("\\.", -1)[1]);

    ByteBuffer keyMetadata = IcebergFeatures.withFileLength(new KeyMetadata(0), 77);

    assertThat(keyMetadata).isEqualTo(new KeyMetadata(minor >= 11 ? 77 : 0).buffer());
  }

  @Test
  void keyMetadataOfOtherEncryptionsIsTakenAsItIs() {
    EncryptionKeyMetadata other =
        new EncryptionKeyMetadata() {
          @Override
          public ByteBuffer buffer() {
            return ByteBuffer.wrap(new byte[] {1});
          }

          @Override
          public EncryptionKeyMetadata copy() {
            return this;
          }
        };

    assertThat(IcebergFeatures.withFileLength(other, 77)).isEqualTo(other.buffer());
  }

  @Test
  void aPlainFileHasNoKeyMetadata() {
    assertThat(IcebergFeatures.withFileLength(EncryptionKeyMetadata.empty(), 77)).isNull();
  }

  /** Has the method of newer lines, which overrides nothing on older ones. */
  record KeyMetadata(long length) implements NativeEncryptionKeyMetadata {
    public NativeEncryptionKeyMetadata copyWithLength(long fileLength) {
      return new KeyMetadata(fileLength);
    }

    @Override
    public ByteBuffer encryptionKey() {
      return ByteBuffer.allocate(16);
    }

    @Override
    public ByteBuffer aadPrefix() {
      return ByteBuffer.allocate(8);
    }

    @Override
    public ByteBuffer buffer() {
      return ByteBuffer.allocate(8).putLong(0, length);
    }

    @Override
    public EncryptionKeyMetadata copy() {
      return this;
    }
  }
}
