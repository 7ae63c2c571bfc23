package io.github.icebergext.dv.read;

import java.io.Closeable;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The threads that help one who reads. They need not get round to anything: who needs a task that
 * none has begun does it himself, so that tasks may be dropped. Thread-safe.
 */
final class ReadThreads implements Executor, Closeable {
  private static final String NAME = "deletion-vectors";

  /** When the threads of a batch that was left behind unclosed end. */
  private static final int IDLE_SECONDS = 5;

  private final Executor executor;
  private final Runnable close;

  private ReadThreads(Executor executor, Runnable close) {
    this.executor = executor;
    this.close = close;
  }

  /** Returns threads that are lent, and stay when these are closed. */
  static ReadThreads of(Executor executor) {
    return new ReadThreads(executor, () -> {});
  }

  /** Returns a thread for each task, for who has one or two, and nothing to be closed. */
  static ReadThreads ofOneEach() {
    return of(task -> daemon(task).start());
  }

  /** Returns at most so many threads, which start when there is work and end when closed. */
  static ReadThreads ofAtMost(int threads) {
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            threads,
            threads,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            ReadThreads::daemon);
    pool.allowCoreThreadTimeOut(true);
    return new ReadThreads(pool, pool::shutdown);
  }

  private static Thread daemon(Runnable task) {
    Thread thread = new Thread(task, NAME);
    thread.setDaemon(true);
    return thread;
  }

  @Override
  public void execute(Runnable task) {
    try {
      executor.execute(task);
    } catch (RejectedExecutionException e) {
      // Busy or closed, which makes reading slower and no more.
    }
  }

  /** Ends the threads when what they do is done. Closing again does nothing. */
  @Override
  public void close() {
    close.run();
  }
}
