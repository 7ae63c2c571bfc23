package io.github.icebergext.cli.file;

import com.fasterxml.jackson.core.JsonGenerator;
import io.github.icebergext.cli.text.FactSheet;
import io.github.icebergext.cli.text.Json;
import io.github.icebergext.cli.text.Numbers;
import io.github.icebergext.cli.text.Terminal;
import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.dv.VectorLayout;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/** A deletion vector, and what its positions are like. */
public record VectorFacts(VectorPlace place, DeletedPositions positions, VectorScan scan)
    implements VectorFinding {

  /** Returns the facts that stand for the whole vector. */
  Json.Members summaryJson() {
    Json.Members json = Json.object().put("cardinality", positions.cardinality());
    if (!positions.isEmpty()) {
      json.put("firstPosition", positions.firstPosition());
      json.put("lastPosition", positions.lastPosition());
    }
    return json.put("positionsSha256", scan.fingerprint());
  }

  @Override
  public Json.Members toJson() {
    return place
        .toJson()
        .putAll(summaryJson())
        .putAll(layoutJson())
        .put("bytesPerDeletedRow", positions.isEmpty() ? null : bytesPerRow())
        .put("rangeCount", scan.rangeCount())
        .put("ranges", scan.rangesJson());
  }

  private Json.Members layoutJson() {
    VectorLayout layout = positions.layout();
    return Json.object()
        .put("keys", layout.bitmaps())
        .put(
            "containers",
            Json.object()
                .put("array", layout.arrayContainers())
                .put("bitmap", layout.bitsetContainers())
                .put("run", layout.runContainers()));
  }

  /** Returns the positions as a JSON array that is never held as a whole. */
  public Json.Streamed positionsJson() {
    return positionsJson(positions);
  }

  /** Returns positions as a JSON array that is never held as a whole. */
  public static Json.Streamed positionsJson(DeletedPositions positions) {
    return generator -> {
      generator.writeStartArray();
      positions.forEach(position -> writeNumber(generator, position));
      generator.writeEndArray();
    };
  }

  private static void writeNumber(JsonGenerator generator, long position) {
    try {
      generator.writeNumber(position);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private double bytesPerRow() {
    return (double) place.range().length() / positions.cardinality();
  }

  @Override
  public void print(Terminal terminal) {
    FactSheet facts = new FactSheet(terminal);
    facts.add("deleted", deletedText());
    facts.add("stored", storedText());
    facts.add("layout", layoutText());
    if (!positions.isEmpty()) {
      facts.addPainted("density", terminal.ink().cyan(scan.strip()));
      facts.add("", densityText());
      facts.addWords("ranges", scan.rangesText());
    }
    facts.print();
  }

  private String deletedText() {
    String rows = Numbers.count(positions.cardinality(), "row", "rows");
    if (positions.isEmpty()) {
      return rows;
    }
    return positions.cardinality() == 1
        ? rows + ", at position " + Numbers.count(positions.firstPosition())
        : rows
            + ", positions "
            + Numbers.count(positions.firstPosition())
            + " to "
            + Numbers.count(positions.lastPosition());
  }

  private String storedText() {
    return Numbers.size(place.range().length())
        + " at offset "
        + Numbers.count(place.range().offset())
        + (positions.isEmpty() ? "" : ", " + perRowText() + " a deleted row");
  }

  private String layoutText() {
    VectorLayout layout = positions.layout();
    List<String> kinds = new ArrayList<>();
    addKind(kinds, layout.arrayContainers(), "array", "arrays");
    addKind(kinds, layout.bitsetContainers(), "bitmap", "bitmaps");
    addKind(kinds, layout.runContainers(), "run container", "run containers");
    String keys = Numbers.count(layout.bitmaps(), "key", "keys");
    return kinds.isEmpty() ? keys : keys + ": " + String.join(", ", kinds);
  }

  private static void addKind(List<String> kinds, int count, String one, String many) {
    if (count > 0) {
      kinds.add(Numbers.count(count, one, many));
    }
  }

  private String perRowText() {
    double bytes = bytesPerRow();
    return bytes < 0.01 ? "under 0.01 bytes" : Numbers.decimal(bytes) + " bytes";
  }

  private String densityText() {
    return "0 to "
        + Numbers.count(positions.lastPosition())
        + ", a cell for "
        + Numbers.count(scan.rowsInCell(), "row", "rows");
  }
}
