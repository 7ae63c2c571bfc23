package io.github.icebergext.dv.write;

import static io.github.icebergext.testing.TestTables.unpartitioned;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.dv.read.DeletionVectorReader;
import io.github.icebergext.puffin.ByteRange;
import io.github.icebergext.puffin.PuffinFooter;
import io.github.icebergext.puffin.PuffinLimits;
import io.github.icebergext.testing.RecordingFile;
import io.github.icebergext.testing.RecordingFile.Call;
import io.github.icebergext.testing.RecordingFileIO;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.Table;
import org.apache.iceberg.puffin.BlobMetadata;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Why a Puffin file has 200 vectors: what its footer adds to the cost of reading one of them. */
class FooterFitsTailTest {
  private static final int TAIL_BYTES = PuffinLimits.defaults().tailBytes();

  /**
   * An offset and a length at the end of a Puffin file of 64 MiB that 200 vectors share, and the
   * rows of a large data file: numbers as long as they come.
   */
  private static final long OFFSET = 67_000_000;

  private static final long LENGTH = 335_000;
  private static final long CARDINALITY = 99_999_999;

  private final RecordingFileIO io = RecordingFileIO.rangeReadable();
  private final Table table = unpartitioned(io);

  private static String location(int dataFile, int length) {
    String folder = "s3://bucket/warehouse/db/table/data/event_date=2026-01-01/";
    String name = "%05d-0-3f2504e0-4f89-11d3-9a0c-0305e82c3301-00001.parquet".formatted(dataFile);
    return folder + "_".repeat(length - folder.length() - name.length()) + name;
  }

  private static int footerBytes(int vectors, int locationLength) {
    List<BlobMetadata> blobs =
        IntStream.range(0, vectors)
            .mapToObj(dataFile -> blob(location(dataFile, locationLength)))
            .toList();
    Map<String, String> properties = Map.of("created-by", "x".repeat(64));
    return new PuffinFooter(blobs, properties, false, OFFSET, 16).toBytes().remaining();
  }

  private static BlobMetadata blob(String dataFile) {
    Map<String, String> properties = new LinkedHashMap<>();
    properties.put("referenced-data-file", dataFile);
    properties.put("cardinality", Long.toString(CARDINALITY));
    return new BlobMetadata(
        "deletion-vector-v1", List.of(2147483645), -1, -1, OFFSET, LENGTH, null, properties);
  }

  /** Writes one Puffin file of vectors of 2 KB each and returns the first vector. */
  private DeleteFile first(int vectors, int locationLength) {
    DeletionVectorWriter.Builder builder =
        DeletionVectorWriter.builder(table, PreviousDeletes.none(1)).withVectorsPerFile(vectors);
    try (DeletionVectorWriter writer = builder.build()) {
      for (int dataFile = 0; dataFile < vectors; dataFile++) {
        String location = location(dataFile, locationLength);
        DeleteTarget target = DeleteTarget.of(location, table.spec(), null);
        for (int row = 0; row < 1_000; row++) {
          writer.delete(target, row * 997L);
        }
      }
      DeleteFile first = writer.flush().vectors().get(0).entry();
      assertThat(io.locations()).containsExactly(first.location());
      return first;
    }
  }

  @Test
  void theFooterOf200VectorsFitsWhereLocationsHaveAtMost137Characters() {
    assertThat(footerBytes(200, 135)).isEqualTo(200 * (190 + 135) + 122);
    assertThat(footerBytes(200, 137)).isLessThanOrEqualTo(TAIL_BYTES);
    assertThat(footerBytes(200, 138)).isGreaterThan(TAIL_BYTES);
  }

  @Test
  void ofVectorsWithLocationsOf150Characters192Fit() {
    assertThat(footerBytes(200, 150)).isEqualTo(200 * (190 + 150) + 122);
    assertThat(footerBytes(192, 150)).isLessThanOrEqualTo(TAIL_BYTES);
    assertThat(footerBytes(193, 150)).isGreaterThan(TAIL_BYTES);
  }

  /** Each of the two waits until the other one is sent too. */
  @ParameterizedTest
  @ValueSource(ints = {116, 137})
  void oneOf200VectorsCostsTwoRequestsAtOnce(int locationLength) {
    DeleteFile first = first(200, locationLength);
    RecordingFile puffin = io.file(first.location());
    CyclicBarrier both = new CyclicBarrier(2);
    puffin.beforeRead(range -> await(both));

    DeletedPositions positions = DeletionVectorReader.of(table).read(first);

    assertThat(positions.cardinality()).isEqualTo(1_000);
    assertThat(puffin.requests())
        .containsExactlyInAnyOrder(
            new ByteRange(first.contentOffset(), first.contentSizeInBytes()),
            new ByteRange(puffin.size() - TAIL_BYTES, TAIL_BYTES));
    assertThat(puffin.count(Call.LENGTH)).isZero();
  }

  private static void await(CyclicBarrier barrier) {
    try {
      barrier.await(30, TimeUnit.SECONDS);
    } catch (Exception e) {
      throw new AssertionError("the other request was not sent meanwhile", e);
    }
  }

  @ParameterizedTest
  @CsvSource({"10000, 116", "200, 150"})
  void oneOfMoreVectorsThanFitCostsAThirdRequest(int vectors, int locationLength) {
    DeleteFile first = first(vectors, locationLength);
    RecordingFile puffin = io.file(first.location());

    DeletedPositions positions = DeletionVectorReader.of(table).read(first);

    assertThat(positions.cardinality()).isEqualTo(1_000);
    assertThat(puffin.requests()).hasSize(3);
    long footer = vectors * first.contentSizeInBytes() + 4;
    assertThat(puffin.requests().get(2))
        .isEqualTo(new ByteRange(footer, puffin.size() - TAIL_BYTES - footer));
  }
}
