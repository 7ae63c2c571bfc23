package io.github.icebergext.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.dv.read.DeletionVectorReader;
import io.github.icebergext.dv.table.LiveDeletes;
import io.github.icebergext.testing.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.LongPredicate;
import java.util.stream.LongStream;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.BaseDeleteLoader;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.data.orc.GenericOrcReader;
import org.apache.iceberg.data.parquet.GenericParquetReaders;
import org.apache.iceberg.deletes.PositionDeleteIndex;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.orc.ORC;
import org.apache.iceberg.parquet.Parquet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tables that Spark wrote: the rows that are live through our vectors are those that Spark read.
 */
class SparkTablesTest {
  @ParameterizedTest
  @CsvSource({"orc, 1", "part, 24", "shapes, 4", "unpart, 5", "upgraded, 1", "v2pos, 0"})
  void liveRowsAreThoseThatSparkRead(String name, int vectors) throws IOException {
    Path warehouse = TestData.tables().resolve("spark-3.5.9-iceberg-1.12.0");
    Table table = open(warehouse, name);
    LiveDeletes deletes = LiveDeletes.of(table);

    assertThat(deletes.vectors()).hasSize(vectors);
    assertThat(deletes.duplicateVectors()).isEmpty();
    assertThat(deletes.danglingVectors()).isEmpty();
    assertThat(deletes.equalityDeletes()).isEmpty();
    assertThat(liveIds(table, deletes))
        .isEqualTo(expectedIds(warehouse.resolve("_expected").resolve(name + ".ids")));
  }

  static Table open(Path warehouse, String name) throws IOException {
    Path metadata = warehouse.resolve("db").resolve(name).resolve("metadata");
    String version = Files.readString(metadata.resolve("version-hint.text")).strip();
    Path file = metadata.resolve("v" + version + ".metadata.json");
    return RelocatedTable.open(file, "file:/warehouse", warehouse);
  }

  private static long[] expectedIds(Path file) throws IOException {
    return Files.readAllLines(file).stream().mapToLong(Long::parseLong).sorted().toArray();
  }

  private static long[] liveIds(Table table, LiveDeletes deletes) throws IOException {
    LongStream.Builder ids = LongStream.builder();
    try (CloseableIterable<DataFile> dataFiles = deletes.dataFiles()) {
      for (DataFile dataFile : dataFiles) {
        addLiveIds(table, dataFile, deletedFrom(table, dataFile, deletes), ids);
      }
    }
    return ids.build().sorted().toArray();
  }

  private static void addLiveIds(
      Table table, DataFile dataFile, LongPredicate deleted, LongStream.Builder ids)
      throws IOException {
    long position = 0;
    try (CloseableIterable<Record> rows = rows(table, dataFile)) {
      for (Record row : rows) {
        if (!deleted.test(position++)) {
          ids.add((Long) row.getField("id"));
        }
      }
    }
    assertThat(position).isEqualTo(dataFile.recordCount());
  }

  /** A vector stands for all older deletes of its file; without one, the older ones are loaded. */
  private static LongPredicate deletedFrom(Table table, DataFile dataFile, LiveDeletes deletes) {
    Optional<DeleteFile> vector = deletes.vector(dataFile.location());
    if (vector.isPresent()) {
      DeletedPositions positions = DeletionVectorReader.of(table).read(vector.get());
      assertThat(positions.lastPosition()).isLessThan(dataFile.recordCount());
      return positions::isDeleted;
    }
    List<DeleteFile> older = deletes.positionDeletes(dataFile);
    PositionDeleteIndex index =
        new BaseDeleteLoader(file -> table.io().newInputFile(file.location()))
            .loadPositionDeletes(older, dataFile.location());
    return index::isDeleted;
  }

  private static CloseableIterable<Record> rows(Table table, DataFile dataFile) {
    Schema ids = table.schema().select("id");
    InputFile file = table.io().newInputFile(dataFile.location());
    if (dataFile.format() == FileFormat.ORC) {
      return ORC.read(file)
          .project(ids)
          .createReaderFunc(inFile -> GenericOrcReader.buildReader(ids, inFile))
          .build();
    }
    return Parquet.read(file)
        .project(ids)
        .createReaderFunc(inFile -> GenericParquetReaders.buildReader(ids, inFile))
        .build();
  }
}
