package io.github.icebergext.integration;

import org.apache.iceberg.Table;
import org.apache.iceberg.exceptions.CommitFailedException;

/**
 * Tags current snapshots, and removes the tags some expiries later. For some time there is no tag,
 * since Iceberg finds the files of expired snapshots in another way then.
 */
final class SoakTagger implements SoakActor {
  private static final int STEPS = 15;

  private final SoakTable soak;
  private final Table table;
  private int step;
  private int tags;

  SoakTagger(SoakTable soak) {
    this.soak = soak;
    this.table = soak.open();
  }

  @Override
  public String name() {
    return "tagger";
  }

  @Override
  public boolean step() {
    table.refresh();
    try {
      return doNext(step++ % STEPS);
    } catch (CommitFailedException e) {
      step--;
      return false;
    }
  }

  /** Two tags that overlap, each for seven steps, and then none for six. */
  private boolean doNext(int next) {
    switch (next) {
      case 5, 6 -> {
        String tag = "tag-" + (tags + 1);
        long snapshotId = table.currentSnapshot().snapshotId();
        table.manageSnapshots().createTag(tag, snapshotId).commit();
        tags++;
        soak.history().note("created " + tag + " of snapshot " + snapshotId);
      }
      case 12, 13 -> {
        String tag = "tag-" + (tags - 13 + next);
        table.manageSnapshots().removeTag(tag).commit();
        soak.history().note("removed " + tag);
      }
      default -> {
        return false;
      }
    }
    return true;
  }

  @Override
  public int restMillis() {
    return 1000;
  }
}
