package io.github.icebergext.cli.file;

import io.github.icebergext.cli.text.Numbers;
import io.github.icebergext.cli.text.Printable;
import io.github.icebergext.cli.text.Terminal;
import io.github.icebergext.cli.text.TextTable;
import io.github.icebergext.dv.DeletionVectorBlob;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The blobs of a Puffin file as a table; columns that none of them fills are left out. */
final class BlobTable {
  /** Properties that have a column. */
  private static final Set<String> IN_COLUMNS = Set.of(BlobFacts.CARDINALITY, BlobFacts.NDV);

  /** A number that fits 64 bits; other values are shown as they are. */
  private static final Pattern COUNT = Pattern.compile("\\d{1,18}");

  private final Terminal terminal;
  private final List<BlobFacts> blobs;
  private final boolean hasVectors;
  private final boolean hasSketches;

  BlobTable(Terminal terminal, List<BlobFacts> blobs) {
    this.terminal = terminal;
    this.blobs = blobs;
    this.hasVectors =
        blobs.stream().map(BlobFacts::metadata).anyMatch(DeletionVectorBlob::isDeletionVector);
    this.hasSketches =
        blobs.stream().anyMatch(blob -> blob.metadata().type().equals(ThetaSketch.TYPE));
  }

  void print() {
    TextTable table =
        new TextTable(terminal)
            .right("#")
            .left("type")
            .left("fields")
            .right("snapshot")
            .right("sequence")
            .right("offset")
            .right("length")
            .left("codec");
    if (hasVectors) {
      table.right("cardinality");
    }
    if (hasSketches) {
      table.right("ndv").right("estimate");
    }
    blobs.forEach(blob -> table.row(cells(blob), details(blob)));
    table.print();
  }

  private List<String> cells(BlobFacts blob) {
    List<String> cells = new ArrayList<>();
    cells.add(Integer.toString(blob.index()));
    cells.add(blob.metadata().type());
    cells.add(fields(blob));
    cells.add(Long.toString(blob.metadata().snapshotId()));
    cells.add(Long.toString(blob.metadata().sequenceNumber()));
    cells.add(Numbers.count(blob.metadata().offset()));
    cells.add(Numbers.size(blob.metadata().length()));
    String codec = blob.metadata().compressionCodec();
    cells.add(codec == null ? "-" : codec);
    if (hasVectors) {
      cells.add(property(blob, BlobFacts.CARDINALITY));
    }
    if (hasSketches) {
      cells.add(property(blob, BlobFacts.NDV));
      cells.add(blob.estimate() == null ? "-" : Numbers.decimal(blob.estimate()));
    }
    return cells;
  }

  private static String fields(BlobFacts blob) {
    return blob.metadata().inputFields().isEmpty()
        ? "-"
        : blob.metadata().inputFields().stream()
            .map(field -> Integer.toString(field))
            .collect(Collectors.joining(","));
  }

  private static String property(BlobFacts blob, String name) {
    String value = blob.metadata().properties().getOrDefault(name, "-");
    return COUNT.matcher(value).matches() ? Numbers.count(Long.parseLong(value)) : value;
  }

  private List<String> details(BlobFacts blob) {
    List<String> details = new ArrayList<>();
    blob.metadata()
        .properties()
        .forEach(
            (key, value) -> {
              if (!IN_COLUMNS.contains(key)) {
                details.add(terminal.ink().dim(Printable.of(key)) + "  " + Printable.of(value));
              }
            });
    if (blob.note() != null) {
      details.add(terminal.ink().yellow(blob.note()));
    }
    if (blob.problem() != null) {
      details.add(terminal.ink().red("✗ " + Printable.of(blob.problem().message())));
    }
    return details;
  }
}
