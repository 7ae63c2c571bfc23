package io.github.icebergext.integration;

import io.github.icebergext.dv.read.DeletionVectorDeleteLoader;
import io.github.icebergext.dv.scan.ScanDeletes;
import io.github.icebergext.dv.scan.TaskDeletes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.iceberg.BaseFileScanTask;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.MetadataColumns;
import org.apache.iceberg.PartitionSpecParser;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SchemaParser;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableScan;
import org.apache.iceberg.avro.Avro;
import org.apache.iceberg.data.DeleteLoader;
import org.apache.iceberg.data.GenericDeleteFilter;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.IdentityPartitionConverters;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.data.avro.PlannedDataReader;
import org.apache.iceberg.data.orc.GenericOrcReader;
import org.apache.iceberg.data.parquet.GenericParquetReaders;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.expressions.ResidualEvaluator;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.orc.ORC;
import org.apache.iceberg.parquet.Parquet;
import org.apache.iceberg.types.TypeUtil;
import org.apache.iceberg.util.PartitionUtil;
import org.jspecify.annotations.Nullable;

/** The rows of a table's snapshot, by Iceberg's generic reader and by ours, in any order. */
record ScanRows(Table table, long snapshotId) {

  /** Returns how often each row is read by Iceberg. */
  Map<List<Object>, Integer> byIceberg() throws IOException {
    Map<List<Object>, Integer> counts = new HashMap<>();
    try (CloseableIterable<Record> rows =
        IcebergGenerics.read(table).useSnapshot(snapshotId).build()) {
      rows.forEach(row -> counts.merge(values(row, schema().columns().size()), 1, Integer::sum));
    }
    return counts;
  }

  /** Returns how often each row is read by its position, if {@code deletes} leave it. */
  Map<List<Object>, Integer> byPosition(ScanDeletes deletes) throws IOException {
    Schema withPosition = TypeUtil.join(schema(), new Schema(MetadataColumns.ROW_POSITION));
    Map<List<Object>, Integer> counts = new HashMap<>();
    try (CloseableIterable<FileScanTask> planned = scan().planFiles();
        CloseableIterable<TaskDeletes> tasks = deletes.read(planned)) {
      for (TaskDeletes task : tasks) {
        EqualityFilter filter = new EqualityFilter(table, task, withPosition);
        try (CloseableIterable<Record> rows =
            filter.filter(open(task.task(), filter.requiredSchema()))) {
          for (Record row : rows) {
            if (!task.positions().isDeleted((Long) row.getField("_pos"))) {
              counts.merge(values(row, schema().columns().size()), 1, Integer::sum);
            }
          }
        }
      }
    }
    return counts;
  }

  /** Returns how often each row is read through Iceberg's delete filter with our loader. */
  Map<List<Object>, Integer> byDeleteFilter() throws IOException {
    Map<List<Object>, Integer> counts = new HashMap<>();
    try (CloseableIterable<FileScanTask> tasks = scan().planFiles()) {
      for (FileScanTask task : tasks) {
        GenericDeleteFilter filter = new VectorFilter(table.io(), task, schema());
        try (CloseableIterable<Record> rows = filter.filter(open(task, filter.requiredSchema()))) {
          rows.forEach(
              row -> counts.merge(values(row, schema().columns().size()), 1, Integer::sum));
        }
      }
    }
    return counts;
  }

  /** Returns the rows of one data file that Iceberg's delete filter leaves. */
  CloseableIterable<Record> left(FileScanTask task) {
    GenericDeleteFilter filter = new GenericDeleteFilter(table.io(), task, schema(), schema());
    return filter.filter(open(task, filter.requiredSchema()));
  }

  private TableScan scan() {
    return table.newScan().useSnapshot(snapshotId);
  }

  private Schema schema() {
    return scan().schema();
  }

  private static List<Object> values(Record row, int columns) {
    List<Object> values = new ArrayList<>(columns);
    for (int i = 0; i < columns; i++) {
      values.add(comparable(row.get(i)));
    }
    return values;
  }

  /** Variants and byte arrays say nothing of their equality. */
  private static @Nullable Object comparable(@Nullable Object value) {
    if (value instanceof byte[] bytes) {
      return ByteBuffer.wrap(bytes);
    }
    return value == null || value instanceof Comparable ? value : value.toString();
  }

  private CloseableIterable<Record> open(FileScanTask task, Schema projection) {
    InputFile file = table.io().newInputFile(task.file().location());
    Map<Integer, ?> constants =
        PartitionUtil.constantsMap(task, IdentityPartitionConverters::convertConstant);
    return switch (task.file().format()) {
      case AVRO ->
          Avro.read(file)
              .project(projection)
              .createResolvingReader(schema -> PlannedDataReader.create(schema, constants))
              .build();
      case ORC ->
          ORC.read(file)
              .project(TypeUtil.selectNot(projection, notInFile(constants)))
              .createReaderFunc(
                  inFile -> GenericOrcReader.buildReader(projection, inFile, constants))
              .build();
      default ->
          Parquet.read(file)
              .project(projection)
              .createReaderFunc(
                  inFile -> GenericParquetReaders.buildReader(projection, inFile, constants))
              .build();
    };
  }

  private static Set<Integer> notInFile(Map<Integer, ?> constants) {
    Set<Integer> ids = new HashSet<>(constants.keySet());
    ids.addAll(MetadataColumns.metadataFieldIds());
    return ids;
  }

  /** Iceberg's filter, with the one line that brings our loader in. */
  private static final class VectorFilter extends GenericDeleteFilter {
    VectorFilter(FileIO io, FileScanTask task, Schema schema) {
      super(io, task, schema, schema);
    }

    @Override
    protected DeleteLoader newDeleteLoader() {
      return new DeletionVectorDeleteLoader(this::loadInputFile);
    }
  }

  /** Applies the equality deletes of a task. */
  private static final class EqualityFilter extends GenericDeleteFilter {
    EqualityFilter(Table table, TaskDeletes deletes, Schema schema) {
      super(table.io(), equalityTask(deletes), schema, schema);
    }

    private static FileScanTask equalityTask(TaskDeletes deletes) {
      FileScanTask task = deletes.task();
      return new BaseFileScanTask(
          task.file(),
          deletes.equalityDeletes().toArray(DeleteFile[]::new),
          SchemaParser.toJson(task.schema()),
          PartitionSpecParser.toJson(task.spec()),
          ResidualEvaluator.unpartitioned(Expressions.alwaysTrue()));
    }
  }
}
