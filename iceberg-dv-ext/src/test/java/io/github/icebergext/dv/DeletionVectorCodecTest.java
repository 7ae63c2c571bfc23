package io.github.icebergext.dv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.icebergext.testing.Vectors;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class DeletionVectorCodecTest {
  /** Positions 3, 5 and 70,000, by hand: two arrays of one bitmap. */
  private static final String GOLDEN =
      "0000002e d1d33964 0100000000000000 00000000 3a300000 02000000 0000 0100 0100 0000"
          + "18000000 1c000000 0300 0500 7011";

  private static final byte[] BLOB = Vectors.icebergBlob(3, 5, 70_000);

  @Test
  void writesTheLayoutOfTheSpecification() {
    byte[] blob = Vectors.encode(DeletedPositions.of(3, 5, 70_000));
    assertThat(Arrays.copyOf(blob, blob.length - 4)).isEqualTo(Vectors.hex(GOLDEN));
    assertThat(blob).isEqualTo(BLOB);
  }

  @Test
  void writesTheSizeThatSparkWroteForEveryTenthOfAThousandRows() {
    long[] positions = LongStream.range(0, 100).map(i -> 10 * i).toArray();
    byte[] blob = Vectors.encode(DeletedPositions.of(positions));
    assertThat(blob).hasSize(240).isEqualTo(Vectors.icebergBlob(positions));
    assertThat(ByteBuffer.wrap(blob).getInt()).isEqualTo(232);
  }

  @Test
  void writesNoBitmapForNoPosition() {
    byte[] blob = Vectors.encode(DeletedPositions.of());
    assertThat(blob).hasSize(20).isEqualTo(Vectors.icebergBlob());
  }

  @Test
  void decodesBuffersOfEveryKindAndLeavesThemAsTheyAre() {
    ByteBuffer heap = ByteBuffer.allocate(100).position(9).put(BLOB).flip().position(9);
    ByteBuffer direct = ByteBuffer.allocateDirect(BLOB.length).put(BLOB).flip();
    ByteBuffer slice = heap.slice().order(ByteOrder.LITTLE_ENDIAN);
    for (ByteBuffer buffer :
        new ByteBuffer[] {heap, direct, slice, heap.asReadOnlyBuffer(), ByteBuffer.wrap(BLOB)}) {
      ByteBuffer before = buffer.duplicate();
      assertThat(Vectors.positions(DeletionVectorCodec.decode(buffer, 3)))
          .containsExactly(3, 5, 70_000);
      assertThat(buffer).isEqualTo(before);
      assertThat(buffer.position()).isEqualTo(before.position());
      assertThat(buffer.limit()).isEqualTo(before.limit());
    }
  }

  @Test
  void copiesABufferButKeepsAnArrayThatItOwns() {
    byte[] blob = BLOB.clone();
    DeletedPositions copied = DeletionVectorCodec.decode(ByteBuffer.wrap(blob));
    DeletedPositions owned = DeletionVectorCodec.decodeOwned(blob);
    Arrays.fill(blob, 40, blob.length, (byte) 0);
    assertThat(copied.isDeleted(3)).isTrue();
    assertThat(owned.isDeleted(3)).isFalse();
  }

  @Test
  void givesTheCallerABufferOfItsOwn() {
    DeletedPositions positions = DeletedPositions.of(3, 5, 70_000);
    Arrays.fill(DeletionVectorCodec.encode(positions).array(), (byte) 0);
    assertThat(Vectors.encode(positions)).isEqualTo(BLOB);
  }

  @Test
  void readsAndWritesTheVectorWithoutItsFrame() throws IOException {
    byte[] vector = Arrays.copyOfRange(BLOB, 8, BLOB.length - 4);
    DeletedPositions positions = DeletionVectorCodec.decodeVector(ByteBuffer.wrap(vector));
    assertThat(positions).isEqualTo(DeletedPositions.of(3, 5, 70_000));
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    DeletionVectorCodec.encodeVector(positions, out);
    assertThat(out.toByteArray()).isEqualTo(vector);
    assertThat(Vectors.encode(positions)).isEqualTo(BLOB);
    assertThat(positions.serializedSizeInBytes() - 12).isEqualTo(vector.length);
  }

  @Test
  void leavesAStreamsExceptionAsItIs() {
    OutputStream broken =
        new OutputStream() {
          @Override
          public void write(int b) throws IOException {
            throw new IOException("disk full");
          }
        };
    assertThatThrownBy(() -> DeletionVectorCodec.encodeVector(DeletedPositions.of(1), broken))
        .isInstanceOf(IOException.class)
        .hasMessage("disk full");
  }

  @Test
  void encodesAPositionNearTheLargestInAFewBytes() {
    for (long position : new long[] {1L << 60, DeletedPositions.MAX_ICEBERG_POSITION}) {
      DeletedPositions positions = DeletedPositions.of(position);
      assertThat(Vectors.encode(positions)).hasSize(42);
      assertThat(DeletionVectorCodec.decode(DeletionVectorCodec.encode(positions)))
          .isEqualTo(positions);
      assertThat(positions.retainedSizeInBytes()).isLessThan(42 + 16 + 256);
    }
  }
}
