package io.github.icebergext.cli.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.icebergext.puffin.ByteRange;
import io.github.icebergext.puffin.PuffinFooter;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.iceberg.puffin.BlobMetadata;
import org.junit.jupiter.api.Test;

class LayoutTest {
  private static Layout layout(long footerOffset, ByteRange... blobs) {
    List<BlobMetadata> metadata =
        Stream.of(blobs)
            .map(
                range ->
                    new BlobMetadata(
                        "t", List.of(), 1, 1, range.offset(), range.length(), null, Map.of()))
            .toList();
    return Layout.of(new PuffinFooter(metadata, Map.of(), false, footerOffset, 100));
  }

  @Test
  void blobsThatFillTheFileLeaveNothing() {
    Layout layout = layout(30, new ByteRange(10, 20), new ByteRange(4, 6));

    assertThat(layout.gaps()).isEmpty();
    assertThat(layout.overlaps()).isEmpty();
    assertThat(layout.deadBytes()).isZero();
  }

  @Test
  void gapsAreBeforeBetweenAndAfterBlobs() {
    Layout layout = layout(40, new ByteRange(6, 4), new ByteRange(20, 10));

    assertThat(layout.gaps())
        .containsExactly(new ByteRange(4, 2), new ByteRange(10, 10), new ByteRange(30, 10));
    assertThat(layout.deadBytes()).isEqualTo(22);
  }

  @Test
  void fileWithoutBlobsMayHaveDeadBytes() {
    assertThat(layout(9).gaps()).containsExactly(new ByteRange(4, 5));
    assertThat(layout(4).gaps()).isEmpty();
  }

  @Test
  void blobOverlapsTheOneThatReachesFurthest() {
    Layout layout = layout(40, new ByteRange(4, 36), new ByteRange(4, 36), new ByteRange(10, 5));

    assertThat(layout.gaps()).isEmpty();
    assertThat(layout.overlaps())
        .containsExactly(new Layout.Overlap(1, 0), new Layout.Overlap(2, 0));
  }

  @Test
  void blobWithoutBytesOverlapsNothing() {
    Layout layout = layout(30, new ByteRange(4, 26), new ByteRange(10, 0));

    assertThat(layout.overlaps()).isEmpty();
  }
}
