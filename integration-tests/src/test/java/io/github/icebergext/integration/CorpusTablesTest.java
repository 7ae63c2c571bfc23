package io.github.icebergext.integration;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.icebergext.dv.table.LiveDeletes;
import io.github.icebergext.testing.TestData;
import io.github.icebergext.testing.TestData.CorpusFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.Table;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tables that other writers left: their live vectors are those that their manifests name. */
class CorpusTablesTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  @ParameterizedTest
  @MethodSource("tables")
  void listsTheVectorsOfTheManifests(CorpusTable corpusTable) throws IOException {
    LiveDeletes deletes = LiveDeletes.of(corpusTable.open());

    assertThat(deletes.vectors().stream().map(CorpusTablesTest::vector))
        .containsExactlyInAnyOrderElementsOf(corpusTable.expectedVectors());
    assertThat(deletes.duplicateVectors()).isEmpty();
    assertThat(deletes.danglingVectors()).isEmpty();
  }

  @Test
  void tablesOfTwoWritersHaveVectors() throws IOException {
    List<String> locations = new ArrayList<>();
    for (CorpusTable table : tables()) {
      if (!table.expectedVectors().isEmpty()) {
        locations.add(table.folder().getFileName().toString());
      }
    }
    assertThat(locations)
        .containsExactly("legacy_bare_deletion_vector", "iceberg_v3_deletion_vectors");
  }

  /** The newest metadata file of every folder that has some, if its manifests are there too. */
  static List<CorpusTable> tables() throws IOException {
    Path tables = TestData.corpus().resolve("tables");
    try (Stream<Path> files = Files.walk(tables)) {
      List<Path> folders =
          files
              .filter(file -> file.toString().endsWith(".metadata.json"))
              .map(Path::getParent)
              .distinct()
              .sorted()
              .toList();
      return folders.stream().map(CorpusTable::newestOf).filter(CorpusTable::hasManifests).toList();
    }
  }

  private static String vector(DeleteFile file) {
    return vector(
        file.contentOffset(),
        file.contentSizeInBytes(),
        file.recordCount(),
        file.referencedDataFile());
  }

  private static String vector(long offset, long size, long count, String dataFile) {
    return "offset " + offset + ", size " + size + ", count " + count + ", of " + dataFile;
  }

  record CorpusTable(Path metadata, JsonNode json) {
    static CorpusTable newestOf(Path folder) {
      try (Stream<Path> files = Files.list(folder)) {
        return files
            .filter(file -> file.toString().endsWith(".metadata.json"))
            .sorted()
            .map(CorpusTable::read)
            .reduce((left, right) -> right.updated() >= left.updated() ? right : left)
            .orElseThrow();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private static CorpusTable read(Path metadata) {
      try {
        return new CorpusTable(metadata, JSON.readTree(metadata.toFile()));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private long updated() {
      return json.path("last-updated-ms").asLong();
    }

    private String location() {
      return json.path("location").asText();
    }

    private Path folder() {
      return metadata.getParent().endsWith("metadata")
          ? metadata.getParent().getParent()
          : metadata.getParent();
    }

    private boolean hasManifests() {
      for (JsonNode snapshot : json.path("snapshots")) {
        if (snapshot.path("snapshot-id").equals(json.path("current-snapshot-id"))
            && hasFile(snapshot.path("manifest-list").asText())
            && hasKnownTypes()) {
          return open().currentSnapshot().allManifests(open().io()).stream()
              .allMatch(manifest -> hasFile(manifest.path()));
        }
      }
      return false;
    }

    /** The oldest supported Iceberg does not know the type variant. */
    private boolean hasKnownTypes() {
      try {
        return !open().schemas().isEmpty();
      } catch (IllegalArgumentException e) {
        assertThat(e).hasMessageContaining("variant");
        return false;
      }
    }

    private boolean hasFile(String fileLocation) {
      return fileLocation.startsWith(location() + "/")
          && Files.exists(folder().resolve(fileLocation.substring(location().length() + 1)));
    }

    Table open() {
      return RelocatedTable.open(metadata, location(), folder());
    }

    /**
     * What the corpus index says of the Puffin files of this table, from their manifest entries.
     */
    List<String> expectedVectors() throws IOException {
      Path corpus = TestData.corpus();
      List<String> vectors = new ArrayList<>();
      for (CorpusFile file : TestData.corpusFiles("puffin")) {
        if (corpus.resolve(file.path()).startsWith(folder())) {
          for (JsonNode dv : JSON.readTree(file.column("expected")).path("dvs")) {
            vectors.add(
                vector(
                    dv.path("content_offset").asLong(),
                    dv.path("content_size_in_bytes").asLong(),
                    dv.path("record_count").asLong(),
                    dv.path("referenced_data_file").asText()));
          }
        }
      }
      return vectors;
    }

    @Override
    public String toString() {
      return TestData.corpus().relativize(metadata).toString();
    }
  }
}
