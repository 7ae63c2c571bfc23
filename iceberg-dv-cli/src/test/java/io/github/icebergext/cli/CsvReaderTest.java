package io.github.icebergext.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CsvReaderTest {
  private static List<CsvReader.Row> rows(String csv) throws IOException {
    CsvReader reader = new CsvReader("f.csv", new StringReader(csv));
    List<CsvReader.Row> rows = new ArrayList<>();
    for (CsvReader.Row row = reader.next(); row != null; row = reader.next()) {
      rows.add(row);
    }
    return rows;
  }

  private static CsvReader.Row row(long line, String... fields) {
    return new CsvReader.Row(line, List.of(fields));
  }

  @Test
  void linesEndInAnyWay() throws IOException {
    assertThat(rows("a,1\nb,2\r\nc,3\rd,4"))
        .containsExactly(row(1, "a", "1"), row(2, "b", "2"), row(3, "c", "3"), row(4, "d", "4"));
    assertThat(rows("a,1\r\n")).containsExactly(row(1, "a", "1"));
    assertThat(rows("")).isEmpty();
    assertThat(rows("\n\r\n")).isEmpty();
  }

  @Test
  void quotedFieldsMayHoldSeparatorsQuotesAndLineEnds() throws IOException {
    assertThat(rows("\"a,\"\"b\"\"\r\nc\",\"1\"\nd,\"\"\n"))
        .containsExactly(row(1, "a,\"b\"\r\nc", "1"), row(3, "d", ""));
  }

  @Test
  void blankLinesAndCommentsArePassedOver() throws IOException {
    assertThat(rows("\ufeff# one\n\n  \na,1\n#b,2\n\nc,#3\n"))
        .containsExactly(row(4, "a", "1"), row(7, "c", "#3"));
  }

  @Test
  void tabSeparatesWhereItComesFirst() throws IOException {
    assertThat(rows("a\t1\nb,c\t2\n")).containsExactly(row(1, "a", "1"), row(2, "b,c", "2"));
    assertThat(rows("a,1\nb\tc,2\n")).containsExactly(row(1, "a", "1"), row(2, "b\tc", "2"));
  }

  @Test
  void spacesArePartOfAField() throws IOException {
    assertThat(rows(" a , 1 ")).containsExactly(row(1, " a ", " 1 "));
    assertThat(rows("a,\n,")).containsExactly(row(1, "a", ""), row(2, "", ""));
  }

  @Test
  void misplacedQuotesAreErrorsThatNameTheLine() {
    assertThatThrownBy(() -> rows("a,1\n\"b,2\nc,3"))
        .isInstanceOf(CommandException.class)
        .hasMessage("f.csv, line 2: a quote that is not closed");
    assertThatThrownBy(() -> rows("a,1\nb\"c,2"))
        .isInstanceOf(CommandException.class)
        .hasMessage("f.csv, line 2: a quote within a field that does not start with one");
    assertThatThrownBy(() -> rows("\"a\" ,1"))
        .isInstanceOf(CommandException.class)
        .hasMessage("f.csv, line 1: text after the quote that ends a field");
  }
}
