package io.github.icebergext.integration;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jspecify.annotations.Nullable;

/**
 * Lets actors work at once, and stops all of them for a check every few seconds.
 *
 * <p>Every step of an actor holds the read lock of {@link #pauses}, and a check the write lock.
 */
final class SoakRun {
  private static final long MILLIS_BETWEEN_CHECKS = 4000;
  private static final long MILLIS_OF_THE_LONGEST_STEP = 120_000;

  private final List<SoakActor> actors;
  private final Random random;
  private final Map<String, Steps> steps = new LinkedHashMap<>();
  private final ReadWriteLock pauses = new ReentrantReadWriteLock(true);
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private final CountDownLatch stop = new CountDownLatch(1);

  /** Something to do while no actor is at work. */
  @FunctionalInterface
  interface Check {
    void run() throws IOException, InterruptedException;
  }

  /** What an actor did. */
  private static final class Steps {
    final AtomicInteger all = new AtomicInteger();
    final AtomicInteger effective = new AtomicInteger();

    @Override
    public String toString() {
      return effective + " of " + all;
    }
  }

  SoakRun(List<SoakActor> actors, Random random) {
    this.actors = List.copyOf(actors);
    this.random = random;
    actors.forEach(actor -> steps.put(actor.name(), new Steps()));
  }

  /**
   * Runs for some time, or until an actor or the check fails.
   *
   * @throws AssertionError if one fails
   */
  void run(long seconds, Check check) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    List<Thread> threads = new ArrayList<>();
    for (SoakActor actor : actors) {
      long seed = random.nextLong();
      Thread thread = new Thread(() -> act(actor, new Random(seed)), actor.name());
      thread.setDaemon(true);
      thread.start();
      threads.add(thread);
    }
    try {
      while (!stop.await(Math.min(MILLIS_BETWEEN_CHECKS, left(end)), TimeUnit.MILLISECONDS)
          && left(end) > 0) {
        pause(check);
      }
    } finally {
      stop.countDown();
      for (Thread thread : threads) {
        thread.join(MILLIS_OF_THE_LONGEST_STEP);
      }
    }
    if (failure.get() == null) {
      pause(check);
    }
    if (failure.get() != null) {
      throw new AssertionError("The soak failed; steps: " + steps, failure.get());
    }
  }

  private static long left(long end) {
    return Math.max(0, TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime()));
  }

  private void pause(Check check) throws InterruptedException {
    if (!pauses.writeLock().tryLock(MILLIS_OF_THE_LONGEST_STEP, TimeUnit.MILLISECONDS)) {
      fail(new AssertionError("A step does not end: " + Thread.getAllStackTraces()));
      return;
    }
    try {
      check.run();
    } catch (IOException | RuntimeException | AssertionError e) {
      fail(e);
    } finally {
      pauses.writeLock().unlock();
    }
  }

  private void act(SoakActor actor, Random rests) {
    Steps done = steps.get(actor.name());
    try {
      int rest = actor.restMillis() / 2;
      while (!stop.await(rest + rests.nextInt(rest + 1), TimeUnit.MILLISECONDS)) {
        pauses.readLock().lock();
        try {
          if (stop.getCount() > 0) {
            done.all.incrementAndGet();
            done.effective.addAndGet(actor.step() ? 1 : 0);
          }
        } finally {
          pauses.readLock().unlock();
        }
      }
    } catch (Throwable e) {
      fail(new AssertionError(actor.name() + " failed", e));
    }
  }

  private void fail(Throwable e) {
    failure.compareAndSet(null, e);
    stop.countDown();
  }

  /** Makes sure that every actor did something that took effect. */
  void checkAllWorked() {
    assertThat(steps)
        .allSatisfy((name, done) -> assertThat(done.effective.get()).as(name).isPositive());
  }

  @Override
  public String toString() {
    return steps.toString();
  }
}
