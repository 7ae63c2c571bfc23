package io.github.icebergext.integration;

import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.dv.table.LiveDeletes;
import io.github.icebergext.dv.write.DeletionVectorWriter;
import io.github.icebergext.dv.write.PreviousDeletes;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.AppendFiles;
import org.apache.iceberg.CatalogProperties;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.RowDelta;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.jdbc.JdbcCatalog;
import org.apache.iceberg.types.Types;

/**
 * A table of which every file is on an {@link S3Server}, apart from the data files: those exist in
 * metadata only.
 */
final class S3Table implements AutoCloseable {
  private static final long ROWS = 10_000_000;

  private final JdbcCatalog catalog = new JdbcCatalog();
  private final Table table;
  private int dataFiles;

  /**
   * Creates a table.
   *
   * @param folder is empty, and gets the database of the catalog
   * @param settings of the catalog
   */
  S3Table(S3Server server, Path folder, Map<String, String> settings) {
    Map<String, String> properties = new HashMap<>(server.properties());
    properties.put(CatalogProperties.URI, "jdbc:sqlite:" + folder.resolve("catalog.db"));
    properties.put(CatalogProperties.WAREHOUSE_LOCATION, server.warehouse() + folder);
    properties.putAll(settings);
    catalog.initialize("s3", properties);
    catalog.createNamespace(Namespace.of("db"));
    table =
        catalog.createTable(
            TableIdentifier.of("db", "table"),
            new Schema(Types.NestedField.required(1, "id", Types.LongType.get())),
            PartitionSpec.unpartitioned(),
            Map.of(TableProperties.FORMAT_VERSION, "3"));
  }

  Table table() {
    return table;
  }

  /** Commits a data file for each vector, and the vectors in one Puffin file. */
  List<DeleteFile> commit(List<DeletedPositions> vectors) {
    return commitPuffins(List.of(vectors));
  }

  /**
   * Commits a data file for each vector, and the vectors in a Puffin file for each list.
   *
   * @return their entries as the manifests have them, in the order of the vectors
   */
  List<DeleteFile> commitPuffins(List<List<DeletedPositions>> puffins) {
    List<List<DataFile>> referenced =
        puffins.stream().map(vectors -> vectors.stream().map(any -> dataFile()).toList()).toList();
    AppendFiles append = table.newFastAppend();
    referenced.forEach(files -> files.forEach(append::appendFile));
    append.commit();

    PreviousDeletes previous = PreviousDeletes.none(table.currentSnapshot().snapshotId());
    RowDelta rowDelta = table.newRowDelta();
    for (int i = 0; i < puffins.size(); i++) {
      List<DeletedPositions> vectors = puffins.get(i);
      DeletionVectorWriter.Builder builder =
          DeletionVectorWriter.builder(table, previous).withVectorsPerFile(vectors.size());
      try (DeletionVectorWriter writer = builder.build()) {
        for (int j = 0; j < vectors.size(); j++) {
          writer.delete(referenced.get(i).get(j), vectors.get(j));
        }
        writer.flush().applyTo(rowDelta);
      }
    }
    rowDelta.commit();
    return entries(referenced.stream().flatMap(List::stream).toList());
  }

  private DataFile dataFile() {
    return DataFiles.builder(table.spec())
        .withPath(table.location() + "/data/rows-" + dataFiles++ + ".parquet")
        .withFileSizeInBytes(1000)
        .withRecordCount(ROWS)
        .build();
  }

  private List<DeleteFile> entries(List<DataFile> referenced) {
    LiveDeletes live = LiveDeletes.of(table);
    List<DeleteFile> entries = new ArrayList<>();
    referenced.forEach(file -> entries.add(live.vector(file.location()).orElseThrow()));
    return entries;
  }

  @Override
  public void close() {
    catalog.close();
  }
}
