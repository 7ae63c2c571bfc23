package io.github.icebergext.integration;

import io.github.icebergext.dv.scan.ScanDeletes;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.iceberg.SnapshotRef;
import org.apache.iceberg.Table;
import org.apache.iceberg.exceptions.NotFoundException;

/** Reads all rows of the current snapshot or of a tagged one, by Iceberg or by us. */
final class SoakReader implements SoakActor {
  private final String name;
  private final SoakTable soak;
  private final Table table;
  private final Random random;

  SoakReader(String name, SoakTable soak, Random random) {
    this.name = name;
    this.soak = soak;
    this.table = soak.open();
    this.random = random;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public boolean step() throws IOException {
    table.refresh();
    List<Long> snapshots = new ArrayList<>();
    snapshots.add(table.currentSnapshot().snapshotId());
    table.refs().values().stream()
        .filter(SnapshotRef::isTag)
        .forEach(tag -> snapshots.add(tag.snapshotId()));
    long snapshotId = snapshots.get(random.nextInt(snapshots.size()));
    try {
      List<Long> ids = SoakTable.ids(read(new ScanRows(table, snapshotId)));
      soak.ledger().read(name, snapshotId, ids);
      return true;
    } catch (NotFoundException e) {
      soak.checkExpired(table, snapshotId, e);
      return false;
    }
  }

  private Map<List<Object>, Integer> read(ScanRows rows) throws IOException {
    return switch (random.nextInt(3)) {
      case 0 -> rows.byIceberg();
      case 1 -> rows.byPosition(ScanDeletes.of(table));
      default -> rows.byDeleteFilter();
    };
  }

  @Override
  public int restMillis() {
    return 300;
  }
}
