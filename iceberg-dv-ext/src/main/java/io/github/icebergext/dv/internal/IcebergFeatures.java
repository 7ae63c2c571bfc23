package io.github.icebergext.dv.internal;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.encryption.EncryptionKeyMetadata;
import org.apache.iceberg.encryption.EncryptionUtil;
import org.apache.iceberg.encryption.NativeEncryptionInputFile;
import org.apache.iceberg.encryption.NativeEncryptionKeyMetadata;
import org.apache.iceberg.io.InputFile;
import org.jspecify.annotations.Nullable;

/** What newer lines of Iceberg have and the one compiled against does not. */
public final class IcebergFeatures {
  private static final MethodHandles.Lookup LOOKUP = MethodHandles.publicLookup();

  /** Since 1.11: {@code NativeEncryptionKeyMetadata copyWithLength(long)}. */
  private static final @Nullable MethodHandle COPY_WITH_LENGTH =
      find(
          () ->
              LOOKUP.findVirtual(
                  NativeEncryptionKeyMetadata.class,
                  "copyWithLength",
                  MethodType.methodType(NativeEncryptionKeyMetadata.class, long.class)));

  /** Since 1.11: {@code Long NativeEncryptionKeyMetadata.fileLength()}, null where it is absent. */
  private static final @Nullable MethodHandle FILE_LENGTH =
      find(
          () ->
              LOOKUP.findVirtual(
                  NativeEncryptionKeyMetadata.class,
                  "fileLength",
                  MethodType.methodType(Long.class)));

  /** Since 1.11: {@code static ByteBuffer EncryptionUtil.setFileLength(ByteBuffer, long)}. */
  private static final @Nullable MethodHandle SET_FILE_LENGTH =
      find(
          () ->
              LOOKUP.findStatic(
                  EncryptionUtil.class,
                  "setFileLength",
                  MethodType.methodType(ByteBuffer.class, ByteBuffer.class, long.class)));

  /** Since 1.12: {@code DeletionVector deletionVector()}. */
  private static final @Nullable Method VECTOR_IN_ENTRY = vectorInEntry();

  private IcebergFeatures() {}

  /**
   * Returns the key metadata of a file for its manifest entry. It holds the file's length where
   * Iceberg knows how, so that readers find the end of an encrypted file without asking for it.
   *
   * @return null if the file is not encrypted
   */
  public static @Nullable ByteBuffer withFileLength(
      EncryptionKeyMetadata keyMetadata, long fileLength) {
    if (COPY_WITH_LENGTH == null
        || !(keyMetadata instanceof NativeEncryptionKeyMetadata nativeMetadata)) {
      return keyMetadata.buffer();
    }
    return ((EncryptionKeyMetadata) call(COPY_WITH_LENGTH, nativeMetadata, fileLength)).buffer();
  }

  /**
   * Tells whether {@code file} is an encrypted one that cannot be read for want of its length, as
   * Iceberg takes it from the key metadata since 1.11 and older writers did not put it there.
   */
  public static boolean lacksFileLength(InputFile file) {
    return SET_FILE_LENGTH != null
        && FILE_LENGTH != null
        && file instanceof NativeEncryptionInputFile encrypted
        && callNullable(FILE_LENGTH, encrypted.keyMetadata()) == null;
  }

  /**
   * Returns the key metadata of a file that {@link #lacksFileLength} with its length.
   *
   * @param fileLength the file's length as stored, in bytes
   */
  public static ByteBuffer withFileLength(ByteBuffer keyMetadata, long fileLength) {
    return SET_FILE_LENGTH == null
        ? keyMetadata
        : (ByteBuffer) call(SET_FILE_LENGTH, keyMetadata, fileLength);
  }

  private static Object call(MethodHandle method, Object... arguments) {
    Object result = callNullable(method, arguments);
    if (result == null) {
      throw new IllegalStateException("Iceberg returned nothing from " + method);
    }
    return result;
  }

  private static @Nullable Object callNullable(MethodHandle method, Object... arguments) {
    try {
      return method.invokeWithArguments(arguments);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("Cannot call " + method, e);
    }
  }

  /** Looks a method up. */
  private interface Search {
    MethodHandle find() throws ReflectiveOperationException;
  }

  private static @Nullable MethodHandle find(Search search) {
    try {
      return search.find();
    } catch (NoSuchMethodException e) {
      return null;
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Tells whether the manifest entry of a data file holds its deletion vector, as of version 4. */
  public static boolean hasVectorInEntry(DataFile dataFile) {
    try {
      return VECTOR_IN_ENTRY != null && VECTOR_IN_ENTRY.invoke(dataFile) != null;
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("Cannot ask for the deletion vector of a data file", e);
    }
  }

  private static @Nullable Method vectorInEntry() {
    try {
      return DataFile.class.getMethod("deletionVector");
    } catch (NoSuchMethodException e) {
      return null;
    }
  }
}
