package io.github.icebergext.cli.table;

import io.github.icebergext.cli.text.Problem;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.avro.file.DataFileStream;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.encryption.EncryptingFileIO;
import org.apache.iceberg.io.FileIO;
import org.jspecify.annotations.Nullable;

/**
 * Finds delete manifests whose own header says that they are of something else. Iceberg goes by the
 * manifest list and reads them, other implementations refuse them.
 */
final class ManifestHeaders {
  private static final String CONTENT = "content";
  private static final String EXPECTED = "deletes";

  private ManifestHeaders() {}

  static List<Problem> problems(Table table, @Nullable Snapshot snapshot) {
    List<Problem> problems = new ArrayList<>();
    if (snapshot == null) {
      return problems;
    }
    FileIO io = EncryptingFileIO.combine(table.io(), table.encryption());
    for (ManifestFile manifest : snapshot.deleteManifests(io)) {
      String content = content(io, manifest);
      if (!EXPECTED.equals(content)) {
        problems.add(
            new Problem(
                null,
                "Delete manifest "
                    + manifest.path()
                    + " has the content "
                    + content
                    + " in its header, expected "
                    + EXPECTED
                    + ": not all readers take it"));
      }
    }
    return problems;
  }

  private static @Nullable String content(FileIO io, ManifestFile manifest) {
    try (DataFileStream<Object> avro =
        new DataFileStream<>(io.newInputFile(manifest).newStream(), new GenericDatumReader<>())) {
      return avro.getMetaString(CONTENT);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
