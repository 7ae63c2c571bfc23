package io.github.icebergext.dv.read;

import io.github.icebergext.dv.internal.FooterIndex;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The footers that a batch met last, so that a file whose vectors span windows has its footer read
 * once. Holds a number of bytes at most, and about as many again of footers that were read in
 * advance.
 *
 * <p>Belongs to the thread that iterates, except for {@link #reserve} and {@link #claim}.
 */
final class FooterMemo {
  private final Map<String, Footer> footers = new LinkedHashMap<>(16, 0.75f, true);
  private final long maxBytes;
  private final AtomicLong reserved = new AtomicLong();
  private long bytes;

  FooterMemo(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  /** Returns the footer of a file that an earlier window asked for, or null. */
  @Nullable Footer find(String location) {
    return footers.get(location);
  }

  /** Notes that a window asks for the footer of a file. */
  Footer expect(String location) {
    Footer footer = new Footer(location);
    footers.put(location, footer);
    return footer;
  }

  /** Tells whether there is room for a footer that was just read, and takes it. */
  boolean reserve(FooterIndex index) {
    if (reserved.addAndGet(index.bytes()) <= maxBytes) {
      return true;
    }
    reserved.addAndGet(-index.bytes());
    return false;
  }

  /**
   * Takes room for a footer that the next window is likely to need, whether there is any or not.
   */
  boolean claim(FooterIndex index) {
    reserved.addAndGet(index.bytes());
    return true;
  }

  /** The footer of a file, as a later window finds it. */
  final class Footer {
    private final String location;
    private @Nullable FooterIndex index;
    private @Nullable RuntimeException failure;

    private Footer(String location) {
      this.location = location;
    }

    /**
     * Returns the footer, or null if there was no room for it.
     *
     * @throws RuntimeException why it was not read
     */
    @Nullable FooterIndex index() {
      if (failure != null) {
        throw failure;
      }
      return index;
    }

    /** Keeps what was read, or why it was not. A failure is not told to windows planned later. */
    void settle(FileRead read) {
      failure = read.footerFailure();
      index = read.footer();
      if (index == null) {
        footers.remove(location, this);
      } else {
        reserved.addAndGet(-index.bytes());
        bytes += index.bytes();
        forgetOldest();
      }
    }
  }

  private void forgetOldest() {
    Iterator<Footer> oldest = footers.values().iterator();
    while (bytes > maxBytes && oldest.hasNext()) {
      FooterIndex index = oldest.next().index;
      if (index != null) {
        bytes -= index.bytes();
        oldest.remove();
      }
    }
  }
}
