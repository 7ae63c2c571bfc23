package io.github.icebergext.cli.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.puffin.ByteRange;
import org.junit.jupiter.api.Test;

class VectorScanTest {
  @Test
  void cellShowsTheShareOfItsRows() {
    DeletedPositions positions =
        DeletedPositions.builder().addRange(0, 10).add(25).addRange(30, 35).add(40).build();

    VectorScan scan = new VectorScan(positions, 10, 5);

    // Cells of 9 rows: 9 of 9, 1 of 9, 1 of 9, 5 of 9, and 1 of the 5 rows up to the last deleted.
    assertThat(scan.rowsInCell()).isEqualTo(9);
    assertThat(scan.strip()).isEqualTo("█▁▁▄▂");
  }

  @Test
  void fewRowsHaveACellEach() {
    VectorScan scan = new VectorScan(DeletedPositions.builder().add(3).build(), 10, 80);

    assertThat(scan.rowsInCell()).isEqualTo(1);
    assertThat(scan.strip()).isEqualTo("···█");
  }

  @Test
  void hugePositionsFitTheStrip() {
    DeletedPositions positions =
        DeletedPositions.builder().add(0).add(DeletedPositions.MAX_ICEBERG_POSITION).build();

    assertThat(new VectorScan(positions, 10, 8).strip()).isEqualTo("▁······▁");
  }

  @Test
  void rangesAreJoinedAndCounted() {
    DeletedPositions positions =
        DeletedPositions.builder().addRange(65_530, 65_540).add(70_000).add(70_002).build();

    VectorScan scan = new VectorScan(positions, 2, 10);

    assertThat(scan.firstRanges())
        .containsExactly(new ByteRange(65_530, 10), new ByteRange(70_000, 1));
    assertThat(scan.rangeCount()).isEqualTo(3);
  }

  @Test
  void noPositionsHaveTheFingerprintOfNoBytes() {
    VectorScan scan = new VectorScan(DeletedPositions.builder().build(), 10, 10);

    assertThat(scan.fingerprint())
        .isEqualTo("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assertThat(scan.strip()).isEmpty();
    assertThat(scan.rangeCount()).isZero();
  }
}
