package io.github.icebergext.dv.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.icebergext.dv.table.LiveDeletes;
import io.github.icebergext.testing.RecordingFile.Call;
import io.github.icebergext.testing.RecordingFileIO;
import io.github.icebergext.testing.TestTables;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.apache.iceberg.AppendFiles;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Table;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What a commit costs at the storage, by how many vectors share a Puffin file: objects written, of
 * which each is a request, and requests that read. The table's metadata file, one per commit, is
 * the catalog's and not counted.
 */
class CommitRequestsTest {
  private static final Predicate<String> PUFFINS = location -> location.endsWith(".puffin");

  /** Objects written and requests that read, of Puffin files, and of manifests with their lists. */
  private record Cost(
      int puffinsWritten, int puffinReads, int manifestsWritten, int manifestReads) {}

  /** A table whose data files get a vector each, and another one in the next commit. */
  private static final class Commits {
    private final RecordingFileIO io = RecordingFileIO.rangeReadable();
    private final Table table = TestTables.withFiles(io, PartitionSpec.unpartitioned(), 3);
    private final List<DataFile> dataFiles = new ArrayList<>();
    private long nextRow;

    Commits(int dataFiles, int vectorsPerFile) {
      AppendFiles append = table.newAppend();
      for (int i = 0; i < dataFiles; i++) {
        DataFile dataFile = TestTables.dataFile(table.spec(), "data-" + i, 100).build();
        this.dataFiles.add(dataFile);
        append.appendFile(dataFile);
      }
      append.commit();
      table
          .updateProperties()
          .set(DeletionVectorWriter.VECTORS_PER_FILE_PROPERTY, Integer.toString(vectorsPerFile))
          .commit();
    }

    Cost next() {
      Set<String> before = new HashSet<>(io.locations());
      io.forget();
      try (DeletionVectorWriter writer = DeletionVectorWriter.of(table, LiveDeletes.of(table))) {
        dataFiles.forEach(dataFile -> writer.delete(dataFile, nextRow));
        writer.flush().commit();
      }
      nextRow++;
      assertThat(io.deleted()).isEmpty();
      return new Cost(
          written(before, PUFFINS),
          reads(PUFFINS),
          written(before, PUFFINS.negate()),
          reads(PUFFINS.negate()));
    }

    private int written(Set<String> before, Predicate<String> which) {
      return (int)
          io.locations().stream()
              .filter(location -> !before.contains(location))
              .filter(which)
              .count();
    }

    private int reads(Predicate<String> which) {
      return io.locations().stream()
          .filter(which)
          .map(io::file)
          .mapToInt(file -> file.requests().size() + file.count(Call.LENGTH))
          .sum();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "10, 200, 1", "1000, 200, 5",
    "10, 1, 10", "1000, 1, 1000"
  })
  void aCommitWritesItsPuffinsAndReadsTheReplacedOnes(
      int dataFiles, int vectorsPerFile, int puffins) {
    Commits one = new Commits(1, 1);
    Cost ofOne = one.next();
    Cost ofNextOne = one.next();
    Commits commits = new Commits(dataFiles, vectorsPerFile);

    // The manifest of the new vectors and the list of manifests; no vector is there to be read.
    assertThat(commits.next()).isEqualTo(new Cost(puffins, 0, 2, ofOne.manifestReads()));
    // The manifest of the replaced vectors is written again, without them.
    assertThat(commits.next()).isEqualTo(new Cost(puffins, puffins, 3, ofNextOne.manifestReads()));
  }
}
