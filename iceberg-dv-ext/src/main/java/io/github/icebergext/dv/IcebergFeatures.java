package io.github.icebergext.dv;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.ByteBuffer;
import org.apache.iceberg.encryption.EncryptionKeyMetadata;
import org.apache.iceberg.encryption.NativeEncryptionKeyMetadata;
import org.jspecify.annotations.Nullable;

/** What newer lines of Iceberg have and the one compiled against does not. */
final class IcebergFeatures {
  /** Since 1.11: {@code NativeEncryptionKeyMetadata copyWithLength(long)}. */
  private static final @Nullable MethodHandle COPY_WITH_LENGTH = copyWithLength();

  private IcebergFeatures() {}

  /**
   * Returns the key metadata of a file for its manifest entry. It holds the file's length where
   * Iceberg knows how, so that readers find the end of an encrypted file without asking for it.
   *
   * @return null if the file is not encrypted
   */
  static @Nullable ByteBuffer withFileLength(EncryptionKeyMetadata keyMetadata, long fileLength) {
    if (COPY_WITH_LENGTH == null
        || !(keyMetadata instanceof NativeEncryptionKeyMetadata nativeMetadata)) {
      return keyMetadata.buffer();
    }
    try {
      return ((EncryptionKeyMetadata) COPY_WITH_LENGTH.invoke(nativeMetadata, fileLength)).buffer();
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("Cannot add the file length to key metadata", e);
    }
  }

  private static @Nullable MethodHandle copyWithLength() {
    try {
      return MethodHandles.publicLookup()
          .findVirtual(
              NativeEncryptionKeyMetadata.class,
              "copyWithLength",
              MethodType.methodType(NativeEncryptionKeyMetadata.class, long.class));
    } catch (NoSuchMethodException e) {
      return null;
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
  }
}
