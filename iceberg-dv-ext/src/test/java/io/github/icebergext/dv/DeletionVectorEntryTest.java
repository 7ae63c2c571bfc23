package io.github.icebergext.dv;

import static io.github.icebergext.testing.TestEntries.DATA_FILE;
import static io.github.icebergext.testing.TestEntries.PUFFIN;
import static io.github.icebergext.testing.TestEntries.vector;
import static io.github.icebergext.testing.TestEntries.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.github.icebergext.puffin.ByteRange;
import io.github.icebergext.puffin.PuffinLimits;
import io.github.icebergext.puffin.Reason;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileContent;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.MetadataColumns;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class DeletionVectorEntryTest {
  @Test
  void holdsTheCoordinatesOfItsEntry() {
    assertThat(DeletionVectorEntry.of(vector()))
        .isEqualTo(
            new DeletionVectorEntry(
                new DeletionVectorIdentity(PUFFIN, 4, 44), DATA_FILE, 2, OptionalLong.of(500)));
    assertThat(DeletionVectorEntry.of(vector()).range()).isEqualTo(new ByteRange(4, 44));
  }

  @Test
  void describesWhatItPointsAt() {
    assertThat(DeletionVectorEntry.of(vector()).describe())
        .isEqualTo(
            "deletion vector in s3://bucket/deletes.puffin (content offset 4, content size 44"
                + " bytes, referenced data file s3://bucket/data.parquet)");
  }

  static Stream<Arguments> invalidEntries() {
    long maxRunCount = 65536;
    return Stream.of(
        // sirius-db#1425, duckdb-iceberg#1314
        row(with(vector(), "contentOffset", null), "content offset is missing"),
        row(with(vector(), "contentSizeInBytes", null), "content size is missing"),
        // apache/iceberg#12088, apache/iceberg-rust#2792, ClickHouse#117488
        row(with(vector(), "referencedDataFile", null), "referenced data file is missing"),
        row(with(vector(), "referencedDataFile", ""), "referenced data file is missing"),
        // apache/doris#65676
        row(vector(PUFFIN, -5, 44, 2), "content offset is -5, expected ≥ 0"),
        row(vector(PUFFIN, 4, -1, 2), "content size is -1, expected ≥ 20, the smallest vector"),
        row(vector(PUFFIN, 4, 0, 0), "content size is 0, expected ≥ 20, the smallest vector"),
        row(vector(PUFFIN, 4, 19, 0), "content size is 19, expected ≥ 20, the smallest vector"),
        row(vector(PUFFIN, Long.MAX_VALUE - 43, 44, 2), "content offset and content size overflow"),
        row(with(vector(), "recordCount", -1L), "record count is -1, expected ≥ 0"),
        row(
            vector(PUFFIN, 4, 38, 1),
            "record count is 1, more than a vector of that size can hold"),
        row(
            vector(PUFFIN, 4, 39, maxRunCount + 1),
            "record count is 65537, more than a vector of that size can hold"),
        row(
            vector(PUFFIN, 4, 44, Long.MAX_VALUE),
            "record count is 9223372036854775807, more than a vector of that size can hold"));
  }

  private static Arguments row(DeleteFile entry, String complaint) {
    return arguments(complaint, entry);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("invalidEntries")
  void refusesMissingAndImpossibleCoordinates(String complaint, DeleteFile entry) {
    assertThatThrownBy(() -> DeletionVectorEntry.of(entry))
        .isInstanceOfSatisfying(
            InvalidDeletionVectorException.class,
            e -> assertThat(e.reason()).isEqualTo(Reason.ENTRY_COORDINATES))
        .hasMessage(
            "Invalid deletion vector in s3://bucket/deletes.puffin (content offset "
                + entry.contentOffset()
                + ", content size "
                + entry.contentSizeInBytes()
                + " bytes, referenced data file "
                + entry.referencedDataFile()
                + "): "
                + complaint);
  }

  // An empty vector; one run of a whole container is 39 bytes; so many as 2^31 keys of full runs.
  @Test
  void takesTheLargestCountsThatSizesCanHold() {
    assertThatCode(() -> DeletionVectorEntry.of(vector(PUFFIN, 0, 20, 0)))
        .doesNotThrowAnyException();
    assertThatCode(() -> DeletionVectorEntry.of(vector(PUFFIN, 0, 39, 65536)))
        .doesNotThrowAnyException();
    assertThatCode(() -> DeletionVectorEntry.of(vector(PUFFIN, 0, Long.MAX_VALUE, Long.MAX_VALUE)))
        .doesNotThrowAnyException();
  }

  @Test
  void theBoundOfTheRecordCountHoldsForTheDensestVector() {
    DeletedPositions densest = DeletedPositions.builder().addRange(0, 1L << 20).build();
    int size = DeletionVectorCodec.encode(densest).remaining();

    assertThatCode(() -> DeletionVectorEntry.of(vector(PUFFIN, 4, size, densest.cardinality())))
        .doesNotThrowAnyException();
  }

  // ClickHouse via Altinity#2119: bounds must not stand in for the referenced data file
  @Test
  void boundsDoNotReplaceAMissingReferencedDataFile() {
    Map<Integer, ByteBuffer> bounds =
        Map.of(
            MetadataColumns.DELETE_FILE_PATH.fieldId(),
            ByteBuffer.wrap(DATA_FILE.getBytes(StandardCharsets.UTF_8)));
    DeleteFile entry =
        with(
            with(with(vector(), "referencedDataFile", null), "lowerBounds", bounds),
            "upperBounds",
            bounds);

    assertThatThrownBy(() -> DeletionVectorEntry.of(entry))
        .isInstanceOf(InvalidDeletionVectorException.class)
        .hasMessageEndingWith("referenced data file is missing");
  }

  // apache/iceberg-rust#2868, apache/iceberg-go#855
  @Test
  void anEntryOfAnotherFormatIsNoVectorWhateverItsOffsets() {
    DeleteFile entry = with(vector(), "format", FileFormat.PARQUET);

    assertThatThrownBy(() -> DeletionVectorEntry.of(entry))
        .isInstanceOfSatisfying(
            InvalidDeletionVectorException.class,
            e -> assertThat(e.reason()).isEqualTo(Reason.NOT_DELETION_VECTOR))
        .hasMessage(
            "Not a deletion vector: s3://bucket/deletes.puffin has content POSITION_DELETES and"
                + " format PARQUET, expected POSITION_DELETES and PUFFIN");
  }

  @Test
  void anEntryOfAnotherContentIsNoVector() {
    DeleteFile entry = with(vector(), "content", FileContent.EQUALITY_DELETES);

    assertThatThrownBy(() -> DeletionVectorEntry.of(entry))
        .isInstanceOfSatisfying(
            InvalidDeletionVectorException.class,
            e -> assertThat(e.reason()).isEqualTo(Reason.NOT_DELETION_VECTOR));
  }

  @Test
  void theNameOfTheFileDecidesNothing() {
    DeleteFile entry = vector("s3://bucket/deletes.parquet", 4, 44, 2);

    assertThat(DeletionVectorEntry.of(entry).identity().location())
        .isEqualTo("s3://bucket/deletes.parquet");
  }

  @Test
  void theFileSizeMayBeAbsent() {
    assertThat(DeletionVectorEntry.of(with(vector(), "fileSizeInBytes", -1L)).fileSizeInBytes())
        .isEmpty();
  }

  // Delta's entries state offset + size of one vector as the size of the file.
  @ParameterizedTest
  @ValueSource(longs = {0, 10, 48, Long.MAX_VALUE})
  void theFileSizeIsAHintThatRefusesNothing(long size) {
    assertThat(DeletionVectorEntry.of(with(vector(), "fileSizeInBytes", size)).fileSizeInBytes())
        .hasValue(size);
  }

  @Test
  void refusesAVectorOverTheLimit() {
    PuffinLimits limits = PuffinLimits.builder().maxBlobBytes(43).build();

    assertThatThrownBy(() -> DeletionVectorEntry.of(vector(), limits))
        .isInstanceOfSatisfying(
            InvalidDeletionVectorException.class,
            e -> assertThat(e.reason()).isEqualTo(Reason.LIMIT))
        .hasMessageContaining(DATA_FILE)
        .hasMessageEndingWith("content size is 44, limit maxBlobBytes is 43");
  }
}
