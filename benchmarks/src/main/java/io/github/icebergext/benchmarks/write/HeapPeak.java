package io.github.icebergext.benchmarks.write;

import com.sun.management.GarbageCollectionNotificationInfo;
import java.lang.management.ManagementFactory;
import java.util.concurrent.atomic.AtomicLong;
import javax.management.Notification;
import javax.management.NotificationEmitter;
import javax.management.NotificationListener;
import javax.management.openmbean.CompositeData;
import org.jspecify.annotations.Nullable;

/** Watches what this JVM's heap holds after each full collection. */
final class HeapPeak implements NotificationListener {
  private final AtomicLong bytes = new AtomicLong();

  private HeapPeak() {}

  /** Watches from now on. */
  static HeapPeak watched() {
    HeapPeak peak = new HeapPeak();
    ManagementFactory.getGarbageCollectorMXBeans()
        .forEach(
            collector ->
                ((NotificationEmitter) collector).addNotificationListener(peak, null, null));
    return peak;
  }

  /** Returns the most bytes that it has held. */
  long bytes() {
    return bytes.get();
  }

  @Override
  public void handleNotification(Notification notification, @Nullable Object handback) {
    GarbageCollectionNotificationInfo collection =
        GarbageCollectionNotificationInfo.from((CompositeData) notification.getUserData());
    if (collection.getGcAction().equals("end of major GC")) {
      bytes.accumulateAndGet(
          collection.getGcInfo().getMemoryUsageAfterGc().entrySet().stream()
              .filter(pool -> isHeap(pool.getKey()))
              .mapToLong(pool -> pool.getValue().getUsed())
              .sum(),
          Math::max);
    }
  }

  /** Tells whether a pool of the serial collector is a part of the heap. */
  private static boolean isHeap(String pool) {
    return pool.startsWith("Eden") || pool.startsWith("Survivor") || pool.startsWith("Tenured");
  }
}
