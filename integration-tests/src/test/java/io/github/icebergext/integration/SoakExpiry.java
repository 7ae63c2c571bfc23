package io.github.icebergext.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.icebergext.dv.maintain.ExpiryResult;
import io.github.icebergext.dv.maintain.KeptFile;
import io.github.icebergext.dv.maintain.PuffinGuard;
import java.io.IOException;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.iceberg.ExpireSnapshots;
import org.apache.iceberg.Table;
import org.apache.iceberg.exceptions.CommitFailedException;

/** Expires the snapshots that are some seconds old. */
final class SoakExpiry implements SoakActor {
  private static final int RETAIN_MILLIS = 3000;
  private static final int RETAIN_SNAPSHOTS = 5;

  /** How files are deleted. */
  enum Way {
    GUARD,
    GUARD_AS_DELETE_WITH,
    WITHOUT_GUARD
  }

  private final SoakTable soak;
  private final Table table;
  private final Way[] ways;
  private int expiries;
  private int kept;
  private int leftByIceberg;

  /** Files that no snapshot of main had before an expiry, and that none wanted to delete since. */
  private final Set<String> forgiven = new HashSet<>();

  /**
   * @param ways the ways to take in turn
   */
  SoakExpiry(SoakTable soak, Way... ways) {
    this.soak = soak;
    this.table = soak.open();
    this.ways = ways.clone();
  }

  @Override
  public String name() {
    return "expiry";
  }

  /** Returns how many files the guard kept. */
  int kept() {
    return kept;
  }

  /**
   * Deletes files that Iceberg left behind, and takes them out of {@code left}. Where its expiry
   * takes now one way and now the other, it leaves some that a snapshot removed, or that a tagged
   * one had ({@link ExpiryLeftoverTest}). None of them was given to the guard to be deleted since.
   *
   * @param left files that nothing names
   * @param existing all files
   */
  void forgive(Set<String> left, Set<String> existing) {
    forgiven.retainAll(existing);
    for (Iterator<String> files = left.iterator(); files.hasNext(); ) {
      String file = files.next();
      if (forgiven.remove(file)) {
        soak.history().note("left by Iceberg: " + file);
        soak.storage().deleteFile(file);
        files.remove();
        leftByIceberg++;
      }
    }
  }

  /** Returns how many files Iceberg left behind. */
  int leftByIceberg() {
    return leftByIceberg;
  }

  @Override
  public boolean step() throws IOException {
    long before = System.currentTimeMillis() - RETAIN_MILLIS;
    try {
      expire(expiry -> expiry.expireOlderThan(before).retainLast(RETAIN_SNAPSHOTS));
      return true;
    } catch (CommitFailedException e) {
      return false;
    }
  }

  /** Expires all snapshots but the current one and tagged ones. */
  void expireAll() throws IOException {
    expire(expiry -> expiry.expireOlderThan(Long.MAX_VALUE).retainLast(1));
  }

  private void expire(Consumer<ExpireSnapshots> settings) throws IOException {
    table.refresh();
    SoakFiles before = SoakFiles.of(table);
    forgiven.addAll(before.removed());
    forgiven.addAll(before.elsewhere());
    Way way = ways[expiries++ % ways.length];
    soak.history().note("expires, " + way);
    switch (way) {
      case GUARD -> check(PuffinGuard.of(table).expire(settings));
      case GUARD_AS_DELETE_WITH -> {
        PuffinGuard guard = PuffinGuard.of(table);
        ExpireSnapshots expiry = table.expireSnapshots();
        settings.accept(expiry);
        expiry.deleteWith(guard).commit();
        check(guard.result());
      }
      case WITHOUT_GUARD -> {
        ExpireSnapshots expiry = table.expireSnapshots();
        settings.accept(expiry);
        expiry.commit();
      }
    }
  }

  private void check(ExpiryResult result) {
    soak.history().note(result.toString());
    result.deleted().forEach(forgiven::remove);
    result.kept().forEach(file -> forgiven.remove(file.location()));
    result.kept().forEach(file -> soak.history().note("kept " + file));
    kept += result.kept().size();
    assertThat(result.unreadable()).isEmpty();
    assertThat(result.failed()).isEmpty();
    // Live data files are kept up to 1.9, where a snapshot outside of main's history expires.
    assertThat(result.kept())
        .allSatisfy(
            file ->
                assertThat(file.cause())
                    .isIn(KeptFile.Cause.LIVE_DELETES, KeptFile.Cause.LIVE_DATA));
  }

  @Override
  public int restMillis() {
    return 3500;
  }
}
