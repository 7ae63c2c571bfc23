package io.github.icebergext.cli.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;

class TextTableTest {
  private static String print(int columns) {
    StringWriter out = new StringWriter();
    PrintWriter writer = new PrintWriter(out);
    TextTable table =
        new TextTable(new Terminal(writer, writer, new Ink(false), columns))
            .right("#")
            .elastic("file")
            .left("kind")
            .right("rows");
    table.row(List.of("1", "data/2026/part-00001.parquet", "a", "1,000"));
    table.row(List.of("12", "data/x.parquet", "bb", "7"), List.of("a detail"));
    table.print();
    return out.toString();
  }

  @Test
  void columnsAreAligned() {
    assertThat(print(Terminal.UNLIMITED))
        .isEqualTo(
            """
               #  file                          kind   rows
               1  data/2026/part-00001.parquet  a     1,000
              12  data/x.parquet                bb        7
                  a detail
            """);
  }

  @Test
  void elasticColumnGivesWayToTheTerminal() {
    assertThat(print(40))
        .isEqualTo(
            """
               #  file                   kind   rows
               1  data/2…-00001.parquet  a     1,000
              12  data/x.parquet         bb        7
                  a detail
            """);
  }

  @Test
  void elasticColumnStaysReadable() {
    assertThat(print(10)).contains("   1  dat….parquet  a     1,000\n");
  }
}
