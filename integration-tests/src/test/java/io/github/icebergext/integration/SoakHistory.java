package io.github.icebergext.integration;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.Closeable;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** What happened in a soak, in a file, so that the heap stays flat. Thread-safe. */
final class SoakHistory implements Closeable {
  private final long start = System.nanoTime();
  private final Path file;
  private final PrintWriter lines;

  SoakHistory(Path file) throws IOException {
    this.file = file;
    this.lines = new PrintWriter(Files.newBufferedWriter(file, UTF_8));
  }

  /** Returns how long the soak has been going on. */
  double seconds() {
    return (System.nanoTime() - start) / 1e9;
  }

  synchronized void note(String event) {
    lines.printf(Locale.ROOT, "%9.3f %s: ", seconds(), Thread.currentThread().getName());
    lines.println(event);
  }

  /** Returns the events that name a file. */
  synchronized List<String> of(String location) {
    lines.flush();
    try (Stream<String> all = Files.lines(file, UTF_8)) {
      return all.filter(line -> line.contains(location)).toList();
    } catch (IOException e) {
      return List.of("the history cannot be read: " + e);
    }
  }

  @Override
  public String toString() {
    return file.toAbsolutePath().toString();
  }

  @Override
  public synchronized void close() {
    lines.close();
  }
}
