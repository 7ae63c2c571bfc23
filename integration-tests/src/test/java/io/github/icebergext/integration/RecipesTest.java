package io.github.icebergext.integration;

import static org.apache.iceberg.puffin.PuffinCompressionCodec.ZSTD;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.dv.DeletesBetween;
import io.github.icebergext.dv.DeletesChange;
import io.github.icebergext.dv.DeletionVectorReader;
import io.github.icebergext.dv.DeletionVectorWriter;
import io.github.icebergext.dv.LiveDeletes;
import io.github.icebergext.puffin.PuffinFile;
import io.github.icebergext.puffin.PuffinFileReader;
import io.github.icebergext.puffin.PuffinFileWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.inmemory.InMemoryCatalog;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.puffin.Blob;
import org.apache.iceberg.puffin.BlobMetadata;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.util.Pair;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The recipes of the README, as they stand there, on a table in memory. */
class RecipesTest {
  private final InMemoryCatalog catalog = new InMemoryCatalog();
  private Table table;
  private DataFile dataFile;

  @BeforeEach
  void createTable() {
    catalog.initialize("recipes", Map.of());
    catalog.createNamespace(Namespace.of("db"));
    table =
        catalog.createTable(
            TableIdentifier.of("db", "table"),
            new Schema(Types.NestedField.required(1, "id", Types.LongType.get())),
            PartitionSpec.unpartitioned(),
            Map.of("format-version", "3"));
    dataFile =
        DataFiles.builder(table.spec())
            .withPath(table.location() + "/data/rows.parquet")
            .withFileSizeInBytes(1000)
            .withRecordCount(100)
            .build();
    table.newAppend().appendFile(dataFile).commit();
  }

  @AfterEach
  void closeCatalog() throws Exception {
    catalog.close();
  }

  @Test
  void writesAndReadsAPuffinFile() throws Exception {
    String location = table.location() + "/metadata/statistics.puffin";
    OutputFile outputFile = table.io().newOutputFile(location);
    ByteBuffer sketch = ByteBuffer.wrap(new byte[] {1, 2, 3});
    long snapshotId = table.currentSnapshot().snapshotId();
    long sequenceNumber = table.currentSnapshot().sequenceNumber();

    try (PuffinFileWriter writer =
        PuffinFileWriter.write(outputFile, table.io()).createdBy("my service 1.0").build()) {
      writer.write(
          new Blob(
              "apache-datasketches-theta-v1",
              List.of(1),
              snapshotId,
              sequenceNumber,
              sketch,
              ZSTD,
              Map.of("ndv", "42")));
      PuffinFile file = writer.finish();
      table.updateStatistics().setStatistics(file.statisticsFile(snapshotId)).commit();
    }

    List<ByteBuffer> read = new ArrayList<>();
    try (PuffinFileReader reader =
        PuffinFileReader.read(table.io().newInputFile(location)).build()) {
      for (Pair<BlobMetadata, ByteBuffer> blob : reader.readAll(reader.footer().blobs())) {
        read.add(blob.second());
      }
    }
    assertThat(read).containsExactly(sketch);
    assertThat(table.statisticsFiles()).singleElement().extracting("path").isEqualTo(location);
  }

  @Test
  void deletesRowsAndReadsTheirVector() {
    long position = 42;
    try (DeletionVectorWriter writer = DeletionVectorWriter.of(table, LiveDeletes.of(table))) {
      writer.delete(dataFile, position);
      writer.flush().applyTo(table.newRowDelta()).commit();
    }

    DeleteFile deleteFile = LiveDeletes.of(table).vector(dataFile.location()).orElseThrow();
    DeletedPositions deleted = DeletionVectorReader.of(table).read(deleteFile);
    assertThat(deleted.isDeleted(position)).isTrue();

    long[] live = new long[2];
    deleted.keepMask(0, 100, live);
    assertThat(Long.bitCount(live[0]) + Long.bitCount(live[1])).isEqualTo(99);
  }

  @Test
  void rowsDeletedBetweenTwoSnapshotsAreSeen() throws IOException {
    long fromSnapshotId = table.currentSnapshot().snapshotId();
    try (DeletionVectorWriter writer = DeletionVectorWriter.of(table, LiveDeletes.of(table))) {
      writer.delete(dataFile, 42);
      writer.flush().applyTo(table.newRowDelta()).commit();
    }
    long toSnapshotId = table.currentSnapshot().snapshotId();
    List<Long> seen = new ArrayList<>();

    try (CloseableIterable<DeletesChange> changes =
        DeletesBetween.of(table, fromSnapshotId, toSnapshotId).changes()) {
      for (DeletesChange change : changes) {
        if (change instanceof DeletesChange.RowsDeleted rows) {
          rows.positions().forEach(seen::add);
        }
      }
    }

    assertThat(seen).containsExactly(42L);
  }
}
