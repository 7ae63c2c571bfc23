package io.github.icebergext.cli;

import java.io.IOException;
import java.io.Reader;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads comma-separated values as RFC 4180 has them: fields may be in quotes, and a quote in such a
 * field is doubled. Where a tab comes before any comma, tabs separate instead. Blank lines are
 * passed over, and so are lines that start with {@code #}. Not thread-safe.
 */
final class CsvReader {
  private static final int END = -1;
  private static final int NOT_READ = -2;
  private static final char BYTE_ORDER_MARK = '\ufeff';

  /**
   * A record.
   *
   * @param line number of the line it starts on, from 1
   */
  record Row(long line, List<String> fields) {}

  private final String name;
  private final Reader in;
  private int separator = NOT_READ;
  private int ahead = NOT_READ;
  private long line = 1;

  /**
   * @param name names the file in errors
   */
  CsvReader(String name, Reader in) {
    this.name = name;
    this.in = in;
  }

  /**
   * Returns the next record, or null if there is none.
   *
   * @throws CommandException if quotes are not where they should be
   */
  @Nullable Row next() throws IOException {
    if (line == 1 && peek() == BYTE_ORDER_MARK) {
      take();
    }
    while (peek() != END) {
      if (peek() == '#' || isLineEnd(peek())) {
        skipLine();
      } else {
        long start = line;
        List<String> fields = fields();
        skipLine();
        if (fields.size() > 1 || !fields.get(0).isBlank()) {
          return new Row(start, fields);
        }
      }
    }
    return null;
  }

  /** Returns the number of the line that is read next, from 1. */
  long line() {
    return line;
  }

  private CommandException error(long atLine, String message) {
    return new CommandException(name + ", line " + atLine + ": " + message);
  }

  private List<String> fields() throws IOException {
    List<String> fields = new ArrayList<>();
    fields.add(field());
    while (isSeparator(peek())) {
      separator = take();
      fields.add(field());
    }
    return fields;
  }

  private String field() throws IOException {
    if (peek() == '"') {
      return quoted();
    }
    StringBuilder field = new StringBuilder();
    while (!isFieldEnd(peek())) {
      if (peek() == '"') {
        throw error(line, "a quote within a field that does not start with one");
      }
      field.append((char) take());
    }
    return field.toString();
  }

  private String quoted() throws IOException {
    long start = line;
    take();
    StringBuilder field = new StringBuilder();
    int c = take();
    while (c != '"' || peek() == '"') {
      if (c == END) {
        throw error(start, "a quote that is not closed");
      }
      if (c == '"') {
        take();
      }
      field.append((char) c);
      c = take();
    }
    if (!isFieldEnd(peek())) {
      throw error(line, "text after the quote that ends a field");
    }
    return field.toString();
  }

  private boolean isFieldEnd(int c) {
    return c == END || isLineEnd(c) || isSeparator(c);
  }

  private boolean isSeparator(int c) {
    return separator == NOT_READ ? c == ',' || c == '\t' : c == separator;
  }

  private static boolean isLineEnd(int c) {
    return c == '\n' || c == '\r';
  }

  private void skipLine() throws IOException {
    while (peek() != END && !isLineEnd(peek())) {
      take();
    }
    if (take() == '\r' && peek() == '\n') {
      take();
    }
  }

  private int peek() throws IOException {
    if (ahead == NOT_READ) {
      ahead = in.read();
    }
    return ahead;
  }

  private int take() throws IOException {
    int taken = peek();
    if (taken != END) {
      ahead = NOT_READ;
    }
    if (taken == '\n' || (taken == '\r' && peek() != '\n')) {
      line++;
    }
    return taken;
  }
}
