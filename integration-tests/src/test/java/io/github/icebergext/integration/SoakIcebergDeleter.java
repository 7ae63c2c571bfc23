package io.github.icebergext.integration;

import io.github.icebergext.dv.DeletedPositions;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.RowDelta;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.BaseDeleteLoader;
import org.apache.iceberg.deletes.BaseDVFileWriter;
import org.apache.iceberg.deletes.DVFileWriter;
import org.apache.iceberg.deletes.PositionDeleteIndex;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.exceptions.NotFoundException;
import org.apache.iceberg.exceptions.ValidationException;
import org.apache.iceberg.io.DeleteWriteResult;
import org.apache.iceberg.io.OutputFileFactory;

/** Deletes rows with Iceberg's own writer, as engines do, and begins anew after each conflict. */
final class SoakIcebergDeleter implements SoakActor {
  private static final int FILES = 4;

  private final SoakTable soak;
  private final Table table;
  private final Random random;

  SoakIcebergDeleter(SoakTable soak, Random random) {
    this.soak = soak;
    this.table = soak.open();
    this.random = random;
  }

  @Override
  public String name() {
    return "Iceberg's writer";
  }

  @Override
  public boolean step() throws IOException {
    table.refresh();
    long start = table.currentSnapshot().snapshotId();
    List<FileScanTask> tasks =
        SoakTable.some(SoakTable.plan(table.newScan().useSnapshot(start)), FILES, random);
    try {
      return delete(start, tasks, previous(tasks));
    } catch (NotFoundException e) {
      soak.checkExpired(table, start, e);
      return false;
    }
  }

  private boolean delete(
      long start, List<FileScanTask> tasks, Map<String, PositionDeleteIndex> previous)
      throws IOException {
    LongStream.Builder ids = LongStream.builder();
    DeleteWriteResult written = write(tasks, previous, ids);
    RowDelta rowDelta = table.newRowDelta();
    written.deleteFiles().forEach(rowDelta::addDeletes);
    written.rewrittenDeleteFiles().forEach(rowDelta::removeDeletes);
    rowDelta
        .validateFromSnapshot(start)
        .validateDataFilesExist(written.referencedDataFiles())
        .validateDeletedFiles();
    try {
      rowDelta.commit();
    } catch (ValidationException | CommitFailedException e) {
      written.deleteFiles().forEach(file -> table.io().deleteFile(file.location()));
      return false;
    }
    soak.ledger().deleted(SoakTable.snapshotId(rowDelta), ids.build().toArray());
    return true;
  }

  private Map<String, PositionDeleteIndex> previous(List<FileScanTask> tasks) {
    BaseDeleteLoader loader = new BaseDeleteLoader(table.io()::newInputFile);
    Map<String, PositionDeleteIndex> previous = new HashMap<>();
    for (FileScanTask task : tasks) {
      if (!task.deletes().isEmpty()) {
        String location = task.file().location();
        previous.put(location, loader.loadPositionDeletes(task.deletes(), location));
      }
    }
    return previous;
  }

  private DeleteWriteResult write(
      List<FileScanTask> tasks, Map<String, PositionDeleteIndex> previous, LongStream.Builder ids)
      throws IOException {
    OutputFileFactory files =
        OutputFileFactory.builderFor(table, 1, 1).format(FileFormat.PUFFIN).build();
    DVFileWriter writer = new BaseDVFileWriter(files, previous::get);
    try (writer) {
      for (FileScanTask task : tasks) {
        String location = task.file().location();
        DeletedPositions positions = SoakTable.somePositions(task.file(), random);
        positions.forEach(
            position -> writer.delete(location, position, task.spec(), task.file().partition()));
        LongStream.of(soak.ids(location, positions)).forEach(ids::add);
      }
    }
    return writer.result();
  }
}
