package io.github.icebergext.cli.file;

import io.github.icebergext.cli.text.Json;
import io.github.icebergext.cli.text.Numbers;
import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.puffin.ByteRange;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/** Ranges, density and fingerprint of the positions of one vector, from one pass over them. */
public final class VectorScan {
  private static final int DIGEST_BYTES = 1 << 13;

  private final int maxRanges;
  private final List<ByteRange> ranges = new ArrayList<>();
  private final long lastPosition;
  private final long rowsInCell;
  private final long[] cells;
  private final MessageDigest digest = sha256();
  private final ByteBuffer undigested = ByteBuffer.allocate(DIGEST_BYTES);
  private final String fingerprint;
  private long rangeCount;
  private long start;
  private long last = -1;

  /**
   * Scans the positions.
   *
   * @param maxRanges ranges to keep, the first ones
   * @param maxCells cells of the density strip
   */
  public VectorScan(DeletedPositions positions, int maxRanges, int maxCells) {
    this.maxRanges = maxRanges;
    this.lastPosition = positions.isEmpty() ? -1 : positions.lastPosition();
    this.rowsInCell = Math.max(1, lastPosition / maxCells + 1);
    this.cells = new long[lastPosition < 0 ? 0 : (int) (lastPosition / rowsInCell) + 1];
    positions.forEach(this::accept);
    endRange();
    digest.update(undigested.flip());
    this.fingerprint = HexFormat.of().formatHex(digest.digest());
  }

  private void accept(long position) {
    cells[(int) (position / rowsInCell)]++;
    if (!undigested.hasRemaining()) {
      digest.update(undigested.flip());
      undigested.clear();
    }
    undigested.putLong(position);
    if (last < 0 || position != last + 1) {
      endRange();
      start = position;
    }
    last = position;
  }

  private void endRange() {
    if (last >= 0) {
      rangeCount++;
      if (ranges.size() < maxRanges) {
        ranges.add(new ByteRange(start, last - start + 1));
      }
    }
  }

  /** Returns the first ranges of neighbouring positions. */
  List<ByteRange> firstRanges() {
    return ranges;
  }

  /** Returns the number of ranges of neighbouring positions. */
  public long rangeCount() {
    return rangeCount;
  }

  /** Returns the first ranges as JSON objects. */
  public List<Json.Members> rangesJson() {
    return ranges.stream().map(VectorScan::rangeJson).toList();
  }

  private static Json.Members rangeJson(ByteRange range) {
    return Json.object().put("startInclusive", range.offset()).put("endExclusive", range.end());
  }

  /** Returns the first ranges as words, and how many more there are. */
  public List<String> rangesText() {
    List<String> shown = new ArrayList<>();
    for (ByteRange range : ranges) {
      String start = Numbers.count(range.offset());
      shown.add(range.length() == 1 ? start : start + "–" + Numbers.count(range.end() - 1));
    }
    long more = rangeCount - shown.size();
    if (more > 0) {
      shown.add("… and " + Numbers.count(more) + " more");
    }
    return shown;
  }

  /** Returns SHA-256 of the ascending positions, 8 bytes big-endian each, in hexadecimal. */
  String fingerprint() {
    return fingerprint;
  }

  /** Returns the rows that a cell of the strip stands for. */
  long rowsInCell() {
    return rowsInCell;
  }

  /**
   * Draws the share of deleted rows from the first row to the last deleted one: a dot for none, a
   * full block for all, and between them the higher the more.
   */
  public String strip() {
    StringBuilder strip = new StringBuilder(cells.length);
    for (int i = 0; i < cells.length; i++) {
      strip.append(block(cells[i], Math.min(rowsInCell, lastPosition - i * rowsInCell + 1)));
    }
    return strip.toString();
  }

  private static char block(long deleted, long rows) {
    if (deleted == 0) {
      return '·';
    }
    return deleted == rows ? '█' : (char) ('▁' + (int) Math.min(6, 7.0 * deleted / rows));
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
