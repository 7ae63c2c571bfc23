package io.github.icebergext.puffin;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.StatisticsFile;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.inmemory.InMemoryCatalog;
import org.apache.iceberg.puffin.Blob;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.Test;

class PuffinFileTest {
  private static final Schema SCHEMA =
      new Schema(Types.NestedField.required(1, "id", Types.LongType.get()));

  @Test
  void describesItselfAsStatistics() {
    PuffinFooter footer = new PuffinFooter(List.of(), Map.of(), false, 4, 28);

    StatisticsFile statistics = new PuffinFile("mem:/f", 60, footer).statisticsFile(11);

    assertThat(statistics.snapshotId()).isEqualTo(11);
    assertThat(statistics.path()).isEqualTo("mem:/f");
    assertThat(statistics.fileSizeInBytes()).isEqualTo(60);
    assertThat(statistics.fileFooterSizeInBytes()).isEqualTo(28);
    assertThat(statistics.blobMetadata()).isEmpty();
  }

  @Test
  void becomesStatisticsOfATable() throws IOException {
    try (InMemoryCatalog catalog = new InMemoryCatalog()) {
      Table table = table(catalog);
      long snapshotId = table.currentSnapshot().snapshotId();
      PuffinFile file = writeStatistics(table, snapshotId);

      table.updateStatistics().setStatistics(file.statisticsFile(snapshotId)).commit();

      Table loaded = catalog.loadTable(TableIdentifier.of("db", "t"));
      assertThat(loaded.statisticsFiles()).containsExactly(file.statisticsFile(snapshotId));
      StatisticsFile statistics = loaded.statisticsFiles().get(0);
      assertThat(statistics.path()).isEqualTo(file.location());
      assertThat(statistics.fileFooterSizeInBytes()).isEqualTo(file.footer().sizeInBytes());
      assertThat(statistics.blobMetadata()).hasSize(1);
      assertThat(statistics.blobMetadata().get(0).type()).isEqualTo("apache-datasketches-theta-v1");
      assertThat(statistics.blobMetadata().get(0).sourceSnapshotId()).isEqualTo(snapshotId);
      assertThat(statistics.blobMetadata().get(0).sourceSnapshotSequenceNumber()).isEqualTo(1);
      assertThat(statistics.blobMetadata().get(0).fields()).containsExactly(1);
      assertThat(statistics.blobMetadata().get(0).properties()).containsEntry("ndv", "3");
    }
  }

  private static Table table(InMemoryCatalog catalog) {
    catalog.initialize("test", Map.of());
    catalog.createNamespace(Namespace.of("db"));
    Table table =
        catalog.createTable(
            TableIdentifier.of("db", "t"),
            SCHEMA,
            PartitionSpec.unpartitioned(),
            Map.of("format-version", "2"));
    table
        .newAppend()
        .appendFile(
            DataFiles.builder(table.spec())
                .withPath("mem:/data.parquet")
                .withFileSizeInBytes(10)
                .withRecordCount(3)
                .build())
        .commit();
    return table;
  }

  private static PuffinFile writeStatistics(Table table, long snapshotId) {
    String location = table.location() + "/metadata/stats.puffin";
    try (PuffinFileWriter writer =
        PuffinFileWriter.write(table.io().newOutputFile(location), table.io()).build()) {
      writer.write(
          new Blob(
              "apache-datasketches-theta-v1",
              List.of(1),
              snapshotId,
              1,
              ByteBuffer.allocate(16),
              null,
              Map.of("ndv", "3")));
      return writer.finish();
    }
  }
}
