package io.github.icebergext.dv.read;

import static io.github.icebergext.testing.TestEntries.DATA_FILE;
import static io.github.icebergext.testing.TestEntries.PUFFIN;
import static io.github.icebergext.testing.TestEntries.list;
import static io.github.icebergext.testing.TestEntries.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.icebergext.dv.InvalidDeletionVectorException;
import io.github.icebergext.dv.internal.IcebergFeatures;
import io.github.icebergext.puffin.Reason;
import io.github.icebergext.testing.RecordingFile.Call;
import io.github.icebergext.testing.RecordingFileIO;
import io.github.icebergext.testing.TestPuffin;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.encryption.EncryptedOutputFile;
import org.apache.iceberg.encryption.EncryptingFileIO;
import org.apache.iceberg.encryption.EncryptionManager;
import org.apache.iceberg.encryption.EncryptionUtil;
import org.apache.iceberg.io.PositionOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Files that Iceberg's own encryption manager wrote, by their entries. */
class NativeEncryptionTest {
  private final RecordingFileIO storage = RecordingFileIO.rangeReadable();
  private final EncryptionManager encryption = encryption();
  private final EncryptingFileIO io = EncryptingFileIO.combine(storage, encryption);

  /** The two vectors' entries: with the size as stored, and the key without the file's length. */
  private List<DeleteFile> store() throws IOException {
    TestPuffin puffin = new TestPuffin(PUFFIN).vector(DATA_FILE, 1, 2).vector("b", 3, 4);
    EncryptedOutputFile file = encryption.encrypt(storage.newOutputFile(PUFFIN));
    try (PositionOutputStream stream = file.encryptingOutputFile().create()) {
      stream.write(puffin.toBytes());
    }
    storage.forget();
    ByteBuffer keyMetadata = file.keyMetadata().buffer();
    return puffin.entries(storage.file(PUFFIN).size()).stream()
        .map(entry -> with(entry, "keyMetadata", keyMetadata))
        .toList();
  }

  // Since Iceberg 1.11 the length is taken from the key metadata, where older entries lack it.
  @ParameterizedTest
  @EnumSource(ReadCheck.class)
  void anEntryWhoseKeyLacksTheLengthIsMendedFromItsSize(ReadCheck check) throws IOException {
    DeletionVectorReader reader = DeletionVectorReader.builder(io).withCheck(check).build();
    List<DeleteFile> entries = store();

    assertThat(list(reader.read(entries.get(0)))).containsExactly(1L, 2L);
    assertThat(reader.readAll(entries)).hasSize(2);
    assertThat(storage.count(Call.LENGTH)).isZero();
    assertThat(storage.openStreams()).isZero();
  }

  @Test
  void theFooterIsFoundByThePlaintextLength() throws IOException {
    List<DeleteFile> entries = store();
    DeleteFile swapped = with(entries.get(0), "contentOffset", entries.get(1).contentOffset());

    assertThatThrownBy(() -> DeletionVectorReader.builder(io).build().read(swapped))
        .isInstanceOfSatisfying(
            InvalidDeletionVectorException.class,
            e -> assertThat(e.reason()).isEqualTo(Reason.REFERENCED_DATA_FILE));
  }

  @Test
  void aKeyThatHasTheLengthIsUsedAsItIs() throws IOException {
    DeleteFile entry = store().get(0);
    ByteBuffer withLength =
        IcebergFeatures.withFileLength(entry.keyMetadata(), entry.fileSizeInBytes());

    DeleteFile whole = with(entry, "keyMetadata", withLength);
    assertThat(list(DeletionVectorReader.builder(io).build().read(whole))).containsExactly(1L, 2L);
  }

  @Test
  void anEncryptedFileIsOpenedAtItsNewLocation() throws IOException {
    DeleteFile moved = with(store().get(0), "location", "s3://old/deletes.puffin");
    DeletionVectorReader reader =
        DeletionVectorReader.builder(io).withPuffinLocations(location -> PUFFIN).build();

    assertThat(list(reader.read(moved))).containsExactly(1L, 2L);
  }

  /**
   * Returns Iceberg's manager. What makes it differs between the lines of Iceberg, and no key of
   * the table is needed to read or write a file by its own.
   */
  private static EncryptionManager encryption() {
    try {
      Class<?> keyService = Class.forName("org.apache.iceberg.encryption.KeyManagementClient");
      Object none =
          Proxy.newProxyInstance(
              keyService.getClassLoader(),
              new Class<?>[] {keyService},
              (proxy, method, arguments) -> {
                throw new UnsupportedOperationException(method.toString());
              });
      Map<String, String> properties =
          Map.of("encryption.key-id", "key", TableProperties.FORMAT_VERSION, "3");
      Method create =
          Arrays.stream(EncryptionUtil.class.getMethods())
              .filter(method -> method.getName().equals("createEncryptionManager"))
              .findFirst()
              .orElseThrow();
      Object manager =
          create.getParameterCount() == 2
              ? create.invoke(null, properties, none)
              : create.invoke(null, List.of(), properties, none);
      return (EncryptionManager) manager;
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }
}
