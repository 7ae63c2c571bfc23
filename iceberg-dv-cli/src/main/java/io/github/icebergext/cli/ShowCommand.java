package io.github.icebergext.cli;

import io.github.icebergext.cli.file.PositionsReport;
import io.github.icebergext.cli.file.ShowReport;
import io.github.icebergext.cli.file.VectorFacts;
import io.github.icebergext.cli.file.VectorFinder;
import io.github.icebergext.cli.file.VectorFinding;
import io.github.icebergext.cli.file.VectorPlace;
import io.github.icebergext.cli.file.VectorScan;
import io.github.icebergext.cli.text.CommandException;
import io.github.icebergext.cli.text.Problem;
import io.github.icebergext.cli.text.Report;
import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.dv.DeletionVectorCodec;
import io.github.icebergext.puffin.ByteRange;
import io.github.icebergext.puffin.PuffinFormatException;
import io.github.icebergext.puffin.PuffinLimits;
import io.github.icebergext.puffin.RangeReader;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.apache.iceberg.io.InputFile;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code icedv show}. */
@Command(
    name = "show",
    mixinStandardHelpOptions = true,
    description = {
      "Shows deletion vectors: how many rows they delete, where, and how they are stored. Reads"
          + " Puffin files, bare blobs, and the deletion-vector files of Delta Lake and Paimon.",
      "In the density strip a dot stands for rows none of which are deleted, a full block for rows"
          + " that all are."
    })
final class ShowCommand implements Callable<Integer> {
  private static final int STRIP_MARGIN = 14;
  private static final int MAX_STRIP = 120;

  private final Output output;
  private final EachFile eachFile;

  @Parameters(arity = "1..*", paramLabel = "FILE", description = "Files, local or by URI.")
  private List<String> files = List.of();

  @ArgGroup(exclusive = true)
  private @Nullable Selection selection;

  @Option(
      names = "--ranges",
      paramLabel = "N",
      defaultValue = "10",
      description = "How many ranges of deleted rows to show at most (${DEFAULT-VALUE}).")
  private int maxRanges;

  @Option(
      names = "--positions",
      description = "Print every deleted position, one a line; with --json as an array.")
  private boolean positions;

  @Spec private CommandSpec spec = CommandSpec.create();

  /** Which vector of the file. */
  static final class Selection {
    @Option(
        names = "--blob",
        paramLabel = "I",
        description = "The vector with this index: of a Puffin file the blob's, from 0.")
    private @Nullable Integer blob;

    @ArgGroup(exclusive = false)
    private @Nullable Range range;
  }

  /** Which bytes of the file. */
  static final class Range {
    @Option(
        names = "--offset",
        required = true,
        paramLabel = "N",
        description = "The vector that starts at this byte, as a manifest entry says.")
    private long offset;

    @Option(
        names = "--length",
        required = true,
        paramLabel = "N",
        description = "The bytes that the vector has.")
    private long length;
  }

  ShowCommand(Output output, EachFile eachFile) {
    this.output = output;
    this.eachFile = eachFile;
  }

  @Override
  public Integer call() {
    check();
    return eachFile.apply(files, this::report);
  }

  private void check() {
    if (maxRanges < 0) {
      throw usage("--ranges must not be negative, but is " + maxRanges);
    }
    if (selection != null
        && selection.range != null
        && (selection.range.offset < 0 || selection.range.length < 0)) {
      throw usage("--offset and --length must not be negative");
    }
    if (printsPositions() && files.size() > 1) {
      throw usage("--positions prints one vector: give one file, or --json");
    }
  }

  private ParameterException usage(String message) {
    return new ParameterException(spec.commandLine(), message);
  }

  private boolean printsPositions() {
    return positions && !output.isJson();
  }

  private Report report(String name, InputFile file) {
    try (RangeReader reader = RangeReader.of(file, PuffinLimits.defaults())) {
      VectorFinder finder = new VectorFinder(name, file, reader);
      List<VectorPlace> places = selected(finder);
      if (printsPositions() && places.size() != 1) {
        throw new CommandException(
            name + ": has " + places.size() + " deletion vectors: --positions needs a --blob");
      }
      List<VectorFinding> vectors =
          places.size() == 1 ? List.of(read(reader, places.get(0))) : readAll(reader, places);
      return printsPositions()
          ? new PositionsReport((VectorFacts) vectors.get(0))
          : new ShowReport(name, finder.container(), vectors, positions);
    }
  }

  private List<VectorPlace> selected(VectorFinder finder) {
    if (selection == null) {
      return finder.all();
    }
    if (selection.range != null) {
      return List.of(finder.at(new ByteRange(selection.range.offset, selection.range.length)));
    }
    return List.of(finder.at(selection.blob == null ? 0 : selection.blob));
  }

  private List<VectorFinding> readAll(RangeReader reader, List<VectorPlace> places) {
    List<VectorFinding> vectors = new ArrayList<>();
    for (VectorPlace place : places) {
      try {
        vectors.add(read(reader, place));
      } catch (PuffinFormatException e) {
        vectors.add(new VectorFinding.Broken(place, Problem.of(e)));
      }
    }
    return vectors;
  }

  private VectorFacts read(RangeReader reader, VectorPlace place) {
    DeletedPositions decoded = DeletionVectorCodec.decodeOwned(reader.read(place.range()));
    int cells = Math.min(MAX_STRIP, output.terminal().drawingColumns(STRIP_MARGIN));
    return new VectorFacts(place, decoded, new VectorScan(decoded, maxRanges, cells));
  }
}
