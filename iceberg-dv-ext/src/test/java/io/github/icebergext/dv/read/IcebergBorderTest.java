package io.github.icebergext.dv.read;

import static io.github.icebergext.puffin.Reason.CARDINALITY;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.dv.DeletionVectorBlob;
import io.github.icebergext.dv.InvalidDeletionVectorException;
import io.github.icebergext.testing.Vectors;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.deletes.Deletes;
import org.apache.iceberg.deletes.PositionDeleteIndex;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.puffin.Blob;
import org.apache.iceberg.puffin.BlobMetadata;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What comes out as Iceberg's types, and goes in as them. */
class IcebergBorderTest {
  private static final DeletedPositions POSITIONS = DeletedPositions.of(3, 5, 70_000);
  private static final PositionDeleteIndex INDEX = POSITIONS.asPositionDeleteIndex();

  @Test
  void answersAsIcebergsIndex() {
    assertThat(INDEX.isDeleted(5)).isTrue();
    assertThat(INDEX.isDeleted(6)).isFalse();
    assertThat(INDEX.isDeleted(-1)).isFalse();
    assertThat(INDEX.isEmpty()).isFalse();
    assertThat(INDEX.isNotEmpty()).isTrue();
    assertThat(INDEX.cardinality()).isEqualTo(3);
    List<Long> seen = new ArrayList<>();
    INDEX.forEach(seen::add);
    assertThat(seen).containsExactly(3L, 5L, 70_000L);
    assertThat(Vectors.bytes(INDEX.serialize())).isEqualTo(Vectors.icebergBlob(3, 5, 70_000));
  }

  @Test
  void overridesTheRangeMethodOfNewerIcebergs() throws ReflectiveOperationException {
    Method method =
        INDEX.getClass().getMethod("forEachInRange", long.class, long.class, LongConsumer.class);
    method.setAccessible(true);
    List<Long> seen = new ArrayList<>();
    method.invoke(INDEX, 4L, 70_000L, (LongConsumer) seen::add);
    assertThat(seen).containsExactly(5L);
  }

  @Test
  void refusesToBeChangedThroughIcebergsIndex() {
    PositionDeleteIndex other = DeletedPositions.of(1).asPositionDeleteIndex();
    for (Runnable change :
        List.<Runnable>of(
            () -> INDEX.delete(1), () -> INDEX.delete(1, 3), () -> INDEX.merge(other))) {
      assertThatThrownBy(change::run)
          .isInstanceOf(UnsupportedOperationException.class)
          .hasMessageContaining("read-only");
    }
    assertThat(INDEX.cardinality()).isEqualTo(3);
  }

  @Test
  void mergesIntoAnIndexOfIceberg() {
    PositionDeleteIndex index = Deletes.toPositionIndex(CloseableIterable.empty());
    index.delete(4);
    index.merge(INDEX);
    assertThat(Vectors.positions(DeletedPositions.copyOf(index))).containsExactly(3, 4, 5, 70_000);
  }

  @Test
  void givesBackTheDeleteFiles() {
    DeleteFile file = Vectors.deleteFile(50, 3);
    assertThat(POSITIONS.asPositionDeleteIndex(file).deleteFiles()).containsExactly(file);
    assertThat(INDEX.deleteFiles()).isEmpty();
  }

  @Test
  void makesTheBlobThatTheSpecificationAsksFor() {
    Blob blob = POSITIONS.toBlob("s3://b/data 1%.parquet");
    assertThat(blob.type()).isEqualTo("deletion-vector-v1");
    assertThat(blob.inputFields()).containsExactly(2147483645);
    assertThat(blob.snapshotId()).isEqualTo(-1);
    assertThat(blob.sequenceNumber()).isEqualTo(-1);
    assertThat(blob.requestedCompression()).isNull();
    assertThat(Vectors.bytes(blob.blobData())).isEqualTo(Vectors.icebergBlob(3, 5, 70_000));
    assertThat(blob.properties())
        .containsExactly(
            Map.entry("referenced-data-file", "s3://b/data 1%.parquet"),
            Map.entry("cardinality", "3"));
  }

  @Test
  void readsWhatAFooterSaysOfADeletionVector() {
    BlobMetadata blob =
        metadata(
            "deletion-vector-v1", Map.of("referenced-data-file", "a.parquet", "cardinality", "0"));
    assertThat(DeletionVectorBlob.isDeletionVector(blob)).isTrue();
    assertThat(DeletionVectorBlob.referencedDataFile(blob)).hasValue("a.parquet");
    assertThat(DeletionVectorBlob.cardinality(blob)).hasValue(0);
  }

  @Test
  void readsAFooterThatSaysNothing() {
    BlobMetadata blob = metadata("apache-datasketches-theta-v1", Map.of());
    assertThat(DeletionVectorBlob.isDeletionVector(blob)).isFalse();
    assertThat(DeletionVectorBlob.referencedDataFile(blob)).isEmpty();
    assertThat(DeletionVectorBlob.cardinality(blob)).isEmpty();
  }

  // iceberg-go#1127
  @ParameterizedTest
  @ValueSource(strings = {"", "abc", "-1", "1.0", " 1", "9223372036854775808"})
  void refusesACardinalityThatIsNoNumberOfPositions(String text) {
    BlobMetadata blob = metadata("deletion-vector-v1", Map.of("cardinality", text));
    assertThatThrownBy(() -> DeletionVectorBlob.cardinality(blob))
        .isInstanceOfSatisfying(
            InvalidDeletionVectorException.class,
            refusal -> assertThat(refusal.reason()).isEqualTo(CARDINALITY))
        .hasMessageContaining("offset 4")
        .hasMessageContaining("\"" + text + "\"");
  }

  private static BlobMetadata metadata(String type, Map<String, String> properties) {
    return new BlobMetadata(type, List.of(), -1, -1, 4, 50, null, properties);
  }
}
