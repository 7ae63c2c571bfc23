package io.github.icebergext.integration;

import java.io.IOException;
import java.util.Random;
import org.apache.iceberg.AppendFiles;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.Table;
import org.apache.iceberg.exceptions.CommitFailedException;

/** Appends data files as long as there are fewer rows than there should be. */
final class SoakAppender implements SoakActor {
  static final int ROWS = 200;

  private final SoakTable soak;
  private final Table table;
  private final Random random;
  private final long mostRows;

  SoakAppender(SoakTable soak, Random random, long mostRows) {
    this.soak = soak;
    this.table = soak.open();
    this.random = random;
    this.mostRows = mostRows;
  }

  @Override
  public String name() {
    return "appender";
  }

  @Override
  public boolean step() throws IOException {
    return soak.ledger().estimate() < mostRows && append(random.nextInt(SoakTable.PARTITIONS));
  }

  boolean append(int partition) throws IOException {
    long[] ids = soak.newIds(partition, ROWS);
    DataFile dataFile = soak.write(table, ids);
    AppendFiles append = random.nextBoolean() ? table.newAppend() : table.newFastAppend();
    try {
      append.appendFile(dataFile).commit();
    } catch (CommitFailedException e) {
      table.io().deleteFile(dataFile.location());
      return false;
    }
    soak.ledger().appended(SoakTable.snapshotId(append), ids);
    return true;
  }
}
