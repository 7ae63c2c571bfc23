package io.github.icebergext.dv;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.NavigableSet;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Seeded random vectors through Iceberg's own classes, in both directions. */
class IcebergAgreementTest {
  private static final int VECTORS = 10_000;

  @Test
  void encodesWhatIcebergWritesForTheSamePositionsInAscendingOrder() {
    Random random = new Random(1);
    for (int i = 0; i < VECTORS; i++) {
      NavigableSet<Long> positions = Vectors.random(random);
      DeletedPositions built = Vectors.of(positions);
      byte[] iceberg = Vectors.icebergBlob(positions);
      assertThat(Vectors.bytes(DeletionVectorCodec.encode(built)))
          .as("vector " + i)
          .isEqualTo(iceberg);
      DeletedPositions decoded = DeletionVectorCodec.decodeOwned(iceberg, positions.size());
      assertThat(Vectors.list(decoded).equals(new ArrayList<>(positions)))
          .as("vector " + i)
          .isTrue();
    }
  }

  @Test
  void encodesTheSameBytesWhateverTheOrderOfCalls() {
    Random random = new Random(2);
    for (int i = 0; i < 300; i++) {
      NavigableSet<Long> positions = Vectors.random(random);
      List<Long> shuffled = new ArrayList<>(positions);
      Collections.shuffle(shuffled, random);
      shuffled.addAll(shuffled.subList(0, shuffled.size() / 2));
      assertThat(Vectors.bytes(DeletionVectorCodec.encode(Vectors.of(shuffled))))
          .as("vector " + i)
          .isEqualTo(Vectors.icebergBlob(positions));
    }
  }
}
