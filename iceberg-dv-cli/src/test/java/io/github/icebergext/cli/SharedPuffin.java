package io.github.icebergext.cli;

import io.github.icebergext.cli.source.Locations;
import io.github.icebergext.cli.source.TableSource;
import io.github.icebergext.dv.table.LiveDeletes;
import io.github.icebergext.dv.write.DeletionVectorWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.hadoop.HadoopTables;

/**
 * A table of three data files of 100 rows. The vectors of the first two were written into one
 * Puffin file; the vector of the first was replaced since, and a data file appended. So a plain
 * expiry destroys the vector of the second.
 *
 * @param puffin location of the Puffin file that both vectors were in
 * @param replaced id of the snapshot that replaced the vector of the first data file
 */
record SharedPuffin(Table table, DataFile first, DataFile second, String puffin, long replaced) {
  /** Makes the table in a warehouse. */
  static SharedPuffin in(DemoWarehouse warehouse) {
    Table table = warehouse.createTable();
    DataFile first = warehouse.append(table, 100);
    return of(table, first);
  }

  /** Makes the table in a folder, without a catalog. The data files are those of {@code other}. */
  static SharedPuffin inFolder(Path folder, SharedPuffin other) {
    Table table =
        new HadoopTables(new Configuration())
            .create(
                other.table().schema(),
                PartitionSpec.unpartitioned(),
                Map.of("format-version", "3"),
                folder.toString());
    table.newAppend().appendFile(other.first()).commit();
    return of(table, other.first());
  }

  private static SharedPuffin of(Table table, DataFile first) {
    DataFile second = copy(first, table, "more.parquet");
    table.newAppend().appendFile(second).commit();
    delete(table, Map.of(first, 1L, second, 2L));
    String puffin = puffinOf(table, second);
    delete(table, Map.of(first, 3L));
    long replaced = table.currentSnapshot().snapshotId();
    SharedPuffin shared = new SharedPuffin(table, first, second, puffin, replaced);
    shared.append("last.parquet");
    return shared;
  }

  /** Appends a data file of the rows of the first one. */
  void append(String name) {
    table.newAppend().appendFile(copy(first, table, name)).commit();
  }

  private static DataFile copy(DataFile dataFile, Table table, String name) {
    String location = table.locationProvider().newDataLocation(name);
    try {
      Path copy = Path.of(Locations.plain(location));
      Files.createDirectories(copy.getParent());
      Files.copy(Path.of(Locations.plain(dataFile.location())), copy);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return DataFiles.builder(PartitionSpec.unpartitioned())
        .copy(dataFile)
        .withPath(location)
        .build();
  }

  static void delete(Table table, Map<DataFile, Long> rows) {
    try (DeletionVectorWriter writer = DeletionVectorWriter.of(table, LiveDeletes.of(table))) {
      rows.forEach(writer::delete);
      writer.flush().commit();
    }
  }

  private static String puffinOf(Table table, DataFile dataFile) {
    return LiveDeletes.of(table).vector(dataFile.location()).orElseThrow().location();
  }

  /** Returns the location of the table's newest metadata file. */
  String metadataFile() {
    return TableSource.metadata(table).metadataFileLocation();
  }

  /** Returns the location as seen from the table. */
  String relative(String location) {
    return Locations.relative(location, table.location());
  }

  boolean puffinExists() {
    return Files.exists(Path.of(Locations.plain(puffin)));
  }

  /** Expires all but the current snapshot as anybody does. */
  void expirePlainly() {
    table.refresh();
    table.expireSnapshots().expireOlderThan(Long.MAX_VALUE).retainLast(1).commit();
  }

  /** Returns the ids of all snapshots but the current one. */
  List<Long> olderSnapshots() {
    Set<Long> ids = new TreeSet<>();
    for (Snapshot snapshot : table.snapshots()) {
      ids.add(snapshot.snapshotId());
    }
    ids.remove(table.currentSnapshot().snapshotId());
    return List.copyOf(ids);
  }

  /** Returns all files under a folder with their sizes and times. */
  static Map<String, String> listing(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      return files
          .filter(Files::isRegularFile)
          .collect(
              Collectors.toMap(
                  Path::toString, SharedPuffin::sizeAndTime, (a, b) -> a, TreeMap::new));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String sizeAndTime(Path file) {
    try {
      return Files.size(file) + " " + Files.getLastModifiedTime(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
