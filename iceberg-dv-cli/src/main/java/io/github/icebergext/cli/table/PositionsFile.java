package io.github.icebergext.cli.table;

import io.github.icebergext.cli.text.CommandException;
import io.github.icebergext.cli.text.Errors;
import io.github.icebergext.cli.text.Numbers;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.apache.commons.csv.CSVException;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVParser;
import org.apache.commons.csv.CSVRecord;

/** A file that names rows by the location of their data file and their position in it. */
public final class PositionsFile {
  private static final String STANDARD_INPUT = "-";
  private static final Pattern HEADER = Pattern.compile("[\\p{L}_\\- ]+");
  private static final Pattern POSITION = Pattern.compile("\\d{1,19}");

  private static final char BYTE_ORDER_MARK = '\ufeff';
  private static final char TAB = '\t';

  /** More than any comment and location before the first separator. */
  private static final int LOOK_AHEAD = 1 << 16;

  private static final CSVFormat FORMAT =
      CSVFormat.RFC4180.builder().setCommentMarker('#').setIgnoreEmptyLines(true).get();

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
  public static PositionsFile read(String file) {
    PositionsFile positions =
        new PositionsFile(file.equals(STANDARD_INPUT) ? "standard input" : file);
    try (BufferedReader reader = new BufferedReader(open(file))) {
      positions.addAll(reader);
    } catch (NoSuchFileException e) {
      throw new CommandException(file + ": no such file", e);
    } catch (CharacterCodingException e) {
      throw new CommandException(positions.name + ": is not UTF-8", e);
    } catch (CSVException e) {
      throw new CommandException(positions.name + ": is no CSV: " + e.getMessage(), e);
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

  private void addAll(BufferedReader reader) throws IOException {
    try (CSVParser csv = format(reader).parse(reader)) {
      boolean first = true;
      for (CSVRecord row : csv) {
        if (!first || !isHeader(row)) {
          add(row, csv.getCurrentLineNumber());
        }
        first = false;
      }
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  /** Tabs separate where one comes before any comma, as in what {@code icedv diff} prints. */
  private static CSVFormat format(BufferedReader reader) throws IOException {
    reader.mark(LOOK_AHEAD);
    if (reader.read() != BYTE_ORDER_MARK) {
      reader.reset();
    }
    reader.mark(LOOK_AHEAD);
    int c = reader.read();
    for (int i = 1; i < LOOK_AHEAD && c >= 0 && c != ',' && c != TAB; i++) {
      c = reader.read();
    }
    reader.reset();
    return c == TAB ? FORMAT.builder().setDelimiter(TAB).get() : FORMAT;
  }

  /** A location has a slash or a dot, and a position that is mistyped most often a digit. */
  private static boolean isHeader(CSVRecord row) {
    return row.size() == 2 && row.stream().allMatch(field -> HEADER.matcher(field).matches());
  }

  private void add(CSVRecord row, long line) {
    if (row.size() != 2) {
      throw error(
          line,
          "expected a data file and a position but found "
              + Numbers.count(row.size(), "field", "fields")
              + (row.size() > 2 ? "; a location with a comma has to be in quotes" : ""));
    }
    String dataFile = row.get(0);
    long position = position(row.get(1).strip(), line);
    try {
      rows.computeIfAbsent(dataFile, location -> new RowsToDelete(location, line))
          .add(position, line);
    } catch (IllegalArgumentException e) {
      throw error(line, Errors.message(e));
    }
  }

  private long position(String text, long line) {
    if (POSITION.matcher(text).matches()) {
      try {
        return Long.parseLong(text);
      } catch (NumberFormatException e) {
        // Too large: said below.
      }
    }
    throw error(line, "expected the position of a row but was '" + text + "'");
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
