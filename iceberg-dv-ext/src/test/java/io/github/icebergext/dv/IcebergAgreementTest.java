package io.github.icebergext.dv;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.icebergext.testing.Vectors;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Seeded random vectors of all container kinds through Iceberg's own classes, both ways. */
class IcebergAgreementTest {
  private static final int VECTORS = 10_000;

  @Test
  void encodesWhatIcebergWritesAndDecodesItForThousandsOfVectors() {
    Random random = new Random(1);
    for (int i = 0; i < VECTORS; i++) {
      long[] positions = Vectors.random(random);
      byte[] iceberg = Vectors.icebergBlob(positions);
      DeletedPositions built = DeletedPositions.of(positions);
      assertSame(i, Vectors.encode(built), iceberg);
      DeletedPositions decoded = DeletionVectorCodec.decodeOwned(iceberg, positions.length);
      assertThat(Vectors.positions(decoded)).as("vector %d", i).isEqualTo(positions);
      assertSame(i, Vectors.encode(decoded), iceberg);
    }
  }

  @Test
  void icebergReadsWhatIsEncodedForThousandsOfVectors() {
    Random random = new Random(2);
    for (int i = 0; i < VECTORS; i++) {
      long[] positions = Vectors.random(random);
      byte[] blob = Vectors.encode(DeletedPositions.of(positions));
      assertThat(Vectors.icebergPositions(blob, positions.length))
          .as("vector %d", i)
          .isEqualTo(positions);
    }
  }

  @Test
  void encodesTheSameBytesWhateverTheOrderOfCalls() {
    Random random = new Random(3);
    for (int i = 0; i < 500; i++) {
      long[] positions = Vectors.random(random);
      DeletedPositions.Builder builder = DeletedPositions.builder();
      addShuffled(positions, random, builder);
      builder.addAll(positions, 0, positions.length / 2);
      assertSame(i, Vectors.encode(builder.build()), Vectors.icebergBlob(positions));
    }
  }

  private static void addShuffled(
      long[] positions, Random random, DeletedPositions.Builder builder) {
    long[] shuffled = positions.clone();
    for (int i = shuffled.length - 1; i > 0; i--) {
      int j = random.nextInt(i + 1);
      long other = shuffled[j];
      shuffled[j] = shuffled[i];
      shuffled[i] = other;
    }
    for (long position : shuffled) {
      builder.add(position);
    }
  }

  @Test
  void readsTheEmptyBitmapsThatIcebergWritesAndNeverWritesThem() {
    // apache/iceberg-go#866: Iceberg writes a bitmap for each key below the highest.
    long[] positions = {1, (5L << 32) + 1};
    byte[] iceberg = Vectors.icebergBlob(positions);
    DeletedPositions decoded = DeletionVectorCodec.decodeOwned(iceberg, 2);
    assertThat(Vectors.positions(decoded)).containsExactly(positions);
    assertThat(iceberg).hasSize(20 + 6 * 4 + 2 * 18 + 4 * 8);
    assertThat(Vectors.encode(decoded)).hasSize(20 + 2 * 4 + 2 * 18);
    assertThat(Vectors.icebergPositions(Vectors.encode(decoded), 2)).containsExactly(positions);
  }

  private static void assertSame(int vector, byte[] actual, byte[] expected) {
    assertThat(actual).as("vector %d", vector).isEqualTo(expected);
  }
}
