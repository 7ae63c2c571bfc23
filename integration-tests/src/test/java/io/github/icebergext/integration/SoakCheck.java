package io.github.icebergext.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.icebergext.dv.table.LiveDeletes;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotRef;
import org.apache.iceberg.Table;

/** What must hold for the table of a soak whenever nobody is at work. */
final class SoakCheck {
  private static final long STREAMS_CLOSE_WITHIN_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final SoakTable soak;
  private final SoakExpiry expiry;
  private int checks;
  private int mostSnapshots;
  private int mostFiles;

  SoakCheck(SoakTable soak, SoakExpiry expiry) {
    this.soak = soak;
    this.expiry = expiry;
  }

  /** Returns how often everything was checked. */
  int checks() {
    return checks;
  }

  int mostSnapshots() {
    return mostSnapshots;
  }

  int mostFiles() {
    return mostFiles;
  }

  void run() throws IOException, InterruptedException {
    soak.history().note("checks");
    Table table = soak.open();
    List<Long> expected = soak.ledger().settle(table);
    checkFiles(table);
    checkRows(table, expected);
    checkStreams();
    checks++;
  }

  private void checkRows(Table table, List<Long> expected) throws IOException {
    Snapshot current = table.currentSnapshot();
    checkVectors(table, current);
    SoakLedger.check("current rows", SoakTable.ids(table, current.snapshotId()), expected);
    for (Map.Entry<String, SnapshotRef> ref : table.refs().entrySet()) {
      if (ref.getValue().isTag()) {
        long snapshotId = ref.getValue().snapshotId();
        checkVectors(table, table.snapshot(snapshotId));
        SoakLedger.check(
            "rows of " + ref.getKey() + " at snapshot " + snapshotId,
            SoakTable.ids(table, snapshotId),
            soak.ledger().tagged(snapshotId));
      }
    }
  }

  private static void checkVectors(Table table, Snapshot snapshot) {
    LiveDeletes live = LiveDeletes.of(table, snapshot);
    assertThat(live.duplicateVectors()).isEmpty();
    assertThat(live.danglingVectors()).isEmpty();
  }

  private void checkFiles(Table table) throws IOException {
    Set<String> existing = SoakFiles.existing(soak.folder());
    SoakFiles named = SoakFiles.of(table);
    checkNone("lost, although the metadata needs them", named.lost(existing));
    Set<String> left = named.leftIn(existing);
    expiry.forgive(left, existing);
    checkNone("left, although nothing names them", left);
    soak.keepOnly(existing);
    mostFiles = Math.max(mostFiles, existing.size());
    mostSnapshots = Math.max(mostSnapshots, named.snapshots());
  }

  private void checkNone(String fault, Set<String> files) {
    if (!files.isEmpty()) {
      String first = files.iterator().next();
      throw new AssertionError(
          "%.1f s: files that are %s: %d, the first of them %s%n  %s%nAll that happened: %s"
              .formatted(
                  soak.history().seconds(),
                  fault,
                  files.size(),
                  first,
                  String.join("\n  ", soak.history().of(first)),
                  soak.history()));
    }
  }

  /** Threads of Iceberg's pool may be about to close what they have read to its end. */
  private void checkStreams() throws InterruptedException {
    long end = System.nanoTime() + STREAMS_CLOSE_WITHIN_NANOS;
    Collection<String> open = soak.storage().openStreams();
    while (!open.isEmpty() && System.nanoTime() < end) {
      Thread.sleep(20);
      open = soak.storage().openStreams();
    }
    assertThat(open).as("open streams").isEmpty();
  }
}
