package io.github.icebergext.dv;

import java.util.ArrayDeque;
import java.util.Queue;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.encryption.EncryptionManager;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.LocationProvider;
import org.jspecify.annotations.Nullable;

/** A catalog of one table whose next commits fail as they are told to. */
final class FaultyCatalog implements TableOperations {
  private final TableOperations catalog;
  private final Queue<Fault> faults = new ArrayDeque<>();
  private @Nullable RuntimeException gone;
  private boolean goesAfterCommit;

  private record Fault(RuntimeException failure, boolean takesEffect, Runnable before) {}

  FaultyCatalog(TableOperations catalog) {
    this.catalog = catalog;
  }

  /** Makes the next commit fail without any effect. */
  FaultyCatalog failBefore(RuntimeException failure) {
    faults.add(new Fault(failure, false, () -> {}));
    return this;
  }

  /** Makes the next commit fail without any effect, when something else was done. */
  FaultyCatalog failBefore(RuntimeException failure, Runnable before) {
    faults.add(new Fault(failure, false, before));
    return this;
  }

  /** Makes the next commit fail though it succeeds. */
  FaultyCatalog failAfter(RuntimeException failure) {
    faults.add(new Fault(failure, true, () -> {}));
    return this;
  }

  /** Makes the catalog fail to answer as soon as the next commit has succeeded. */
  FaultyCatalog goAwayAfterCommit() {
    goesAfterCommit = true;
    return this;
  }

  /** Makes the catalog fail to answer. */
  void goAway(RuntimeException failure) {
    gone = failure;
  }

  void comeBack() {
    gone = null;
  }

  @Override
  public TableMetadata current() {
    checkIsThere();
    return catalog.current();
  }

  @Override
  public TableMetadata refresh() {
    checkIsThere();
    return catalog.refresh();
  }

  private void checkIsThere() {
    if (gone != null) {
      throw gone;
    }
  }

  @Override
  public void commit(TableMetadata base, TableMetadata metadata) {
    Fault fault = faults.poll();
    if (fault == null) {
      catalog.commit(base, metadata);
      gone = goesAfterCommit ? new IllegalStateException("no catalog") : null;
      return;
    }
    fault.before().run();
    if (fault.takesEffect()) {
      catalog.commit(base, metadata);
    }
    throw fault.failure();
  }

  @Override
  public FileIO io() {
    return catalog.io();
  }

  @Override
  public EncryptionManager encryption() {
    return catalog.encryption();
  }

  @Override
  public String metadataFileLocation(String fileName) {
    return catalog.metadataFileLocation(fileName);
  }

  @Override
  public LocationProvider locationProvider() {
    return catalog.locationProvider();
  }

  @Override
  public long newSnapshotId() {
    return catalog.newSnapshotId();
  }
}
