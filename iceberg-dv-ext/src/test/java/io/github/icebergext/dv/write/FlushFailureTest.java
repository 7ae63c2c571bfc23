package io.github.icebergext.dv.write;

import static io.github.icebergext.testing.TestEntries.list;
import static io.github.icebergext.testing.TestTables.append;
import static io.github.icebergext.testing.TestTables.unpartitioned;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.icebergext.dv.InvalidDeletionVectorException;
import io.github.icebergext.dv.read.DeletionVectorReader;
import io.github.icebergext.dv.table.LiveDeletes;
import io.github.icebergext.testing.FaultyFileIO;
import io.github.icebergext.testing.RecordingFile;
import io.github.icebergext.testing.RecordingFileIO;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Iterator;
import java.util.List;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.Table;
import org.apache.iceberg.encryption.EncryptedFiles;
import org.apache.iceberg.encryption.EncryptedOutputFile;
import org.apache.iceberg.encryption.EncryptionKeyMetadata;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.OutputFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A flush that fails leaves no file and loses no delete. */
class FlushFailureTest {
  private static final String FIRST = "memory://puffins/first.puffin";
  private static final String RETRY = "memory://puffins/retry.puffin";

  // apache/iceberg-go#1589
  @ParameterizedTest
  @EnumSource(
      value = FaultyFileIO.Call.class,
      names = {"CREATE", "WRITE", "CLOSE"})
  void aFailedWriteLeavesNoFileAndCanBeRetried(FaultyFileIO.Call call) {
    FaultyFileIO faulty = new FaultyFileIO();
    Table table = unpartitioned(faulty);
    DataFile data = append(table, "data");
    Iterator<String> locations = List.of(FIRST, RETRY).iterator();
    faulty.failAt(call, 1, new IOException("no " + call));
    try (DeletionVectorWriter writer =
        DeletionVectorWriter.builder(table, LiveDeletes.of(table))
            .withOutputFiles(() -> plain(faulty, locations.next()))
            .build()) {
      writer.delete(data, 1);
      assertThatThrownBy(writer::flush)
          .isInstanceOf(UncheckedIOException.class)
          .hasRootCauseMessage("no " + call);
      assertThat(faulty.locations()).isEmpty();

      faulty.failAt(call, Integer.MAX_VALUE, new IOException());
      assertThatThrownBy(() -> writer.delete(data, 2))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("Cannot delete rows: the last flush failed, and has to be tried again first")
          .hasRootCauseMessage("no " + call);
      DeleteFile vector = writer.flush().vectors().get(0).entry();

      assertThat(list(DeletionVectorReader.of(table).read(vector))).containsExactly(1L);
      assertThat(faulty.locations()).containsExactly(RETRY);
    }
  }

  private static EncryptedOutputFile plain(FileIO io, String location) {
    return EncryptedFiles.plainAsEncryptedOutput(io.newOutputFile(location));
  }

  @Test
  void aFailedReadOfAPreviousVectorLeavesNoFileAndCanBeRetried() {
    RecordingFileIO storage = RecordingFileIO.rangeReadable();
    Table table = unpartitioned(storage);
    DataFile fresh = append(table, "fresh");
    DataFile data = append(table, "data");
    commit(table, data, 1);
    RecordingFile previous = storage.file(storage.locations().get(0));
    try (DeletionVectorWriter writer = DeletionVectorWriter.of(table, LiveDeletes.of(table))) {
      writer.delete(fresh, 8);
      writer.delete(data, 2);
      previous.failAt(RecordingFile.Call.READ, 1, new IOException("connection reset"));
      assertThatThrownBy(writer::flush)
          .isInstanceOf(UncheckedIOException.class)
          .hasRootCauseMessage("connection reset");
      assertThat(storage.locations()).containsExactly(previous.location());

      previous.failAt(RecordingFile.Call.READ, Integer.MAX_VALUE, new IOException());
      writer.flush().applyTo(table.newRowDelta()).commit();
    }
    LiveDeletes live = LiveDeletes.of(table);
    DeletionVectorReader reader = DeletionVectorReader.of(table);
    assertThat(list(reader.read(live.vector(data.location()).orElseThrow())))
        .containsExactly(1L, 2L);
    assertThat(list(reader.read(live.vector(fresh.location()).orElseThrow()))).containsExactly(8L);
  }

  @Test
  void aCorruptPreviousVectorLeavesNoFile() {
    RecordingFileIO storage = RecordingFileIO.rangeReadable();
    Table table = unpartitioned(storage);
    DataFile data = append(table, "data");
    commit(table, data, 1);
    String previous = storage.locations().get(0);
    storage.put(previous, new byte[500]);
    try (DeletionVectorWriter writer = DeletionVectorWriter.of(table, LiveDeletes.of(table))) {
      writer.delete(data, 2);

      assertThatThrownBy(writer::flush)
          .isInstanceOf(InvalidDeletionVectorException.class)
          .hasMessageContaining(previous);
    }
    assertThat(storage.locations()).containsExactly(previous);
  }

  /** The file is complete by then, but no entry can be made of it. */
  @Test
  void aFinishedFileWithoutEntriesIsDeleted() {
    FaultyFileIO storage = new FaultyFileIO();
    Table table = unpartitioned(storage);
    DataFile data = append(table, "data");
    try (DeletionVectorWriter writer =
        DeletionVectorWriter.builder(table, LiveDeletes.of(table))
            .withOutputFiles(() -> new Unkeyed(storage.newOutputFile(FIRST)))
            .build()) {
      writer.delete(data, 1);

      assertThatThrownBy(writer::flush)
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("the key service is gone");
    }
    assertThat(storage.locations()).isEmpty();
    assertThat(storage.deleted()).containsExactly(FIRST);
  }

  /** An encrypted file whose key metadata cannot be asked for. */
  private record Unkeyed(OutputFile encryptingOutputFile) implements EncryptedOutputFile {
    @Override
    public EncryptionKeyMetadata keyMetadata() {
      throw new IllegalStateException("the key service is gone");
    }
  }

  private static void commit(Table table, DataFile dataFile, long position) {
    try (DeletionVectorWriter writer = DeletionVectorWriter.of(table, LiveDeletes.of(table))) {
      writer.delete(dataFile, position);
      writer.flush().applyTo(table.newRowDelta()).commit();
    }
  }
}
