package io.github.icebergext.dv.read;

import io.github.icebergext.dv.internal.FooterIndex;
import io.github.icebergext.puffin.ByteRange;
import io.github.icebergext.puffin.Container;
import io.github.icebergext.puffin.PuffinFooter;
import io.github.icebergext.puffin.PuffinFormatException;
import io.github.icebergext.puffin.RangeReader;
import io.github.icebergext.puffin.Reason;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Where the footer of a file comes from: the cache, or the last bytes of the file. */
final class FooterTail {
  /** More than {@link Container#detect} looks at. */
  private static final int HEAD_BYTES = 16;

  private final ReadContext context;
  private final HintedFile file;
  private final RangeReader ranges;

  FooterTail(ReadContext context, HintedFile file, RangeReader ranges) {
    this.context = context;
    this.file = file;
    this.ranges = ranges;
  }

  /** Returns the footer if it is in the cache, or null. */
  @Nullable FooterIndex cached() {
    if (context.footers() == null) {
      return null;
    }
    FooterIndex cached = context.footers().find(file.location(), file.hintedLength());
    if (cached != null) {
      context.events().footerFromCache(file.location());
    }
    return cached;
  }

  /** Returns the bytes to read when the file is taken to end at {@code end}. */
  ByteRange tail(long end) {
    long length = Math.min(Math.max(0, end), context.limits().tailBytes());
    return new ByteRange(Math.max(0, end) - length, length);
  }

  /**
   * Returns the footer, or what the file is if it has none. What of a footer is not at hand is read
   * in one more request.
   *
   * @param tail the last bytes of the file
   * @param end where it is taken to end
   * @throws PuffinFormatException if the footer is unsound, or none ends there and the file does
   *     not either
   */
  FooterIndex read(byte[] tail, long end) {
    try {
      FooterIndex footer = parse(ByteBuffer.wrap(tail), end);
      if (context.footers() != null) {
        context.footers().put(file.location(), file.hintedLength(), footer);
      }
      return footer;
    } catch (PuffinFormatException e) {
      if (e.reason() != Reason.NOT_PUFFIN || end != file.getLength()) {
        throw e;
      }
      return foreign(container(tail, end), e);
    }
  }

  private FooterIndex parse(ByteBuffer tail, long end) {
    int size = PuffinFooter.sizeInBytes(file.location(), tail, end, context.limits());
    ByteBuffer footer = tail;
    if (size > tail.remaining()) {
      ByteRange missing = new ByteRange(end - size, size - tail.remaining());
      footer = ByteBuffer.allocate(size).put(ranges.read(missing)).put(tail).flip();
    }
    return FooterIndex.of(PuffinFooter.parse(file.location(), footer, end, context.limits()));
  }

  private Container container(byte[] tail, long end) {
    byte[] head =
        tail.length == end ? tail : ranges.read(new ByteRange(0, Math.min(HEAD_BYTES, end)));
    return Container.detect(ByteBuffer.wrap(head), ByteBuffer.wrap(tail), end);
  }

  /** A damaged Puffin file is not foreign. */
  private static FooterIndex foreign(Container container, PuffinFormatException failure) {
    return switch (container) {
      case PUFFIN, TRUNCATED_PUFFIN ->
          throw new PuffinFormatException(
              Reason.NOT_PUFFIN, "its file is " + container.description(), failure);
      default -> FooterIndex.foreign(container);
    };
  }
}
