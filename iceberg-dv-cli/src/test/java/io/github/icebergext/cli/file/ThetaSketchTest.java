package io.github.icebergext.cli.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.icebergext.testing.TestData;
import io.github.icebergext.testing.TestData.CorpusFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.datasketches.theta.UpdateSketch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledForJreRange;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@DisabledForJreRange(
    minVersion = 22,
    disabledReason = "DataSketches 6.2.0 runs on Java 8, 11, 17 and 21")
class ThetaSketchTest {
  static Stream<CorpusFile> sketches() {
    return TestData.corpusFiles("theta").stream();
  }

  @ParameterizedTest
  @MethodSource("sketches")
  void estimateIsWhatTheIndexSays(CorpusFile file) throws IOException {
    ThetaSketch.Estimate estimate = ThetaSketch.estimate(ByteBuffer.wrap(file.bytes()));

    double indexed =
        new ObjectMapper().readTree(file.column("decoded")).path("estimate").asDouble();
    assertThat(estimate.problem()).isNull();
    assertThat(estimate.distinctValues()).isNotNull().isEqualTo(indexed, within(1e-6));
  }

  @Test
  void everyPrefixOfASketchIsRefused() {
    byte[] sketch = sketch(100);

    for (int length = 0; length < sketch.length; length++) {
      ThetaSketch.Estimate estimate =
          ThetaSketch.estimate(ByteBuffer.wrap(Arrays.copyOf(sketch, length)));
      assertThat(estimate.problem()).as("length %d", length).contains("theta sketch");
      assertThat(estimate.distinctValues()).isNull();
    }
  }

  @Test
  void bytesOfAnyKindAreAnEstimateOrAProblem() {
    Random random = new Random(42);
    byte[] sketch = sketch(50);
    for (int i = 0; i < 20_000; i++) {
      byte[] mutated = sketch.clone();
      for (int flips = random.nextInt(4); flips >= 0; flips--) {
        mutated[random.nextInt(24)] = (byte) random.nextInt();
      }
      ThetaSketch.Estimate estimate = ThetaSketch.estimate(ByteBuffer.wrap(mutated));
      assertThat(estimate.problem() == null).isEqualTo(estimate.distinctValues() != null);
    }
  }

  private static byte[] sketch(int values) {
    UpdateSketch sketch = UpdateSketch.builder().build();
    for (int value = 0; value < values; value++) {
      sketch.update(value);
    }
    return sketch.compact().toByteArray();
  }
}
