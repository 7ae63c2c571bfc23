package io.github.icebergext.testing;

import io.github.icebergext.dv.scan.TaskDeletes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.BaseFileScanTask;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileMetadata;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.PartitionSpecParser;
import org.apache.iceberg.SchemaParser;
import org.apache.iceberg.Table;
import org.apache.iceberg.avro.Avro;
import org.apache.iceberg.deletes.PositionDelete;
import org.apache.iceberg.deletes.PositionDeleteWriter;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.expressions.ResidualEvaluator;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.FileIO;

/** Scan tasks, planned by Iceberg or made by hand, and delete files of version 2. */
public final class TestScans {
  private TestScans() {}

  public static List<FileScanTask> plan(Table table) {
    return list(table.newScan().planFiles());
  }

  public static <T> List<T> list(CloseableIterable<T> items) {
    List<T> list = new ArrayList<>();
    try (items) {
      items.forEach(list::add);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return list;
  }

  /** Returns a task that planning may never give. */
  public static FileScanTask task(DataFile dataFile, DeleteFile... deleteFiles) {
    PartitionSpec spec = PartitionSpec.unpartitioned();
    return new BaseFileScanTask(
        dataFile,
        deleteFiles,
        SchemaParser.toJson(TestTables.SCHEMA),
        PartitionSpecParser.toJson(spec),
        ResidualEvaluator.unpartitioned(Expressions.alwaysTrue()));
  }

  /** Writes position deletes of version 2, in the order given, for unpartitioned tables. */
  public static DeleteFile positionDeletes(FileIO io, String location, List<Deleted> deleted) {
    try {
      PositionDeleteWriter<Object> writer =
          Avro.writeDeletes(io.newOutputFile(location))
              .withSpec(PartitionSpec.unpartitioned())
              .overwrite()
              .buildPositionWriter();
      try (writer) {
        PositionDelete<Object> delete = PositionDelete.create();
        for (Deleted row : deleted) {
          writer.write(delete.set(row.dataFile().location(), row.position()));
        }
      }
      return writer.toDeleteFile();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns an entry of equality deletes that are nowhere. */
  public static DeleteFile equalityDeletes(String location) {
    return FileMetadata.deleteFileBuilder(PartitionSpec.unpartitioned())
        .ofEqualityDeletes(1)
        .withPath(location)
        .withFormat(FileFormat.AVRO)
        .withFileSizeInBytes(300)
        .withRecordCount(7)
        .build();
  }

  public static Deleted deleted(DataFile dataFile, long position) {
    return new Deleted(dataFile, position);
  }

  /** Returns the positions that each task's data file loses, by location, in the tasks' order. */
  public static Map<String, List<Long>> positionsByFile(List<TaskDeletes> deletes) {
    Map<String, List<Long>> positions = new LinkedHashMap<>();
    deletes.forEach(
        each -> positions.put(each.task().file().location(), TestEntries.list(each.positions())));
    return positions;
  }

  public record Deleted(DataFile dataFile, long position) {}
}
