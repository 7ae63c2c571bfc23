package io.github.icebergext.integration;

import io.github.icebergext.dv.DeletedPositions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.PartitionData;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.PendingUpdate;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.TableScan;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.events.CreateSnapshotEvent;
import org.apache.iceberg.exceptions.NotFoundException;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.DataWriter;
import org.apache.iceberg.parquet.Parquet;
import org.apache.iceberg.parquet.ParquetValueWriters;
import org.apache.iceberg.types.Types;
import org.apache.parquet.schema.MessageType;

/**
 * The table of a soak: Parquet files on a disk, by partitions. The ID of a row is unique and tells
 * the row's partition. Thread-safe, but for the tables that it gives.
 */
final class SoakTable {
  static final int PARTITIONS = 4;
  private static final Schema SCHEMA =
      new Schema(
          Types.NestedField.required(1, "id", Types.LongType.get()),
          Types.NestedField.required(2, "part", Types.StringType.get()));
  private static final PartitionSpec SPEC =
      PartitionSpec.builderFor(SCHEMA).identity("part").build();

  private final Path folder;
  private final SoakHistory history;
  private final SoakStorage storage;
  private final SoakLedger ledger = new SoakLedger();
  private final SoakCatalog catalog;
  private final AtomicLong nextId = new AtomicLong();

  /** The rows of the data files, by position. */
  private final Map<String, long[]> contents = new ConcurrentHashMap<>();

  SoakTable(Path folder, SoakHistory history) {
    this.folder = folder;
    this.history = history;
    this.storage = new SoakStorage(history);
    this.catalog = new SoakCatalog(storage, this::begin);
    catalog.create(
        SCHEMA,
        SPEC,
        folder.toString(),
        Map.of(
            TableProperties.FORMAT_VERSION, "3",
            TableProperties.MANIFEST_MIN_MERGE_COUNT, "5",
            TableProperties.COMMIT_MIN_RETRY_WAIT_MS, "1",
            TableProperties.COMMIT_MAX_RETRY_WAIT_MS, "20",
            TableProperties.METADATA_DELETE_AFTER_COMMIT_ENABLED, "true",
            TableProperties.METADATA_PREVIOUS_VERSIONS_MAX, "5"));
  }

  private void begin(Snapshot snapshot) {
    ledger.begin(snapshot);
    history.note(
        "tries to commit %s of %d upon %d"
            .formatted(snapshot.operation(), snapshot.snapshotId(), snapshot.parentId()));
  }

  /** Loads the table anew, for one thread. */
  Table open() {
    return catalog.load();
  }

  Path folder() {
    return folder;
  }

  SoakHistory history() {
    return history;
  }

  SoakStorage storage() {
    return storage;
  }

  SoakLedger ledger() {
    return ledger;
  }

  /** Returns the IDs of a new data file's rows, all of one partition. */
  long[] newIds(int partition, int rows) {
    long first = nextId.getAndAdd(rows);
    return LongStream.range(first, first + rows).map(n -> n * PARTITIONS + partition).toArray();
  }

  static String partition(long id) {
    return "p" + id % PARTITIONS;
  }

  /** Returns the rows of a data file at some positions. */
  long[] ids(String dataFile, DeletedPositions positions) {
    long[] ids = contents.get(dataFile);
    LongStream.Builder some = LongStream.builder();
    positions.forEach(position -> some.add(ids[(int) position]));
    return some.build().toArray();
  }

  /** Writes a data file of rows of one partition. */
  DataFile write(Table table, long[] ids) throws IOException {
    PartitionData partition = new PartitionData(SPEC.partitionType());
    partition.set(0, partition(ids[0]));
    String location =
        table
            .locationProvider()
            .newDataLocation(SPEC, partition, "rows-" + UUID.randomUUID() + ".parquet");
    DataWriter<Record> writer =
        Parquet.writeData(table.io().newOutputFile(location))
            .forTable(table)
            .withSpec(SPEC)
            .withPartition(partition)
            .createWriterFunc(RowWriter::new)
            .build();
    try (writer) {
      Record row = GenericRecord.create(SCHEMA);
      for (long id : ids) {
        row.set(0, id);
        row.set(1, partition(id));
        writer.write(row);
      }
    }
    contents.put(location, ids);
    return writer.toDataFile();
  }

  /** Forgets the rows of the data files that are gone. */
  void keepOnly(Set<String> files) {
    contents.keySet().retainAll(files);
  }

  /** Returns the tasks of a scan, one for each data file. */
  static List<FileScanTask> plan(TableScan scan) throws IOException {
    List<FileScanTask> tasks = new ArrayList<>();
    try (CloseableIterable<FileScanTask> planned = scan.planFiles()) {
      planned.forEach(tasks::add);
    }
    return tasks;
  }

  /** Returns a few of the tasks, in any order. */
  static List<FileScanTask> some(List<FileScanTask> tasks, int most, Random random) {
    Collections.shuffle(tasks, random);
    return List.copyOf(tasks.subList(0, Math.min(tasks.size(), 1 + random.nextInt(most))));
  }

  /** Returns few positions of a data file, of which some may be deleted. */
  static DeletedPositions somePositions(DataFile dataFile, Random random) {
    return DeletedPositions.of(
        random.longs(1 + random.nextInt(12), 0, dataFile.recordCount()).toArray());
  }

  /** Returns the snapshot that an update has committed. */
  static long snapshotId(PendingUpdate<?> committed) {
    return ((CreateSnapshotEvent) committed.updateEvent()).snapshotId();
  }

  /**
   * Lets pass that a file of a snapshot was missing if the snapshot has expired meanwhile.
   *
   * @throws NotFoundException if it has not
   */
  void checkExpired(Table table, long snapshotId, NotFoundException missing) {
    table.refresh();
    if (table.snapshot(snapshotId) != null) {
      throw missing;
    }
  }

  /** Returns the IDs of rows that were read, in order, each as often as it was read. */
  static List<Long> ids(Map<List<Object>, Integer> rows) {
    List<Long> ids = new ArrayList<>();
    rows.forEach(
        (row, count) -> {
          Long id = (Long) row.get(0);
          if (!partition(id).equals(row.get(1))) {
            throw new AssertionError("Row " + id + " is not as it was written: " + row);
          }
          ids.addAll(Collections.nCopies(count, id));
        });
    Collections.sort(ids);
    return ids;
  }

  /** Reads the rows of a snapshot by Iceberg. */
  static List<Long> ids(Table table, long snapshotId) throws IOException {
    return ids(new ScanRows(table, snapshotId).byIceberg());
  }

  /** Writes rows of this schema; Iceberg's own writers have other names in each of its versions. */
  private static final class RowWriter extends ParquetValueWriters.StructWriter<Record> {
    RowWriter(MessageType type) {
      super(
          List.of(
              ParquetValueWriters.longs(type.getColumns().get(0)),
              ParquetValueWriters.strings(type.getColumns().get(1))));
    }

    @Override
    protected Object get(Record row, int index) {
      return row.get(index);
    }
  }
}
