package io.github.icebergext.dv.table;

import static io.github.icebergext.testing.TestEntries.with;
import static io.github.icebergext.testing.TestManifests.added;
import static io.github.icebergext.testing.TestManifests.snapshot;
import static io.github.icebergext.testing.TestTables.append;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.icebergext.dv.InvalidDeletionVectorException;
import io.github.icebergext.dv.table.LiveDeletes.MalformedVector;
import io.github.icebergext.dv.write.DeletionVectorWriter;
import io.github.icebergext.puffin.Reason;
import io.github.icebergext.testing.TestEntries;
import io.github.icebergext.testing.TestTables;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileMetadata;
import org.apache.iceberg.MetadataColumns;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Entries that are deletion vectors but cannot be read: a stop for writers, findings for audits.
 */
class LiveDeletesAuditTest {
  private static final String OTHER = "memory://data/other.parquet";

  private final Table table = TestTables.unpartitioned();
  private final DataFile dataFile = append(table, "data");

  private static DeleteFile vector() {
    return TestEntries.vector();
  }

  private DeleteFile vectorOf(@Nullable String dataFileLocation) {
    return with(vector(), "referencedDataFile", dataFileLocation);
  }

  // sirius-db/sirius#1425, apache/iceberg#12088, apache/iceberg-rust#2792, apache/iceberg#11457
  @ParameterizedTest
  @CsvSource({
    "contentOffset, , content offset is missing",
    "contentSizeInBytes, , content size is missing",
    "referencedDataFile, , referenced data file is missing",
    "referencedDataFile, '', referenced data file is missing",
  })
  void entryWithoutACoordinateIsAnErrorAndNeverNoVector(
      String coordinate, @Nullable String value, String complaint) {
    Snapshot snapshot = snapshot(table, added(table, with(vector(), coordinate, value)));

    assertThatThrownBy(() -> LiveDeletes.of(table, snapshot))
        .isInstanceOfSatisfying(
            InvalidDeletionVectorException.class,
            e -> assertThat(e.reason()).isEqualTo(Reason.ENTRY_COORDINATES))
        .hasMessageStartingWith("Invalid deletion vector in " + TestEntries.PUFFIN)
        .hasMessageContaining(complaint);
    assertThat(LiveDeletes.forAudit(table, snapshot).malformed()).hasSize(1);
  }

  // facebookincubator/velox: what a negative offset or an overflowing range becomes.
  @ParameterizedTest
  @CsvSource({"contentOffset, -5", "contentSizeInBytes, -1", "contentSizeInBytes, 12"})
  void entryWithAnImpossibleCoordinateIsMalformed(String coordinate, long value) {
    Snapshot snapshot = snapshot(table, added(table, with(vector(), coordinate, value)));

    assertThat(LiveDeletes.forAudit(table, snapshot).malformed())
        .singleElement()
        .satisfies(
            malformed ->
                assertThat(malformed.problem().reason()).isEqualTo(Reason.ENTRY_COORDINATES));
  }

  // Altinity/ClickHouse#2119
  @Test
  void boundsDoNotReplaceAMissingReferencedDataFile() {
    ByteBuffer path = ByteBuffer.wrap(dataFile.location().getBytes(StandardCharsets.UTF_8));
    Map<Integer, ByteBuffer> bounds = Map.of(MetadataColumns.DELETE_FILE_PATH.fieldId(), path);
    DeleteFile withBounds =
        with(with(vectorOf(null), "lowerBounds", bounds), "upperBounds", bounds);
    Snapshot snapshot = snapshot(table, added(table, withBounds));

    assertThat(LiveDeletes.forAudit(table, snapshot).vectors()).isEmpty();
    assertThatThrownBy(() -> LiveDeletes.of(table, snapshot))
        .hasMessageContaining("referenced data file is missing");
  }

  @Test
  void auditSeesTheSoundEntriesBesideTheMalformedOnes() {
    DeleteFile sound = vectorOf(dataFile.location());
    DeleteFile position =
        FileMetadata.deleteFileBuilder(PartitionSpec.unpartitioned())
            .ofPositionDeletes()
            .withPath("memory://data/deletes.parquet")
            .withFormat(FileFormat.PARQUET)
            .withFileSizeInBytes(10)
            .withRecordCount(1)
            .build();
    Snapshot snapshot =
        snapshot(
            table,
            added(table, with(vectorOf(OTHER), "contentOffset", null), sound),
            added(table, position, with(vectorOf(OTHER), "contentSizeInBytes", null)));

    LiveDeletes live = LiveDeletes.forAudit(table, snapshot);

    assertThat(live.malformed())
        .extracting(malformed -> malformed.problem().getMessage())
        .satisfiesExactly(
            message -> assertThat(message).endsWith("content offset is missing"),
            message -> assertThat(message).endsWith("content size is missing"));
    assertThat(live.malformed())
        .extracting(MalformedVector::entry)
        .extracting(DeleteFile::referencedDataFile)
        .containsExactly(OTHER, OTHER);
    assertThat(live.vectors()).hasSize(1);
    assertThat(live.positionDeletes()).hasSize(1);
    assertThat(live.vector(dataFile.location())).isPresent();
  }

  @Test
  void lookupOfADataFileThatAMalformedVectorNamesFails() {
    Snapshot snapshot = snapshot(table, added(table, with(vectorOf(OTHER), "contentOffset", null)));

    LiveDeletes live = LiveDeletes.forAudit(table, snapshot);

    assertThat(live.vector(dataFile.location())).isEmpty();
    assertThatThrownBy(() -> live.vector(OTHER))
        .isInstanceOfSatisfying(
            InvalidDeletionVectorException.class,
            e -> assertThat(e.reason()).isEqualTo(Reason.ENTRY_COORDINATES))
        .hasMessageStartingWith("Cannot tell the deletion vector of data file " + OTHER)
        .hasMessageEndingWith("content offset is missing");
  }

  // ClickHouse/ClickHouse#117488: it may belong to any of them.
  @Test
  void lookupOfAnyDataFileFailsBesideAVectorThatNamesNone() {
    Snapshot snapshot = snapshot(table, added(table, vectorOf(null)));

    LiveDeletes live = LiveDeletes.forAudit(table, snapshot);

    assertThatThrownBy(() -> live.vector(dataFile.location()))
        .hasMessageContaining("referenced data file is missing");
    assertThatThrownBy(() -> live.deletes(dataFile))
        .hasMessageContaining("referenced data file is missing");
  }

  @Test
  void writerIsNotGivenDeletesThatItCannotTell() {
    LiveDeletes live = LiveDeletes.forAudit(table, snapshot(table, added(table, vectorOf(null))));

    try (DeletionVectorWriter writer = DeletionVectorWriter.of(table, live)) {
      writer.delete(dataFile, 1);
      assertThatThrownBy(writer::flush).isInstanceOf(InvalidDeletionVectorException.class);
    }
  }

  @Test
  void puffinFilesOfMalformedVectorsAreNamedToo() {
    LiveDeletes live = LiveDeletes.forAudit(table, snapshot(table, added(table, vectorOf(null))));

    assertThat(live.puffinLocations()).containsExactly(TestEntries.PUFFIN);
  }

  // apache/iceberg-rust#2868, apache/iceberg-go#855
  @Test
  void positionDeletesThatNameTheirDataFileAreNoVector() {
    DeleteFile positionDeletes =
        FileMetadata.deleteFileBuilder(PartitionSpec.unpartitioned())
            .ofPositionDeletes()
            .withPath("memory://data/deletes.parquet")
            .withFormat(FileFormat.PARQUET)
            .withReferencedDataFile(dataFile.location())
            .withFileSizeInBytes(10)
            .withRecordCount(1)
            .build();
    // Flink names vectors like data files; neither the name nor the offset tells one.
    DeleteFile withOffset = with(positionDeletes, "contentOffset", 4L);
    DeleteFile named = with(vectorOf(OTHER), "location", "memory://data/vectors.parquet");
    DeleteFile namedByBoth = with(named, "path", "memory://data/vectors.parquet");

    LiveDeletes live =
        LiveDeletes.of(
            table, snapshot(table, added(table, positionDeletes, withOffset, namedByBoth)));

    assertThat(live.vectors()).extracting(DeleteFile::referencedDataFile).isEqualTo(List.of(OTHER));
    assertThat(live.positionDeletes()).hasSize(2);
  }

  @Test
  void nothingIsMalformedInASoundTable() {
    assertThat(LiveDeletes.forAudit(table, table.currentSnapshot()).malformed()).isEmpty();
  }
}
