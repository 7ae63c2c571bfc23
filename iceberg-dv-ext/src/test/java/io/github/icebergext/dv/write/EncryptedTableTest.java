package io.github.icebergext.dv.write;

import static io.github.icebergext.testing.TestEntries.list;
import static io.github.icebergext.testing.TestTables.append;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.dv.read.DeletionVectorDeleteLoader;
import io.github.icebergext.dv.read.DeletionVectorReader;
import io.github.icebergext.dv.read.ReadCheck;
import io.github.icebergext.dv.scan.ScanDeletes;
import io.github.icebergext.dv.scan.TaskDeletes;
import io.github.icebergext.dv.table.LiveDeletes;
import io.github.icebergext.testing.TestScans;
import io.github.icebergext.testing.TestTables;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.DeleteLoader;
import org.apache.iceberg.encryption.EncryptedFiles;
import org.apache.iceberg.encryption.EncryptedInputFile;
import org.apache.iceberg.encryption.EncryptedOutputFile;
import org.apache.iceberg.encryption.EncryptingFileIO;
import org.apache.iceberg.encryption.EncryptionManager;
import org.apache.iceberg.inmemory.InMemoryInputFile;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.io.PositionOutputStream;
import org.apache.iceberg.io.SeekableInputStream;
import org.junit.jupiter.api.Test;

/** Tables whose files only their encryption manager can read. */
class EncryptedTableTest {
  private static final byte[] KEY = {0x5A};

  private final Table table = TestTables.encrypted(new XorEncryption());
  private final DataFile data = append(table, "data");

  private DeleteFile commit(long position) {
    try (DeletionVectorWriter writer = DeletionVectorWriter.of(table, LiveDeletes.of(table))) {
      writer.delete(data, position);
      FlushResult result = writer.flush();
      result.applyTo(table.newRowDelta()).commit();
      return result.vectors().get(0).entry();
    }
  }

  @Test
  void vectorsAreWrittenFoundAndReplacedUnderTheTablesEncryption() {
    commit(1);
    commit(2);

    DeleteFile vector = LiveDeletes.of(table).vector(data.location()).orElseThrow();
    assertThat(list(DeletionVectorReader.of(table).read(vector))).containsExactly(1L, 2L);
  }

  @Test
  void vectorsOfAScanAreDecrypted() {
    commit(1);
    List<FileScanTask> tasks = TestScans.plan(table);
    FileIO io = EncryptingFileIO.combine(table.io(), table.encryption());
    DeleteLoader loader =
        new DeletionVectorDeleteLoader(
            io::newInputFile, settings -> settings.withCheck(ReadCheck.FULL));

    assertThat(TestScans.list(ScanDeletes.of(table).read(tasks)))
        .extracting(TaskDeletes::positions)
        .containsExactly(DeletedPositions.of(1));
    assertThat(loader.loadPositionDeletes(tasks.get(0).deletes(), data.location()).isDeleted(1))
        .isTrue();
  }

  @Test
  void theEntryHoldsTheKeyAndTheSizeAsStored() throws IOException {
    DeleteFile vector = commit(1);

    InputFile stored = table.io().newInputFile(vector.location());
    assertThat(vector.keyMetadata()).isEqualTo(ByteBuffer.wrap(KEY));
    assertThat(vector.fileSizeInBytes()).isEqualTo(stored.getLength());
    try (SeekableInputStream stream = stored.newStream()) {
      assertThat(stream.read()).isEqualTo('P' ^ KEY[0]);
    }
  }

  @Test
  void aStorageThatCannotDecryptIsNotReadAsIfItCould() {
    Table plain = TestTables.unpartitioned();
    DeleteFile vector = commit(1);

    assertThatThrownBy(() -> DeletionVectorReader.builder(plain.io()).build().read(vector))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("decrypt");
  }

  /** Flips bits by the key, which stands in the key metadata. */
  private static final class XorEncryption implements EncryptionManager {
    private static final long serialVersionUID = 1L;

    @Override
    public InputFile decrypt(EncryptedInputFile encrypted) {
      InputFile file = encrypted.encryptedInputFile();
      byte key = encrypted.keyMetadata().buffer().get(0);
      try (SeekableInputStream stream = file.newStream()) {
        byte[] bytes = stream.readAllBytes();
        for (int i = 0; i < bytes.length; i++) {
          bytes[i] ^= key;
        }
        return new InMemoryInputFile(file.location(), bytes);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public EncryptedOutputFile encrypt(OutputFile plain) {
      return EncryptedFiles.encryptedOutput(new XorOutputFile(plain), KEY);
    }
  }

  private record XorOutputFile(OutputFile plain) implements OutputFile {
    @Override
    public PositionOutputStream create() {
      return new XorStream(plain.create());
    }

    @Override
    public PositionOutputStream createOrOverwrite() {
      return new XorStream(plain.createOrOverwrite());
    }

    @Override
    public String location() {
      return plain.location();
    }

    @Override
    public InputFile toInputFile() {
      return plain.toInputFile();
    }
  }

  private static final class XorStream extends PositionOutputStream {
    private final PositionOutputStream stored;
    private long position;

    XorStream(PositionOutputStream stored) {
      this.stored = stored;
    }

    @Override
    public long getPos() {
      return position;
    }

    @Override
    public void write(int value) throws IOException {
      position++;
      stored.write(value ^ KEY[0]);
    }

    @Override
    public void close() throws IOException {
      stored.close();
    }
  }
}
