package io.github.icebergext.cli.file;

import io.github.icebergext.cli.text.FactSheet;
import io.github.icebergext.cli.text.Json;
import io.github.icebergext.cli.text.Numbers;
import io.github.icebergext.cli.text.Outcome;
import io.github.icebergext.cli.text.Report;
import io.github.icebergext.cli.text.Terminal;
import io.github.icebergext.puffin.ByteRange;
import io.github.icebergext.puffin.Container;
import io.github.icebergext.puffin.PuffinFileReader;
import io.github.icebergext.puffin.PuffinFooter;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.puffin.BlobMetadata;

/** What a Puffin file holds. */
public record PuffinReport(
    String file, long fileSizeInBytes, PuffinFooter footer, Layout layout, List<BlobFacts> blobs)
    implements Report {

  private static final int MAX_GAPS_SHOWN = 3;

  public static PuffinReport of(String file, InputFile input) {
    long size = input.getLength();
    try (PuffinFileReader reader = PuffinFileReader.read(input).withFileSize(size).build()) {
      reader.verify();
      PuffinFooter footer = reader.footer();
      List<BlobFacts> blobs = new ArrayList<>();
      for (BlobMetadata blob : footer.blobs()) {
        blobs.add(BlobFacts.of(reader, blobs.size(), blob));
      }
      return new PuffinReport(file, size, footer, Layout.of(footer), blobs);
    }
  }

  @Override
  public Outcome outcome() {
    return blobs.stream().anyMatch(blob -> blob.problem() != null)
        ? Outcome.FINDINGS
        : Outcome.FINE;
  }

  @Override
  public Json.Members toJson() {
    return Json.object()
        .put("file", file)
        .put("container", Container.PUFFIN)
        .put("fileSizeInBytes", fileSizeInBytes)
        .put("footerOffset", footer.offset())
        .put("footerSizeInBytes", footer.sizeInBytes())
        .put("footerCompressed", footer.compressed())
        .put("flags", footer.compressed() ? 1 : 0)
        .put("properties", footer.properties())
        .put("blobs", blobs.stream().map(BlobFacts::toJson).toList())
        .put("gaps", layout.gaps().stream().map(PuffinReport::rangeJson).toList())
        .put("deadBytes", layout.deadBytes())
        .put("overlaps", layout.overlaps().stream().map(Layout.Overlap::toJson).toList());
  }

  private static Json.Members rangeJson(ByteRange range) {
    return Json.object().put("offset", range.offset()).put("length", range.length());
  }

  @Override
  public void print(Terminal terminal) {
    FactSheet facts = new FactSheet(terminal);
    facts.title(file, "Puffin, " + Numbers.count(blobs.size(), "blob", "blobs"));
    facts.add("size", Numbers.size(fileSizeInBytes));
    facts.add("footer", footerText());
    footer.properties().forEach(facts::add);
    facts.add("dead bytes", deadBytesText());
    layout.overlaps().forEach(overlap -> facts.add("overlap", overlapText(overlap)));
    facts.print();
    if (!blobs.isEmpty()) {
      terminal.out().println();
      new BlobTable(terminal, blobs).print();
    }
  }

  private String footerText() {
    return Numbers.size(footer.sizeInBytes())
        + " at offset "
        + Numbers.count(footer.offset())
        + (footer.compressed() ? ", LZ4, flags 0x00000001" : ", plain, flags 0x00000000");
  }

  private String deadBytesText() {
    List<ByteRange> gaps = layout.gaps();
    if (gaps.isEmpty()) {
      return "none";
    }
    String shown =
        gaps.stream()
            .limit(MAX_GAPS_SHOWN)
            .map(gap -> Numbers.count(gap.offset()) + " to " + Numbers.count(gap.end() - 1))
            .collect(Collectors.joining(", "));
    int more = gaps.size() - MAX_GAPS_SHOWN;
    return Numbers.size(layout.deadBytes())
        + " in "
        + Numbers.count(gaps.size(), "gap", "gaps")
        + ": "
        + shown
        + (more > 0 ? " and " + Numbers.count(more) + " more" : "");
  }

  private static String overlapText(Layout.Overlap overlap) {
    return "blob " + overlap.blob() + " shares bytes with blob " + overlap.with();
  }
}
