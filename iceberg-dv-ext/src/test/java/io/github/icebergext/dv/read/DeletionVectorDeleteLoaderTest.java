package io.github.icebergext.dv.read;

import static io.github.icebergext.testing.TestEntries.list;
import static io.github.icebergext.testing.TestEntries.positions;
import static io.github.icebergext.testing.TestEntries.with;
import static io.github.icebergext.testing.TestScans.deleted;
import static io.github.icebergext.testing.TestScans.equalityDeletes;
import static io.github.icebergext.testing.TestScans.positionDeletes;
import static io.github.icebergext.testing.TestTables.append;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.dv.InvalidDeletionVectorException;
import io.github.icebergext.dv.table.LiveDeletes;
import io.github.icebergext.dv.write.DeletionVectorWriter;
import io.github.icebergext.dv.write.FlushedVector;
import io.github.icebergext.puffin.Reason;
import io.github.icebergext.testing.RecordingFile.Call;
import io.github.icebergext.testing.RecordingFileIO;
import io.github.icebergext.testing.TestTables;
import java.nio.CharBuffer;
import java.util.List;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.BaseDeleteLoader;
import org.apache.iceberg.data.DeleteLoader;
import org.apache.iceberg.deletes.PositionDeleteIndex;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.util.StructLikeSet;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DeletionVectorDeleteLoaderTest {
  private final RecordingFileIO storage = RecordingFileIO.rangeReadable();
  private final Table table = TestTables.unpartitioned(storage);
  private final DataFile a = append(table, "a");
  private final DataFile b = append(table, "b");

  private final DeletionVectorDeleteLoader loader =
      new DeletionVectorDeleteLoader(this::loadInputFile);

  /** As Iceberg's generic reader does: by location, without the size. */
  private InputFile loadInputFile(DeleteFile deleteFile) {
    return storage.newInputFile(deleteFile.location());
  }

  private DeleteFile delete(DataFile dataFile, long... deleted) {
    try (DeletionVectorWriter writer = DeletionVectorWriter.of(table, LiveDeletes.of(table))) {
      writer.delete(dataFile, positions(deleted));
      DeleteFile vector = writer.flush().vectors().get(0).entry();
      storage.forget();
      return vector;
    }
  }

  @Test
  void loadsAVectorInOneRequest() {
    DeleteFile vector = delete(a, 3, 70);

    PositionDeleteIndex index = loader.loadPositionDeletes(List.of(vector), a.location());

    assertThat(list(DeletedPositions.copyOf(index))).containsExactly(3L, 70L);
    assertThat(index.isDeleted(3)).isTrue();
    assertThat(index.isDeleted(4)).isFalse();
    assertThat(index.deleteFiles()).containsExactly(vector);
    assertThat(storage.requests()).isOne();
    assertThat(storage.count(Call.LENGTH)).isZero();
  }

  @Test
  void takesTheLocationAsAnyCharacters() {
    DeleteFile vector = delete(a, 3);

    assertThat(
            loader.loadPositionDeletes(List.of(vector), CharBuffer.wrap(a.location())).isDeleted(3))
        .isTrue();
  }

  // ClickHouse#2119 of Altinity, iceberg-go#1615
  @Test
  void theFullCheckFindsASiblingsVectorThatOtherwisePasses() {
    List<DeleteFile> siblings = siblings();
    DeleteFile wrong = with(siblings.get(0), "contentOffset", siblings.get(1).contentOffset());

    assertThat(
            new BaseDeleteLoader(this::loadInputFile)
                .loadPositionDeletes(List.of(wrong), a.location())
                .isDeleted(4))
        .as("Iceberg deletes the sibling's row")
        .isTrue();
    assertThat(loader.loadPositionDeletes(List.of(wrong), a.location()).isDeleted(4)).isTrue();
    assertThatThrownBy(() -> full().loadPositionDeletes(List.of(wrong), a.location()))
        .isInstanceOfSatisfying(
            InvalidDeletionVectorException.class,
            e -> assertThat(e.reason()).isEqualTo(Reason.REFERENCED_DATA_FILE))
        .hasMessageContaining(a.location())
        .hasMessageContaining(b.location());
  }

  @Test
  void theFullCheckReadsTheFooterOfAPuffinFileOnce() {
    List<DeleteFile> siblings = siblings();
    DeletionVectorDeleteLoader full = full();

    assertThat(full.loadPositionDeletes(List.of(siblings.get(0)), a.location()).isDeleted(3))
        .isTrue();
    assertThat(storage.requests()).isLessThanOrEqualTo(2);
    storage.forget();
    assertThat(full.loadPositionDeletes(List.of(siblings.get(1)), b.location()).isDeleted(4))
        .isTrue();
    assertThat(storage.requests()).isOne();
    assertThat(storage.count(Call.LENGTH)).isZero();
  }

  /** Delta's entries say where their vector ends instead of how long the file is. */
  @Test
  void theFullCheckAsksForTheLengthWhereTheEntryHasAWrongOne() {
    DeleteFile vector = delete(a, 3);
    long wrongSize = vector.contentOffset() + vector.contentSizeInBytes();

    PositionDeleteIndex index =
        full()
            .loadPositionDeletes(List.of(with(vector, "fileSizeInBytes", wrongSize)), a.location());

    assertThat(index.isDeleted(3)).isTrue();
    assertThat(storage.count(Call.LENGTH)).isOne();
  }

  private DeletionVectorDeleteLoader full() {
    FooterCache footers = FooterCache.ofMaxBytes(1 << 20);
    return new DeletionVectorDeleteLoader(
        this::loadInputFile,
        settings -> settings.withCheck(ReadCheck.FULL).withFooterCache(footers));
  }

  /** Returns vectors of one row each, of both data files and in one Puffin file. */
  private List<DeleteFile> siblings() {
    try (DeletionVectorWriter writer = DeletionVectorWriter.of(table, LiveDeletes.of(table))) {
      writer.delete(a, positions(3));
      writer.delete(b, positions(4));
      List<DeleteFile> vectors =
          writer.flush().vectors().stream().map(FlushedVector::entry).toList();
      storage.forget();
      return vectors;
    }
  }

  @Test
  void refusesAVectorOfAnotherDataFile() {
    DeleteFile vector = delete(a, 3);

    assertInvalid(List.of(vector), b.location(), Reason.REFERENCED_DATA_FILE)
        .hasMessageContaining("referenced data file " + a.location())
        .hasMessageEndingWith("it is not of data file " + b.location());
    assertThat(storage.requests()).isZero();
  }

  @Test
  void refusesSeveralVectors() {
    DeleteFile vector = delete(a, 3);

    assertInvalid(
            List.of(vector, with(vector, "contentOffset", 99L)),
            a.location(),
            Reason.DUPLICATE_VECTOR)
        .hasMessageStartingWith("Cannot choose among 2 deletion vectors of data file");
    assertThat(storage.requests()).isZero();
  }

  // sirius#1425, ClickHouse#117488
  @ParameterizedTest
  @ValueSource(strings = {"contentOffset", "contentSizeInBytes", "referencedDataFile"})
  void refusesAVectorThatLacksACoordinate(String coordinate) {
    DeleteFile vector = with(delete(a, 3), coordinate, null);

    assertInvalid(List.of(vector), a.location(), Reason.ENTRY_COORDINATES)
        .hasMessageContaining("is missing");
    assertThat(storage.requests()).isZero();
  }

  @Test
  void refusesEqualityDeletesAsPositionDeletes() {
    DeleteFile equality = equalityDeletes("memory://equality.avro");

    assertThatThrownBy(() -> loader.loadPositionDeletes(List.of(equality), a.location()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("Cannot load equality delete file memory://equality.avro as position deletes");
  }

  @Test
  void whatItLoadsIsReadOnly() {
    PositionDeleteIndex index = loader.loadPositionDeletes(List.of(delete(a, 3)), a.location());

    assertThatThrownBy(() -> index.delete(4)).isInstanceOf(UnsupportedOperationException.class);
  }

  @Test
  void aVectorReplacesOtherPositionDeletes() {
    DeleteFile older = positionDeletes(storage, "memory://older.avro", List.of(deleted(a, 9)));
    DeleteFile vector = delete(a, 3);

    PositionDeleteIndex index = loader.loadPositionDeletes(List.of(older, vector), a.location());

    assertThat(list(DeletedPositions.copyOf(index))).containsExactly(3L);
    assertThat(storage.file("memory://older.avro").count(Call.OPEN)).isZero();
  }

  @Test
  void loadsOtherPositionDeletesAsIcebergDoes() {
    DeleteFile one =
        positionDeletes(
            storage, "memory://one.avro", List.of(deleted(a, 9), deleted(b, 1), deleted(a, 2)));
    DeleteFile two = positionDeletes(storage, "memory://two.avro", List.of(deleted(a, 50)));

    PositionDeleteIndex index = loader.loadPositionDeletes(List.of(one, two), a.location());

    PositionDeleteIndex icebergs =
        new BaseDeleteLoader(this::loadInputFile)
            .loadPositionDeletes(List.of(one, two), a.location());
    assertThat(list(DeletedPositions.copyOf(index)))
        .containsExactly(2L, 9L, 50L)
        .isEqualTo(list(DeletedPositions.copyOf(icebergs)));
    assertThat(loader.loadPositionDeletes(List.of(), a.location()).isEmpty()).isTrue();
  }

  @Test
  void leavesWhatIsNoVectorToTheLoaderGiven() {
    RecordingLoader others = new RecordingLoader();
    DeleteLoader mixed =
        new DeletionVectorDeleteLoader(this::loadInputFile, settings -> settings, others);
    DeleteFile older = positionDeletes(storage, "memory://older.avro", List.of(deleted(a, 9)));
    DeleteFile equality = equalityDeletes("memory://equality.avro");

    assertThat(mixed.loadPositionDeletes(List.of(older), a.location())).isSameAs(others.index);
    assertThat(mixed.loadEqualityDeletes(List.of(equality), TestTables.SCHEMA))
        .isSameAs(others.set);
  }

  private AbstractThrowableAssert<?, ? extends Throwable> assertInvalid(
      List<DeleteFile> deleteFiles, String location, Reason reason) {
    return assertThatThrownBy(() -> loader.loadPositionDeletes(deleteFiles, location))
        .isInstanceOfSatisfying(
            InvalidDeletionVectorException.class, e -> assertThat(e.reason()).isEqualTo(reason));
  }

  private static final class RecordingLoader implements DeleteLoader {
    private final PositionDeleteIndex index = positions(1).asPositionDeleteIndex();
    private final StructLikeSet set = StructLikeSet.create(TestTables.SCHEMA.asStruct());

    @Override
    public StructLikeSet loadEqualityDeletes(Iterable<DeleteFile> deleteFiles, Schema projection) {
      return set;
    }

    @Override
    public PositionDeleteIndex loadPositionDeletes(
        Iterable<DeleteFile> deleteFiles, CharSequence filePath) {
      return index;
    }
  }
}
