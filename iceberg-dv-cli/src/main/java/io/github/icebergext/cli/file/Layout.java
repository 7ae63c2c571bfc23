package io.github.icebergext.cli.file;

import io.github.icebergext.cli.text.Json;
import io.github.icebergext.puffin.ByteRange;
import io.github.icebergext.puffin.PuffinFooter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.iceberg.puffin.BlobMetadata;

/**
 * How the blobs of a Puffin file fill it.
 *
 * @param gaps bytes between the first magic and the footer that belong to no blob
 * @param overlaps blobs that share bytes with one that starts before them
 */
record Layout(List<ByteRange> gaps, List<Overlap> overlaps) {
  private static final int MAGIC_BYTES = 4;

  /**
   * Two blobs that share bytes, which is legal.
   *
   * @param blob index of the later one
   * @param with index of one that starts no later
   */
  record Overlap(int blob, int with) {
    Json.Members toJson() {
      return Json.object().put("blob", blob).put("with", with);
    }
  }

  static Layout of(PuffinFooter footer) {
    List<BlobMetadata> blobs = footer.blobs();
    List<ByteRange> gaps = new ArrayList<>();
    List<Overlap> overlaps = new ArrayList<>();
    long end = MAGIC_BYTES;
    int last = -1;
    for (int index : byOffset(blobs)) {
      BlobMetadata blob = blobs.get(index);
      if (blob.offset() > end) {
        gaps.add(new ByteRange(end, blob.offset() - end));
      } else if (blob.offset() < end && last >= 0) {
        overlaps.add(new Overlap(index, last));
      }
      if (blob.offset() + blob.length() > end) {
        end = blob.offset() + blob.length();
        last = index;
      }
    }
    if (footer.offset() > end) {
      gaps.add(new ByteRange(end, footer.offset() - end));
    }
    return new Layout(List.copyOf(gaps), List.copyOf(overlaps));
  }

  /** Returns the number of bytes that belong to no blob. */
  long deadBytes() {
    return gaps.stream().mapToLong(ByteRange::length).sum();
  }

  private static int[] byOffset(List<BlobMetadata> blobs) {
    return IntStream.range(0, blobs.size())
        .filter(index -> blobs.get(index).length() > 0)
        .boxed()
        .sorted(Comparator.comparingLong(index -> blobs.get(index).offset()))
        .mapToInt(Integer::intValue)
        .toArray();
  }
}
