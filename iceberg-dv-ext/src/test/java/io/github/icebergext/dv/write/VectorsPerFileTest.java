package io.github.icebergext.dv.write;

import static io.github.icebergext.dv.write.DeletionVectorWriter.VECTORS_PER_FILE_PROPERTY;
import static io.github.icebergext.testing.TestTables.unpartitioned;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.icebergext.testing.FaultyFileIO;
import io.github.icebergext.testing.FaultyFileIO.Call;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Table;
import org.apache.iceberg.deletes.DVFileWriter;
import org.apache.iceberg.deletes.PositionDelete;
import org.apache.iceberg.io.DeleteWriteResult;
import org.apache.iceberg.io.PartitioningWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Who says how many vectors a Puffin file holds: the builder, else the table, else the default. */
class VectorsPerFileTest {
  private final FaultyFileIO storage = new FaultyFileIO();
  private final Table table = unpartitioned(storage);

  /** The writers that a builder makes. */
  private enum Kind {
    ANY_ORDER {
      @Override
      List<DeleteFile> write(DeletionVectorWriter.Builder builder, List<DeleteTarget> dataFiles) {
        try (DeletionVectorWriter writer = builder.build()) {
          dataFiles.forEach(dataFile -> writer.delete(dataFile, 1));
          return vectors(List.of(writer.flush()));
        }
      }
    },
    CLUSTERED {
      @Override
      List<DeleteFile> write(DeletionVectorWriter.Builder builder, List<DeleteTarget> dataFiles) {
        List<FlushResult> results = new ArrayList<>();
        try (ClusteredDeletionVectorWriter writer = builder.buildClustered(results::add)) {
          dataFiles.forEach(dataFile -> writer.delete(dataFile, 1));
          writer.finish();
        }
        return vectors(results);
      }
    },
    DV_FILE_WRITER {
      @Override
      List<DeleteFile> write(DeletionVectorWriter.Builder builder, List<DeleteTarget> dataFiles)
          throws IOException {
        DVFileWriter writer = builder.buildDVFileWriter();
        try (writer) {
          for (DeleteTarget dataFile : dataFiles) {
            writer.delete(dataFile.location(), 1, PartitionSpec.unpartitioned(), null);
          }
        }
        return writer.result().deleteFiles();
      }
    },
    PARTITIONING_WRITER {
      @Override
      List<DeleteFile> write(DeletionVectorWriter.Builder builder, List<DeleteTarget> dataFiles)
          throws IOException {
        PartitioningWriter<PositionDelete<Object>, DeleteWriteResult> writer =
            builder.buildPartitioningWriter();
        try (writer) {
          PositionDelete<Object> row = PositionDelete.create();
          for (DeleteTarget dataFile : dataFiles) {
            writer.write(row.set(dataFile.location(), 1), PartitionSpec.unpartitioned(), null);
          }
        }
        return writer.result().deleteFiles();
      }
    };

    abstract List<DeleteFile> write(
        DeletionVectorWriter.Builder builder, List<DeleteTarget> dataFiles) throws IOException;

    private static List<DeleteFile> vectors(List<FlushResult> results) {
      return results.stream()
          .flatMap(result -> result.vectors().stream())
          .map(FlushedVector::entry)
          .toList();
    }
  }

  private DeletionVectorWriter.Builder builder() {
    return DeletionVectorWriter.builder(table, PreviousDeletes.none(1));
  }

  private void setProperty(String value) {
    table.updateProperties().set(VECTORS_PER_FILE_PROPERTY, value).commit();
  }

  private List<DeleteTarget> dataFiles(int count) {
    List<DeleteTarget> dataFiles = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      dataFiles.add(DeleteTarget.of("memory://data/" + i + ".parquet", table.spec(), null));
    }
    return dataFiles;
  }

  /** Writes a vector for each of {@code dataFiles} and returns how many each Puffin file has. */
  private List<Integer> vectorsOfEachPuffin(
      Kind kind, DeletionVectorWriter.Builder builder, int dataFiles) throws IOException {
    Map<String, Integer> counts = new LinkedHashMap<>();
    kind.write(builder, dataFiles(dataFiles))
        .forEach(vector -> counts.merge(vector.location(), 1, Integer::sum));
    assertThat(storage.locations()).containsExactlyInAnyOrderElementsOf(counts.keySet());
    return List.copyOf(counts.values());
  }

  @ParameterizedTest
  @EnumSource
  void aPuffinHolds200ByDefault(Kind kind) throws IOException {
    assertThat(vectorsOfEachPuffin(kind, builder(), 401)).containsExactly(200, 200, 1);
  }

  @ParameterizedTest
  @EnumSource
  void thePropertyOfTheTableBeatsTheDefault(Kind kind) throws IOException {
    setProperty("3");

    assertThat(vectorsOfEachPuffin(kind, builder(), 7)).containsExactly(3, 3, 1);
  }

  @ParameterizedTest
  @EnumSource
  void theBuilderBeatsThePropertyOfTheTable(Kind kind) throws IOException {
    setProperty("3");

    assertThat(vectorsOfEachPuffin(kind, builder().withVectorsPerFile(2), 7))
        .containsExactly(2, 2, 2, 1);
  }

  @ParameterizedTest
  @EnumSource
  void withOneNoPuffinHoldsTwo(Kind kind) throws IOException {
    setProperty("1");

    assertThat(vectorsOfEachPuffin(kind, builder(), 3)).containsExactly(1, 1, 1);
  }

  @Test
  void thePropertyMayBeLargerThanTheDefault() throws IOException {
    setProperty("2147483647");

    assertThat(vectorsOfEachPuffin(Kind.ANY_ORDER, builder(), 401)).containsExactly(401);
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "-1", "", " ", "2 ", "1.5", "2147483648", "many"})
  void aPropertyThatIsNoPositiveIntIsRefusedBeforeAFileIsCreated(String value) {
    setProperty(value);

    for (Kind kind : Kind.values()) {
      assertThatThrownBy(() -> kind.write(builder(), dataFiles(1)))
          .as("%s", kind)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage(
              "Cannot write deletion vectors of table "
                  + table.name()
                  + ": its property dv-ext.write.vectors-per-puffin is \""
                  + value
                  + "\", expected a number from 1 to 2147483647");
    }
    assertThat(storage.count(Call.CREATE)).isZero();
  }

  @ParameterizedTest
  @EnumSource
  void aPropertyThatTheBuilderBeatsIsNotLookedAt(Kind kind) throws IOException {
    setProperty("many");

    assertThat(vectorsOfEachPuffin(kind, builder().withVectorsPerFile(2), 3)).containsExactly(2, 1);
  }
}
