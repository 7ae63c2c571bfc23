package io.github.icebergext.dv.read;

import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;

/**
 * The read of a file, done by whichever thread comes first. {@link #run} may be called by any
 * thread, the rest by the one that planned it.
 */
final class FileTask implements Runnable {
  private final FileRead read;

  /** Null once cancelled, so that an executor's queue does not keep what was planned. */
  private volatile @Nullable FutureTask<?> task;

  FileTask(FileRead read, Executor threads) {
    this.read = read;
    this.task = new FutureTask<>(() -> read.read(threads), true);
  }

  @Override
  public void run() {
    FutureTask<?> unbegun = task;
    if (unbegun != null) {
      unbegun.run();
    }
  }

  /**
   * Returns the read when it is done. The calling thread does it itself when no other has begun, so
   * that an executor that never gets round to it cannot block the caller.
   *
   * @throws UncheckedIOException if the thread is interrupted
   */
  FileRead join() {
    FutureTask<?> joined = task;
    if (joined == null) {
      throw new IllegalStateException("The read was cancelled");
    }
    joined.run();
    try {
      joined.get();
      return read;
    } catch (ExecutionException e) {
      throw error(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      InterruptedIOException interrupted = new InterruptedIOException("interrupted while reading");
      interrupted.initCause(e);
      throw new UncheckedIOException(interrupted);
    }
  }

  /** Cancels the read if it has not begun, or makes it stop at its next vector. */
  void cancel() {
    FutureTask<?> unwanted = task;
    task = null;
    read.cancel();
    if (unwanted != null) {
      unwanted.cancel(false);
    }
  }

  /** A read throws nothing but errors. */
  private static RuntimeException error(ExecutionException failure) {
    if (failure.getCause() instanceof Error error) {
      throw error;
    }
    return new IllegalStateException(failure.getCause());
  }
}
