package io.github.icebergext.integration;

import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.RewriteFiles;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.exceptions.NotFoundException;
import org.apache.iceberg.exceptions.ValidationException;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.io.CloseableIterable;

/** Rewrites the rows that are left in small data files of a partition into one. */
final class SoakCompactor implements SoakActor {
  private static final int FILES_TO_KEEP = 6;

  private final SoakTable soak;
  private final Table table;
  private final Random random;

  SoakCompactor(SoakTable soak, Random random) {
    this.soak = soak;
    this.table = soak.open();
    this.random = random;
  }

  @Override
  public String name() {
    return "compaction";
  }

  @Override
  public boolean step() throws IOException {
    table.refresh();
    long start = table.currentSnapshot().snapshotId();
    String partition = SoakTable.partition(random.nextInt(SoakTable.PARTITIONS));
    List<FileScanTask> tasks =
        SoakTable.plan(
            table.newScan().useSnapshot(start).filter(Expressions.equal("part", partition)));
    if (tasks.size() <= FILES_TO_KEEP) {
      return false;
    }
    tasks.sort(Comparator.comparingLong(SoakCompactor::rowsLeft));
    try {
      return rewrite(start, tasks.subList(0, 2 + random.nextInt(2)));
    } catch (NotFoundException e) {
      soak.checkExpired(table, start, e);
      return false;
    }
  }

  private static long rowsLeft(FileScanTask task) {
    return task.file().recordCount()
        - task.deletes().stream().mapToLong(vector -> vector.recordCount()).sum();
  }

  private boolean rewrite(long start, List<FileScanTask> tasks) throws IOException {
    long[] ids = rows(start, tasks);
    RewriteFiles rewrite = table.newRewrite().validateFromSnapshot(start);
    for (FileScanTask task : tasks) {
      rewrite.deleteFile(task.file());
      task.deletes().forEach(rewrite::deleteFile);
    }
    DataFile compacted = ids.length == 0 ? null : soak.write(table, ids);
    if (compacted != null) {
      rewrite.addFile(compacted);
    }
    try {
      rewrite.commit();
    } catch (ValidationException | CommitFailedException e) {
      if (compacted != null) {
        table.io().deleteFile(compacted.location());
      }
      return false;
    }
    return true;
  }

  /** Reads the rows that are left in the data files, by Iceberg. */
  private long[] rows(long start, List<FileScanTask> tasks) throws IOException {
    LongStream.Builder ids = LongStream.builder();
    ScanRows rows = new ScanRows(table, start);
    for (FileScanTask task : tasks) {
      try (CloseableIterable<Record> left = rows.left(task)) {
        left.forEach(row -> ids.add((Long) row.get(0)));
      }
    }
    return ids.build().toArray();
  }
}
