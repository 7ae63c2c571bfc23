package io.github.icebergext.dv.read;

import static io.github.icebergext.testing.TestEntries.list;
import static io.github.icebergext.testing.TestEntries.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.icebergext.dv.InvalidDeletionVectorException;
import io.github.icebergext.puffin.Reason;
import io.github.icebergext.testing.RecordingFile.Call;
import io.github.icebergext.testing.RecordingFileIO;
import io.github.icebergext.testing.TestPuffin;
import java.util.List;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.exceptions.NotFoundException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tables that were moved: duckdb-iceberg#1382, iceberg#14351, iceberg-go#1615. */
class LocationMappingTest {
  private final RecordingFileIO io = RecordingFileIO.rangeReadable();

  private static String newLocation(String location) {
    return location.replace("s3://old/", "s3://new/");
  }

  /** Returns the old entry of a vector whose file is at its new place; its footer is as it was. */
  private DeleteFile moved() {
    TestPuffin puffin =
        new TestPuffin("s3://old/deletes.puffin").vector("s3://old/data.parquet", 1, 2);
    byte[] bytes = puffin.toBytes();
    io.put("s3://new/deletes.puffin", bytes);
    return puffin.entries(bytes.length).get(0);
  }

  private static DataFile dataFile(String location) {
    return DataFiles.builder(PartitionSpec.unpartitioned())
        .withPath(location)
        .withFormat("parquet")
        .withFileSizeInBytes(100)
        .withRecordCount(100)
        .build();
  }

  @ParameterizedTest
  @EnumSource(ReadCheck.class)
  void aPuffinIsOpenedAtItsNewLocation(ReadCheck check) {
    DeletionVectorReader reader =
        DeletionVectorReader.builder(io)
            .withCheck(check)
            .withPuffinLocations(LocationMappingTest::newLocation)
            .build();

    assertThat(list(reader.read(moved()))).containsExactly(1L, 2L);
    assertThat(reader.readAll(List.of(moved()))).hasSize(1);
    assertThat(io.count(Call.LENGTH)).isZero();
  }

  @Test
  void anAbsentSizeIsAskedForAtTheNewLocation() {
    DeletionVectorReader reader =
        DeletionVectorReader.builder(io)
            .withPuffinLocations(LocationMappingTest::newLocation)
            .build();

    assertThat(list(reader.read(with(moved(), "fileSizeInBytes", -1L)))).containsExactly(1L, 2L);
    assertThat(list(reader.read(with(moved(), "fileSizeInBytes", 70L)))).containsExactly(1L, 2L);
  }

  @Test
  void withoutAMappingTheFileIsMissing() {
    DeleteFile entry = moved();

    assertThatThrownBy(() -> DeletionVectorReader.builder(io).build().read(entry))
        .isInstanceOf(NotFoundException.class);
  }

  /** A tool that rewrote the manifests and left the Puffin as it was. */
  @Test
  void aFooterWithOldLocationsIsRefusedUnlessTheyAreMapped() {
    DeleteFile entry =
        with(
            with(moved(), "referencedDataFile", "s3://new/data.parquet"),
            "location",
            "s3://new/deletes.puffin");

    assertThatThrownBy(() -> DeletionVectorReader.builder(io).build().read(entry))
        .isInstanceOfSatisfying(
            InvalidDeletionVectorException.class,
            e -> assertThat(e.reason()).isEqualTo(Reason.REFERENCED_DATA_FILE));
    assertThat(
            list(
                DeletionVectorReader.builder(io)
                    .withDataFileLocations(LocationMappingTest::newLocation)
                    .build()
                    .read(entry)))
        .containsExactly(1L, 2L);
  }

  @Test
  void anEntryWithAnOldLocationIsCheckedAgainstADataFileAtItsNewOne() {
    DeletionVectorReader reader =
        DeletionVectorReader.builder(io)
            .withPuffinLocations(LocationMappingTest::newLocation)
            .withDataFileLocations(LocationMappingTest::newLocation)
            .build();

    assertThat(reader.read(moved(), dataFile("s3://new/data.parquet"))).isNotNull();
    assertThat(reader.read(moved(), dataFile("s3://old/data.parquet"))).isNotNull();
    DataFile other = dataFile("s3://new/other.parquet");
    assertThatThrownBy(() -> reader.read(moved(), other))
        .isInstanceOfSatisfying(
            InvalidDeletionVectorException.class,
            e -> assertThat(e.reason()).isEqualTo(Reason.REFERENCED_DATA_FILE));
  }
}
