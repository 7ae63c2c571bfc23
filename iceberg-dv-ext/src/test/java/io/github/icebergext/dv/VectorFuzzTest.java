package io.github.icebergext.dv;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;
import io.github.icebergext.testing.Vectors;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.TreeSet;

/** Fuzz targets: replayed on stored inputs in the build, fuzzed with {@code JAZZER_FUZZ=1}. */
class VectorFuzzTest {
  private static final int MAX_WALKED = 1 << 20;

  @FuzzTest
  void decodesOrRefuses(byte[] blob) {
    checkTotal(() -> DeletionVectorCodec.decodeOwned(blob));
    checkTotal(() -> DeletionVectorCodec.decodeOwned(Vectors.blob(blob)));
    checkTotal(
        () ->
            DeltaVectorCodec.decodeStored(ByteBuffer.wrap(blob), 0, Math.max(0, blob.length - 8)));
  }

  @FuzzTest
  void decodesOrRefusesDeltaInline(FuzzedDataProvider data) {
    int sizeInBytes = data.consumeInt(0, 1 << 16);
    byte[] bytes = data.consumeRemainingAsBytes();
    String text = new String(bytes, StandardCharsets.ISO_8859_1);
    checkTotal(() -> DeltaVectorCodec.decodeInline(text, sizeInBytes));
    checkTotal(() -> DeltaVectorCodec.decodeInline(Base85.encode(bytes), bytes.length));
  }

  private interface Decoder {
    DeletedPositions decode();
  }

  private static void checkTotal(Decoder decoder) {
    DeletedPositions decoded;
    try {
      decoded = decoder.decode();
    } catch (InvalidDeletionVectorException e) {
      assertThat(e.getMessage()).isNotBlank();
      return;
    }
    if (decoded.cardinality() <= MAX_WALKED) {
      assertThat(Vectors.positions(decoded)).hasSize((int) decoded.cardinality()).isSorted();
    }
    assertThat(DeletionVectorCodec.decode(DeletionVectorCodec.encode(decoded))).isEqualTo(decoded);
  }

  @FuzzTest
  void buildsAndEncodesLikeASet(FuzzedDataProvider data) {
    DeletedPositions.Builder builder = DeletedPositions.builder();
    TreeSet<Long> expected = new TreeSet<>();
    while (data.remainingBytes() > 0 && expected.size() < MAX_WALKED) {
      long start = data.consumeLong(0, 1L << data.consumeInt(1, 40));
      long length = data.consumeInt(0, 1 << data.consumeInt(0, 17));
      builder.addRange(start, start + length).add(start + 2 * length);
      for (long position = start; position < start + length; position++) {
        expected.add(position);
      }
      expected.add(start + 2 * length);
    }
    long[] ascending = expected.stream().mapToLong(Long::longValue).toArray();
    byte[] blob = Vectors.encode(builder.build());
    assertThat(Vectors.positions(DeletionVectorCodec.decodeOwned(blob, ascending.length)))
        .isEqualTo(ascending);
    assertThat(blob).isEqualTo(Vectors.encode(DeletedPositions.of(ascending)));
  }
}
