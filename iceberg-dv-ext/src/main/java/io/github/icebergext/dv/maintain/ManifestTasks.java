package io.github.icebergext.dv.maintain;

import java.util.concurrent.ExecutorService;
import org.apache.iceberg.exceptions.NotFoundException;
import org.apache.iceberg.util.Tasks;
import org.apache.iceberg.util.ThreadPools;

/**
 * Reads manifests and manifest lists with several threads, and tries again what fails. The threads
 * are its own: Iceberg's worker pool may be full of threads that wait for what is read here.
 */
final class ManifestTasks {
  /** More than processors, since they mostly wait for storage. */
  private static final int THREADS = 16;

  private static final int RETRIES = 3;
  private static final int FIRST_WAIT_MS = 100;
  private static final int LONGEST_WAIT_MS = 1_000;
  private static final int ALL_WAITS_MS = 10_000;

  private ManifestTasks() {}

  /**
   * Runs a task for each item. Returns when all are done.
   *
   * @throws RuntimeException the first failure, after which no further task begins
   */
  static <T> void forEach(Iterable<T> items, Tasks.Task<T, RuntimeException> task) {
    ExecutorService threads = ThreadPools.newFixedThreadPool("puffin-guard", THREADS);
    try {
      Tasks.foreach(items)
          .executeWith(threads)
          .retry(RETRIES)
          .exponentialBackoff(FIRST_WAIT_MS, LONGEST_WAIT_MS, ALL_WAITS_MS, 2.0)
          .stopRetryOn(NotFoundException.class)
          .stopOnFailure()
          .throwFailureWhenFinished()
          .run(task);
    } finally {
      threads.shutdownNow();
    }
  }
}
