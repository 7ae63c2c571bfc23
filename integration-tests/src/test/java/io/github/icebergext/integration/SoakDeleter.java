package io.github.icebergext.integration;

import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.dv.commit.RewrittenFilePolicy;
import io.github.icebergext.dv.table.LiveDeletes;
import io.github.icebergext.dv.write.CommittedVectors;
import io.github.icebergext.dv.write.DeletionVectorWriter;
import io.github.icebergext.dv.write.DroppedDeletes;
import io.github.icebergext.dv.write.FlushResult;
import io.github.icebergext.dv.write.PartialDeletes;
import io.github.icebergext.dv.write.UnchangedVectorPolicy;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.Table;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.exceptions.NotFoundException;
import org.apache.iceberg.exceptions.ValidationException;

/** A service that deletes rows with our writer, round after round. */
final class SoakDeleter implements SoakActor {
  private static final int FILES = 4;
  private static final int ATTEMPTS = 20;

  private final String name;
  private final SoakTable soak;
  private final Table table;
  private final Random random;
  private final UnchangedVectorPolicy unchanged;
  private DeletionVectorWriter writer;

  SoakDeleter(String name, SoakTable soak, Random random, UnchangedVectorPolicy unchanged) {
    this.name = name;
    this.soak = soak;
    this.table = soak.open();
    this.random = random;
    this.unchanged = unchanged;
    this.writer = newWriter();
  }

  private DeletionVectorWriter newWriter() {
    return DeletionVectorWriter.builder(table, LiveDeletes.of(table))
        .withUnchangedVectors(unchanged)
        .build();
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public boolean step() throws IOException {
    table.refresh();
    Map<DataFile, DeletedPositions> given = new HashMap<>();
    for (FileScanTask task : SoakTable.some(SoakTable.plan(table.newScan()), FILES, random)) {
      given.put(task.file(), SoakTable.somePositions(task.file(), random));
    }
    given.forEach(writer::delete);
    CommittedVectors committed = commit();
    note(given, committed);
    return committed.snapshotId().isPresent();
  }

  /** A writer that could not commit has its positions, and tries again. */
  private CommittedVectors commit() {
    RuntimeException last = new IllegalStateException();
    FlushResult result = flush();
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      try {
        return result.newCommit().withRewrittenFiles(RewrittenFilePolicy.DROP).commit();
      } catch (CommitFailedException | ValidationException e) {
        last = e;
        result = flush();
      } catch (NotFoundException e) {
        // Something expired while it was read. The result is open still.
        soak.history().note("commits again: " + e);
        last = e;
      }
    }
    throw last;
  }

  /**
   * Flushes. Where a writer rested for so long that what it knows has expired, another one takes
   * its place.
   */
  private FlushResult flush() {
    try {
      return writer.flush();
    } catch (NotFoundException | IllegalArgumentException e) {
      soak.history().note("takes another writer: " + e);
      PartialDeletes positions = writer.takePartial();
      table.refresh();
      writer = newWriter();
      writer.delete(positions);
      return writer.flush();
    }
  }

  private void note(Map<DataFile, DeletedPositions> given, CommittedVectors committed) {
    Map<String, DeletedPositions> dropped = new HashMap<>();
    for (DroppedDeletes drop : committed.dropped()) {
      soak.history().note("dropped " + drop);
      dropped.put(drop.dataFile(), drop.positions());
    }
    LongStream.Builder all = LongStream.builder();
    given.forEach(
        (dataFile, positions) -> {
          DeletedPositions not = dropped.getOrDefault(dataFile.location(), DeletedPositions.of());
          LongStream.of(soak.ids(dataFile.location(), positions.difference(not))).forEach(all::add);
        });
    long[] ids = all.build().toArray();
    committed
        .snapshotId()
        .ifPresentOrElse(
            snapshotId -> soak.ledger().deleted(snapshotId, ids),
            () -> soak.ledger().deletedBefore(ids));
  }
}
