package io.github.icebergext.testing;

import static org.assertj.core.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Data that tests use but the project does not hold. Where it is absent the test is skipped, or
 * fails when the build sets {@code test.data.required}.
 */
public final class TestData {
  private static final boolean REQUIRED = Boolean.getBoolean("test.data.required");
  private static final Set<String> TOLD = ConcurrentHashMap.newKeySet();

  private TestData() {}

  /**
   * Returns the folder of real files that other writers and test suites left, indexed by {@code
   * INDEX.tsv}.
   */
  public static Path corpus() {
    return folder("corpus.dir", "INDEX.tsv");
  }

  /** Returns the folder of whole tables. */
  public static Path tables() {
    return folder("tables.dir", "spark-3.5.9-iceberg-1.12.0");
  }

  /** Returns the files of the corpus index whose kind is one of {@code kinds}. */
  public static List<CorpusFile> corpusFiles(String... kinds) {
    Path corpus = corpus();
    Set<String> wanted = Set.of(kinds);
    List<CorpusFile> files = new ArrayList<>();
    try {
      List<String> lines = Files.readAllLines(corpus.resolve("INDEX.tsv"));
      String[] columns = lines.get(0).split("\t", -1);
      for (String line : lines.subList(1, lines.size())) {
        String[] cells = line.split("\t", -1);
        Map<String, String> row = new HashMap<>();
        for (int i = 0; i < columns.length; i++) {
          row.put(columns[i], cells[i]);
        }
        if (wanted.contains(row.get("kind"))) {
          files.add(new CorpusFile(corpus, row));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return files;
  }

  /** Skips or fails the calling test unless {@code command} is on the path. */
  public static void requireCommand(String command) {
    for (String folder : System.getenv("PATH").split(":", -1)) {
      if (Files.isExecutable(Path.of(folder, command))) {
        return;
      }
    }
    absent("the command " + command + " is not on the path");
  }

  private static Path folder(String property, String content) {
    Path folder = Path.of(System.getProperty(property, ""));
    if (!Files.exists(folder.resolve(content))) {
      absent("no test data at -D" + property + "=" + folder);
    }
    return folder.normalize();
  }

  private static void absent(String message) {
    if (REQUIRED) {
      fail(message + ", and -Dtest.data.required is set");
    } else {
      if (TOLD.add(message)) {
        // On the console too, where the reason of a skipped test is not shown.
        System.out.println("Tests are skipped: " + message);
      }
      abort("skipped: " + message);
    }
  }

  /** A line of the corpus index. */
  public record CorpusFile(Path corpus, Map<String, String> columns) {
    /** Returns the named cell of the line. */
    public String column(String name) {
      return columns.getOrDefault(name, "");
    }

    public String path() {
      return column("path");
    }

    public String validity() {
      return column("validity");
    }

    public byte[] bytes() {
      try {
        return Files.readAllBytes(corpus.resolve(path()));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public String toString() {
      return path();
    }
  }
}
