package io.github.icebergext.benchmarks.write;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.StructLike;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.BaseDeleteLoader;
import org.apache.iceberg.data.DeleteLoader;
import org.apache.iceberg.deletes.BaseDVFileWriter;
import org.apache.iceberg.deletes.DVFileWriter;
import org.apache.iceberg.deletes.PositionDeleteIndex;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.DeleteWriteResult;
import org.apache.iceberg.io.OutputFileFactory;
import org.jspecify.annotations.Nullable;

/** A workload in the hands of Iceberg's own writer, which is used as its engines do. */
final class IcebergWriting {
  private final Workload workload;
  private final OutputFileFactory outputFiles;
  private final Function<String, @Nullable PositionDeleteIndex> previous;

  /** Plans a scan of the table for the previous deletes' entries, and reads no vector. */
  IcebergWriting(Workload workload) {
    this.workload = workload;
    Table table = workload.table();
    this.outputFiles = OutputFileFactory.builderFor(table, 1, 1).format(FileFormat.PUFFIN).build();
    Map<String, List<DeleteFile>> entries = entries(table);
    DeleteLoader loader = new BaseDeleteLoader(entry -> table.io().newInputFile(entry));
    this.previous =
        dataFile -> {
          List<DeleteFile> deletes = entries.get(dataFile);
          return deletes == null ? null : loader.loadPositionDeletes(deletes, dataFile);
        };
  }

  private static Map<String, List<DeleteFile>> entries(Table table) {
    Map<String, List<DeleteFile>> entries = new HashMap<>();
    try (CloseableIterable<FileScanTask> tasks = table.newScan().planFiles()) {
      tasks.forEach(task -> entries.put(task.file().location(), task.deletes()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return entries;
  }

  /** Returns a writer to which everything was added, file by file. */
  DVFileWriter added() {
    DVFileWriter writer = new BaseDVFileWriter(outputFiles, previous);
    List<DataFile> dataFiles = workload.dataFiles();
    PartitionSpec spec = workload.table().spec();
    for (int i = 0; i < dataFiles.size(); i++) {
      String location = dataFiles.get(i).location();
      StructLike partition = dataFiles.get(i).partition();
      for (long position : workload.positionsOf(i)) {
        writer.delete(location, position, spec, partition);
      }
    }
    return writer;
  }

  /** Returns a writer to which everything was added, one row of each file in turn. */
  DVFileWriter addedInTurn() {
    DVFileWriter writer = new BaseDVFileWriter(outputFiles, previous);
    List<DataFile> dataFiles = workload.dataFiles();
    PartitionSpec spec = workload.table().spec();
    for (int row = 0; row < workload.positionsPerFile(); row++) {
      for (int i = 0; i < dataFiles.size(); i++) {
        DataFile dataFile = dataFiles.get(i);
        writer.delete(
            dataFile.location(), workload.positionsOf(i)[row], spec, dataFile.partition());
      }
    }
    return writer;
  }

  /** Adds everything and writes it. */
  DeleteWriteResult written() {
    return flush(added());
  }

  static DeleteWriteResult flush(DVFileWriter writer) {
    try {
      writer.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return writer.result();
  }

  /** Returns how many rows vectors delete. */
  static long rows(DeleteWriteResult result) {
    return result.deleteFiles().stream().mapToLong(DeleteFile::recordCount).sum();
  }
}
