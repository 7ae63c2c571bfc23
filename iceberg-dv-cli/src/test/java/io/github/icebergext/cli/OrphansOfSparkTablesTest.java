package io.github.icebergext.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.github.icebergext.cli.source.Locations;
import io.github.icebergext.cli.source.MetadataFolder;
import io.github.icebergext.cli.source.Relocations;
import io.github.icebergext.cli.source.Storage;
import io.github.icebergext.testing.TestData;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.MetadataTableType;
import org.apache.iceberg.MetadataTableUtils;
import org.apache.iceberg.ReachableFileUtil;
import org.apache.iceberg.StaticTableOperations;
import org.apache.iceberg.StructLike;
import org.apache.iceberg.Table;
import org.apache.iceberg.io.CloseableIterable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OrphansOfSparkTablesTest {
  private static final String SPARK = "spark-3.5.9-iceberg-1.12.0";

  @ParameterizedTest
  @ValueSource(strings = {"unpart", "part", "upgraded", "shapes", "orc", "v2pos"})
  void orphansAreTheFilesThatIcebergsMetadataTablesDoNotName(String name) throws IOException {
    Path warehouse = TestData.tables().resolve(SPARK);
    Path folder = warehouse.resolve("db").resolve(name);
    Set<Path> expected = filesOf(folder);
    int files = expected.size();
    expected.removeAll(referenced(warehouse, folder));

    CommandRun run =
        CommandRun.of(
            "orphans",
            "--json",
            "--older-than=0s",
            folder,
            "--relocate",
            "file:/warehouse=" + warehouse);

    Set<Path> found = new TreeSet<>();
    for (JsonNode orphan : run.json().path("orphans")) {
      found.add(Path.of(Locations.plain(orphan.path("location").asText())));
    }
    assertThat(found).isEqualTo(expected);
    assertThat(run.json().path("inUseFileCount").asInt()).isEqualTo(files - expected.size());
    assertThat(run.exitCode()).isEqualTo(expected.isEmpty() ? 0 : 1);
  }

  private static Set<Path> filesOf(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(Files::isRegularFile).collect(Collectors.toCollection(TreeSet::new));
    }
  }

  private static Set<Path> referenced(Path warehouse, Path folder) {
    Storage storage = Storage.of(Relocations.of(Map.of("file:/warehouse", warehouse.toString())));
    String metadataFile = new MetadataFolder(storage).newest(folder.toString());
    Table table = new BaseTable(new StaticTableOperations(metadataFile, storage), "t");
    Set<String> locations = new TreeSet<>();
    locations.addAll(ReachableFileUtil.metadataFileLocations(table, false));
    locations.add(ReachableFileUtil.versionHintLocation(table));
    locations.addAll(ReachableFileUtil.manifestListLocations(table));
    locations.addAll(ReachableFileUtil.statisticsFilesLocations(table));
    forEach(
        MetadataTableUtils.createMetadataTableInstance(table, MetadataTableType.ALL_MANIFESTS),
        "path",
        row -> locations.add(row.get(0, CharSequence.class).toString()));
    forEach(
        MetadataTableUtils.createMetadataTableInstance(table, MetadataTableType.ALL_ENTRIES),
        "data_file.file_path",
        row -> locations.add(row.get(0, StructLike.class).get(0, CharSequence.class).toString()));
    return locations.stream()
        .map(location -> Path.of(Locations.plain(storage.newInputFile(location).location())))
        .collect(Collectors.toSet());
  }

  private static void forEach(Table metadataTable, String column, Consumer<StructLike> consumer) {
    try (CloseableIterable<FileScanTask> tasks =
        metadataTable.newScan().select(column).planFiles()) {
      for (FileScanTask task : tasks) {
        try (CloseableIterable<StructLike> rows = task.asDataTask().rows()) {
          rows.forEach(consumer);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
