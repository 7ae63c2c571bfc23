package io.github.icebergext.cli.table;

import io.github.icebergext.cli.source.Folders;
import io.github.icebergext.cli.source.Locations;
import io.github.icebergext.cli.text.FactSheet;
import io.github.icebergext.cli.text.Json;
import io.github.icebergext.cli.text.Numbers;
import io.github.icebergext.cli.text.Outcome;
import io.github.icebergext.cli.text.Printable;
import io.github.icebergext.cli.text.Report;
import io.github.icebergext.cli.text.Terminal;
import io.github.icebergext.cli.text.TextTable;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.io.FileInfo;
import org.apache.iceberg.util.PropertyUtil;

/**
 * The files that a table does not refer to.
 *
 * @param cutOff the orphans are older
 * @param otherTables how many files were left out as they seem to be of another table, by its path
 */
public record OrphansReport(
    String name,
    TableMetadata metadata,
    Folders folders,
    Instant cutOff,
    Counts counts,
    Map<String, Long> otherTables,
    List<FileInfo> orphans)
    implements Report {

  /** Properties by which a table writes elsewhere than in its own folder. */
  @SuppressWarnings("deprecation") // older tables still have the last two
  private static final List<String> PATH_PROPERTIES =
      List.of(
          TableProperties.WRITE_DATA_LOCATION,
          TableProperties.WRITE_METADATA_LOCATION,
          TableProperties.OBJECT_STORE_PATH,
          TableProperties.WRITE_FOLDER_STORAGE_LOCATION);

  /**
   * What the listing had.
   *
   * @param listed all files
   * @param inUse files that the table refers to
   * @param tooNew others of the cut-off and later, or without a time
   * @param hidden others that are hidden, or in a hidden folder
   */
  record Counts(long listed, long inUse, long tooNew, long hidden) {}

  @Override
  public Outcome outcome() {
    return orphans.isEmpty() ? Outcome.FINE : Outcome.FINDINGS;
  }

  private long bytes() {
    return orphans.stream().mapToLong(FileInfo::size).sum();
  }

  /** Returns the properties that name a folder at which the search did not look. */
  private Stream<Map.Entry<String, String>> elsewhere() {
    return metadata.properties().entrySet().stream()
        .filter(property -> PATH_PROPERTIES.contains(property.getKey()))
        .filter(property -> !folders.contain(property.getValue()))
        .sorted(Map.Entry.comparingByKey());
  }

  private boolean sharesFiles() {
    return !PropertyUtil.propertyAsBoolean(
        metadata.properties(), TableProperties.GC_ENABLED, TableProperties.GC_ENABLED_DEFAULT);
  }

  @Override
  public Json.Members toJson() {
    Json.Members elsewhere = Json.object();
    elsewhere().forEach(property -> elsewhere.put(property.getKey(), property.getValue()));
    Json.Members others = Json.object();
    otherTables.forEach(others::put);
    return Json.object()
        .put("table", name)
        .put("location", metadata.location())
        .put("metadataFile", metadata.metadataFileLocation())
        .put("formatVersion", metadata.formatVersion())
        .put("foldersLookedAt", folders.locations())
        .put("foldersNotLookedAt", elsewhere)
        .put("cutOffMs", cutOff.toEpochMilli())
        .put("gcEnabled", !sharesFiles())
        .put("orphans", orphans.stream().map(OrphansReport::orphanJson).toList())
        .put("orphanCount", orphans.size())
        .put("orphanBytes", bytes())
        .put("listedFileCount", counts.listed())
        .put("inUseFileCount", counts.inUse())
        .put("tooNewFileCount", counts.tooNew())
        .put("hiddenFileCount", counts.hidden())
        .put("otherTablesFileCounts", others);
  }

  private static Json.Members orphanJson(FileInfo orphan) {
    return Json.object()
        .put("location", orphan.location())
        .put("sizeInBytes", orphan.size())
        .put("modifiedMs", orphan.createdAtMillis());
  }

  @Override
  public void print(Terminal terminal) {
    FactSheet facts = new FactSheet(terminal);
    facts.title(name, "format version " + metadata.formatVersion());
    facts.add("location", metadata.location());
    facts.add("metadata", metadata.metadataFileLocation());
    folders.locations().forEach(folder -> facts.add("looked at", folder));
    elsewhere()
        .forEach(
            property ->
                facts.add("not at", property.getValue() + ", which is " + property.getKey()));
    facts.add("older than", cutOff.truncatedTo(ChronoUnit.SECONDS).toString());
    facts.add("listed", listedText());
    otherTables.forEach(
        (table, files) ->
            facts.add(
                "left out", Numbers.count(files, "file", "files") + " of a table in " + table));
    if (sharesFiles()) {
      facts.add("note", "gc.enabled is false: other tables may use these files");
    }
    facts.add("orphans", orphansText());
    facts.print();
    if (!orphans.isEmpty()) {
      terminal.out().println();
      printOrphans(terminal);
    }
  }

  private String listedText() {
    List<String> parts = new ArrayList<>();
    parts.add(Numbers.count(counts.listed(), "file", "files"));
    parts.add(Numbers.count(counts.inUse()) + " in use");
    if (counts.tooNew() > 0) {
      parts.add(Numbers.count(counts.tooNew()) + " too new to tell");
    }
    if (counts.hidden() > 0) {
      parts.add(Numbers.count(counts.hidden()) + " hidden");
    }
    return String.join(", ", parts);
  }

  private String orphansText() {
    return orphans.isEmpty()
        ? "none"
        : Numbers.count(orphans.size(), "file", "files") + ", " + Numbers.size(bytes());
  }

  private void printOrphans(Terminal terminal) {
    TextTable table = new TextTable(terminal).elastic("file").right("size").left("modified");
    for (FileInfo orphan : orphans) {
      table.row(
          List.of(
              Locations.relative(orphan.location(), folders.locations().get(0)),
              Numbers.size(orphan.size()),
              Instant.ofEpochMilli(orphan.createdAtMillis())
                  .truncatedTo(ChronoUnit.SECONDS)
                  .toString()));
    }
    table.print();
  }

  /** Prints the location of each orphan on a line of its own. */
  public void printLocations(Terminal terminal) {
    orphans.forEach(orphan -> terminal.out().print(Printable.of(orphan.location()) + '\n'));
  }
}
