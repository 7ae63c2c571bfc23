package io.github.icebergext.testing;

import java.util.ArrayDeque;
import java.util.Queue;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.jspecify.annotations.Nullable;

/** A catalog of one table whose next commits fail as they are told to. */
public final class FaultyCatalog extends DelegatingOperations {
  private final Queue<Fault> faults = new ArrayDeque<>();
  private @Nullable RuntimeException gone;
  private boolean goesAfterCommit;

  private record Fault(RuntimeException failure, boolean takesEffect, Runnable before) {}

  public FaultyCatalog(TableOperations catalog) {
    super(catalog);
  }

  /** Makes the next commit fail without any effect. */
  public FaultyCatalog failBefore(RuntimeException failure) {
    faults.add(new Fault(failure, false, () -> {}));
    return this;
  }

  /** Makes the next commit fail without any effect, when something else was done. */
  public FaultyCatalog failBefore(RuntimeException failure, Runnable before) {
    faults.add(new Fault(failure, false, before));
    return this;
  }

  /** Makes the next commit fail though it succeeds. */
  public FaultyCatalog failAfter(RuntimeException failure) {
    faults.add(new Fault(failure, true, () -> {}));
    return this;
  }

  /** Makes the catalog fail to answer as soon as the next commit has succeeded. */
  public FaultyCatalog goAwayAfterCommit() {
    goesAfterCommit = true;
    return this;
  }

  /** Makes the catalog fail to answer. */
  public void goAway(RuntimeException failure) {
    gone = failure;
  }

  public void comeBack() {
    gone = null;
  }

  @Override
  public TableMetadata current() {
    checkIsThere();
    return super.current();
  }

  @Override
  public TableMetadata refresh() {
    checkIsThere();
    return super.refresh();
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
      super.commit(base, metadata);
      gone = goesAfterCommit ? new IllegalStateException("no catalog") : null;
      return;
    }
    fault.before().run();
    if (fault.takesEffect()) {
      super.commit(base, metadata);
    }
    throw fault.failure();
  }
}
