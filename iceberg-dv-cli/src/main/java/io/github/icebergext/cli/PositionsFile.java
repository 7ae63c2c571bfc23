package io.github.icebergext.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;

/** A file that names rows by the location of their data file and their position in it. */
final class PositionsFile {
  private static final String STANDARD_INPUT = "-";
  private static final Pattern HEADER = Pattern.compile("[\\p{L}_\\- ]+");
  private static final Pattern POSITION = Pattern.compile("\\d{1,19}");

  private final String name;
  private final Map<String, RowsToDelete> rows = new LinkedHashMap<>();

  private PositionsFile(String name) {
    this.name = name;
  }

  /**
   * Reads the file, or standard input if it is {@code -}.
   *
   * @throws CommandException if there is no such file, or one of its lines is wrong
   */
  static PositionsFile read(String file) {
    PositionsFile positions =
        new PositionsFile(file.equals(STANDARD_INPUT) ? "standard input" : file);
    try (Reader reader = new BufferedReader(open(file))) {
      positions.addAll(reader);
    } catch (NoSuchFileException e) {
      throw new CommandException(file + ": no such file", e);
    } catch (IOException e) {
      throw new CommandException(positions.name + ": cannot be read: " + Errors.message(e), e);
    }
    return positions;
  }

  private static Reader open(String file) throws IOException {
    InputStream in = file.equals(STANDARD_INPUT) ? System.in : Files.newInputStream(Path.of(file));
    // Unlike with a charset, what is no UTF-8 is an error then, not another location.
    return new InputStreamReader(in, StandardCharsets.UTF_8.newDecoder());
  }

  private void addAll(Reader reader) throws IOException {
    CsvReader csv = new CsvReader(name, reader);
    try {
      CsvReader.Row row = csv.next();
      if (row != null && isHeader(row)) {
        row = csv.next();
      }
      for (; row != null; row = csv.next()) {
        add(row);
      }
    } catch (CharacterCodingException e) {
      throw new CommandException(name + ": not UTF-8 in or after line " + csv.line(), e);
    }
  }

  /** A location has a slash or a dot, and a position that is mistyped most often a digit. */
  private static boolean isHeader(CsvReader.Row row) {
    return row.fields().size() == 2
        && row.fields().stream().allMatch(field -> HEADER.matcher(field).matches());
  }

  private void add(CsvReader.Row row) {
    if (row.fields().size() != 2) {
      throw error(
          row.line(),
          "expected a data file and a position but found "
              + Numbers.count(row.fields().size(), "field", "fields")
              + (row.fields().size() > 2 ? "; a location with a comma has to be in quotes" : ""));
    }
    String dataFile = row.fields().get(0);
    long position = position(row);
    try {
      rows.computeIfAbsent(dataFile, location -> new RowsToDelete(location, row.line()))
          .add(position, row.line());
    } catch (IllegalArgumentException e) {
      throw error(row.line(), Errors.message(e));
    }
  }

  private long position(CsvReader.Row row) {
    String text = row.fields().get(1).strip();
    if (POSITION.matcher(text).matches()) {
      try {
        return Long.parseLong(text);
      } catch (NumberFormatException e) {
        // Too large: said below.
      }
    }
    throw error(row.line(), "expected the position of a row but was '" + text + "'");
  }

  /** Returns the rows by data file, in the order in which those come first. */
  Collection<RowsToDelete> rows() {
    return rows.values();
  }

  /** Returns an error on a line of this file. */
  CommandException error(long line, String message) {
    return new CommandException(name + ", line " + line + ": " + message);
  }
}
