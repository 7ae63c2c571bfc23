package io.github.icebergext.cli.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.icebergext.testing.TestData;
import io.github.icebergext.testing.TestData.CorpusFile;
import java.io.IOException;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.datasketches.theta.UpdateSketch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.EnabledOnJre;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

public class ThetaSketchTest {
  /** What DataSketches 6.2.0 does not refuse, of what the build runs on. */
  @Target(ElementType.METHOD)
  @Retention(RetentionPolicy.RUNTIME)
  @EnabledOnJre(versions = {17, 21})
  private @interface WithDataSketches {}

  /** The compact sketch of no value. */
  private static final byte[] EMPTY = HexFormat.of().parseHex("01030300001ecc93");

  static Stream<CorpusFile> sketches() {
    return TestData.corpusFiles("theta").stream();
  }

  @WithDataSketches
  @ParameterizedTest
  @MethodSource("sketches")
  void estimateIsWhatTheIndexSays(CorpusFile file) throws IOException {
    ThetaSketch.Estimate estimate = ThetaSketch.estimate(ByteBuffer.wrap(file.bytes()));

    double indexed =
        new ObjectMapper().readTree(file.column("decoded")).path("estimate").asDouble();
    assertThat(estimate.problem()).isNull();
    assertThat(estimate.distinctValues()).isNotNull().isEqualTo(indexed, within(1e-6));
  }

  @WithDataSketches
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

  @WithDataSketches
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

  @Test
  void saysThatDataSketchesDoesNotRunOnThisJava() {
    for (Error refusal : List.of(new ExceptionInInitializerError(), new NoClassDefFoundError())) {
      ThetaSketch.Estimate estimate =
          ThetaSketch.estimate(
              ByteBuffer.wrap(EMPTY),
              bytes -> {
                throw refusal;
              });

      assertThat(estimate.note()).isEqualTo(refused());
      assertThat(estimate.problem()).isNull();
      assertThat(estimate.distinctValues()).isNull();
    }
  }

  @EnabledForJreRange(minVersion = 22)
  @Test
  void isNotEstimatedOnANewerJava() {
    assertThat(ThetaSketch.estimate(ByteBuffer.wrap(EMPTY)).note()).isEqualTo(refused());
  }

  /** Returns what is said of a sound sketch where DataSketches does not run. */
  public static String refused() {
    return "no estimate: DataSketches does not run on Java %d, but on 17 and 21"
        .formatted(Runtime.version().feature());
  }

  private static byte[] sketch(int values) {
    UpdateSketch sketch = UpdateSketch.builder().build();
    for (int value = 0; value < values; value++) {
      sketch.update(value);
    }
    return sketch.compact().toByteArray();
  }
}
