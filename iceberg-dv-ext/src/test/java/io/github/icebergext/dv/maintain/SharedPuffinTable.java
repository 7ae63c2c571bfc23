package io.github.icebergext.dv.maintain;

import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.dv.read.DeletionVectorReader;
import io.github.icebergext.dv.table.LiveDeletes;
import io.github.icebergext.dv.write.DeletionVectorWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.encryption.EncryptedFiles;
import org.apache.iceberg.exceptions.NotFoundException;
import org.apache.iceberg.inmemory.InMemoryCatalog;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.types.Types;

/**
 * A table in memory, partitioned by category, whose data files are empty. Its vectors are real:
 * those of data files {@code a} and {@code b} share a Puffin file if the writer puts several
 * vectors into one. Row 1 of {@code a} and row 2 of {@code b} are deleted.
 */
final class SharedPuffinTable {
  static final Schema SCHEMA =
      new Schema(
          Types.NestedField.required(1, "id", Types.LongType.get()),
          Types.NestedField.required(2, "category", Types.StringType.get()));
  private static final PartitionSpec SPEC =
      PartitionSpec.builderFor(SCHEMA).identity("category").build();
  private static final long ROWS = 100;

  private final Table table;
  private final int vectorsPerPuffin;
  private int files;

  final DataFile a;
  final DataFile b;

  SharedPuffinTable(int vectorsPerPuffin) {
    this(create(), vectorsPerPuffin);
  }

  SharedPuffinTable(Table table, int vectorsPerPuffin) {
    this.table = table;
    this.vectorsPerPuffin = vectorsPerPuffin;
    this.a = dataFile("a");
    this.b = dataFile("b");
    table.newAppend().appendFile(a).appendFile(b).commit();
    delete(Map.of(a, 1L, b, 2L));
  }

  @SuppressWarnings("resource") // Closing the catalog would forget its tables.
  static Table create() {
    InMemoryCatalog catalog = new InMemoryCatalog();
    catalog.initialize("memory", Map.of());
    catalog.createNamespace(Namespace.of("db"));
    return catalog
        .buildTable(TableIdentifier.of("db", "table"), SCHEMA)
        .withPartitionSpec(SPEC)
        .withLocation("/" + UUID.randomUUID()) // All catalogs in memory share their files.
        .withProperty(TableProperties.FORMAT_VERSION, "3")
        .create();
  }

  Table table() {
    return table;
  }

  TableOperations operations() {
    return ((HasTableOperations) table).operations();
  }

  /** Returns the table with other operations, such as ones that fail. */
  static Table with(TableOperations operations) {
    return new BaseTable(operations, "db.table");
  }

  /** Returns a data file of 100 rows that is in no snapshot yet. */
  DataFile dataFile(String category) {
    files++;
    String location = table.location() + "/data/" + category + "-" + files + ".parquet";
    create(location); // Some versions of Iceberg stop to delete files at the first that is missing.
    return DataFiles.builder(SPEC)
        .withPath(location)
        .withPartitionPath("category=" + category)
        .withFileSizeInBytes(1000)
        .withRecordCount(ROWS)
        .build();
  }

  void create(String location) {
    try {
      table.io().newOutputFile(location).create().close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Deletes a row of each data file in one commit. */
  void delete(Map<DataFile, Long> rows) {
    try (DeletionVectorWriter writer =
        DeletionVectorWriter.builder(table, LiveDeletes.of(table))
            .withVectorsPerFile(vectorsPerPuffin)
            .build()) {
      rows.forEach(writer::delete);
      writer.flush().commit();
    }
  }

  /** Writes vectors of both data files into a file of that name, and returns its location. */
  String writeVectorsTo(String location) {
    try (DeletionVectorWriter writer =
        DeletionVectorWriter.builder(table, LiveDeletes.of(table))
            .withOutputFiles(
                () -> EncryptedFiles.plainAsEncryptedOutput(table.io().newOutputFile(location)))
            .build()) {
      writer.delete(a, 20);
      writer.delete(b, 21);
      writer.flush().commit();
    }
    return location;
  }

  /** Appends a data file of another category. */
  void append() {
    table.newAppend().appendFile(dataFile("c")).commit();
  }

  /** Returns the location of the Puffin file that holds the live vector of a data file. */
  String puffinOf(DataFile dataFile) {
    return vectorOf(dataFile).location();
  }

  DeleteFile vectorOf(DataFile dataFile) {
    return LiveDeletes.of(table).vector(dataFile.location()).orElseThrow();
  }

  /** Removes a vector that dangles, as Spark's compaction does. Some commits of data files do. */
  void removeVectorIfThere(DataFile dataFile) {
    LiveDeletes.of(table)
        .vector(dataFile.location())
        .ifPresent(vector -> table.newRewrite().deleteFile(vector).commit());
  }

  boolean exists(String location) {
    try {
      return table.io().newInputFile(location).exists();
    } catch (NotFoundException e) {
      return false; // Files in memory cannot be opened before they are there.
    }
  }

  /** Returns the deleted rows of all data files in a snapshot, each read from its vector. */
  Map<String, DeletedPositions> deletedRows(Snapshot snapshot) {
    Map<String, DeletedPositions> rows = new LinkedHashMap<>();
    DeletionVectorReader reader = DeletionVectorReader.of(table);
    LiveDeletes.of(table, snapshot)
        .vectors()
        .forEach(vector -> rows.put(vector.referencedDataFile(), reader.read(vector)));
    return rows;
  }

  /** Returns the files that live delete entries of retained snapshots name, and that are gone. */
  List<String> lostFiles() {
    List<String> lost = new ArrayList<>();
    for (Snapshot snapshot : table.snapshots()) {
      try (CloseableIterable<DeleteFile> entries = LiveDeletes.entries(table, snapshot)) {
        entries.forEach(
            entry -> {
              if (!exists(entry.location())) {
                lost.add(entry.location());
              }
            });
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return lost;
  }
}
