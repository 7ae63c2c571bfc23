package io.github.icebergext.cli.table;

import io.github.icebergext.cli.source.Folders;
import io.github.icebergext.cli.source.MetadataFolder;
import io.github.icebergext.cli.source.TableSource;
import io.github.icebergext.cli.text.CommandException;
import io.github.icebergext.cli.text.Numbers;
import io.github.icebergext.dv.internal.Location;
import java.io.FileNotFoundException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.iceberg.PartitionField;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.encryption.EncryptingFileIO;
import org.apache.iceberg.exceptions.NotFoundException;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.FileInfo;
import org.apache.iceberg.io.SupportsPrefixOperations;
import org.jspecify.annotations.Nullable;

/**
 * Looks for files that a table does not refer to. Holds the locations of all files that it does
 * refer to, at some bytes each, and what it finds; the rest of the listing passes by. Not
 * thread-safe.
 */
public final class OrphanSearch {
  /** Ends the names of empty objects by which some writers mark a folder of an object store. */
  private static final String FOLDER_MARKER = "_$folder$";

  private final TableSource source;
  private final Instant cutOff;
  private final ReferencedFiles referenced;

  /** Starts of the names of partition folders that would be hidden but for that. */
  private final Set<String> hiddenPartitions = new HashSet<>();

  /** Paths of folders that hold the metadata of this table, and of others. */
  private final Set<String> ownTables = new HashSet<>();

  private final Set<String> otherTables = new HashSet<>();

  private final List<FileInfo> candidates = new ArrayList<>();
  private long listed;
  private long inUse;
  private long tooNew;
  private long hidden;

  /**
   * @param cutOff files of this time and later, and those without a time, are not looked for
   */
  public OrphanSearch(TableSource source, Instant cutOff) {
    this.source = source;
    this.cutOff = cutOff;
    this.referenced = new ReferencedFiles(source.relocations());
  }

  /**
   * Searches the folders.
   *
   * <p>What decides is metadata that was read after the storage was listed. Were it read before, a
   * file written long ago and committed between the two would be in the listing and in no metadata.
   * The metadata is read before as well, so that of the listing only what is not in it need be
   * held, and a file that goes out of use meanwhile is left to the next run. A file that is
   * committed after all that has nothing but its age to protect it.
   *
   * @param given the folders; if empty, that of the table
   * @throws CommandException if storage cannot be listed, or if the table refers to none of the
   *     files in its own folder
   */
  public OrphansReport run(TableSource.OpenTable opened, List<String> given) {
    addReferenced(opened);
    Folders folders = given.isEmpty() ? Folders.of(List.of(location(opened))) : Folders.of(given);
    folders.locations().forEach(folder -> list(opened.storage().remote(), folder));
    TableMetadata newest = addReferencedSince();
    dropThoseInUse();
    Map<String, Long> ofOtherTables = dropThoseOfOtherTables();
    if (given.isEmpty() && inUse == 0 && !candidates.isEmpty()) {
      throw new CommandException(
          source.name()
              + ": cannot tell orphans: the table refers to none of the "
              + Numbers.count(listed, "file", "files")
              + " under "
              + folders.locations().get(0)
              + "; if it was copied, add --relocate, or name the folders by --under");
    }
    candidates.sort(Comparator.comparing(FileInfo::location));
    return new OrphansReport(
        source.name(),
        newest,
        folders,
        cutOff,
        new OrphansReport.Counts(listed, inUse, tooNew, hidden),
        ofOtherTables,
        candidates);
  }

  private TableMetadata addReferencedSince() {
    try (TableSource.OpenTable again = source.open()) {
      addReferenced(again);
      return again.metadata();
    }
  }

  private String location(TableSource.OpenTable opened) {
    return source.relocations().apply(opened.metadata().location());
  }

  private void addReferenced(TableSource.OpenTable opened) {
    FileIO io = EncryptingFileIO.combine(opened.table().io(), opened.table().encryption());
    referenced.add(opened.metadata(), io);
    Folders.of(List.of(location(opened)))
        .locations()
        .forEach(folder -> ownTables.add(Location.path(folder)));
    source.rivals(opened).forEach(rival -> referenced.addWhatIsThere(rival, io));
    opened.metadata().specs().stream()
        .flatMap(spec -> spec.fields().stream())
        .map(PartitionField::name)
        .filter(OrphanSearch::isHidden)
        .forEach(name -> hiddenPartitions.add(name + "="));
  }

  private void list(FileIO io, String folder) {
    if (!(io instanceof SupportsPrefixOperations lister)) {
      throw new CommandException(
          folder + ": cannot be listed: " + io.getClass().getName() + " lists no files");
    }
    String path = Location.path(folder);
    try {
      // With the slash, or the files of a folder whose name only starts the same come too.
      for (FileInfo file : lister.listPrefix(folder + "/")) {
        String filePath = Location.path(file.location());
        // Object stores may have an object for a folder.
        if (filePath.startsWith(path + "/") && !filePath.endsWith("/")) {
          sort(file, filePath, filePath.substring(path.length() + 1));
        }
      }
    } catch (UncheckedIOException e) {
      if (e.getCause() instanceof FileNotFoundException) {
        throw new NotFoundException(e, "%s: no such folder", folder);
      }
      throw e;
    }
  }

  private void sort(FileInfo file, String path, String pathInFolder) {
    listed++;
    boolean isReferenced = referenced.contains(file.location());
    String table = MetadataFolder.tableOf(path);
    if (table != null) {
      (isReferenced ? ownTables : otherTables).add(table);
    }
    if (isReferenced) {
      inUse++;
    } else if (isHiddenPath(pathInFolder)) {
      hidden++;
    } else if (file.createdAtMillis() <= 0 || file.createdAtMillis() >= cutOff.toEpochMilli()) {
      tooNew++;
    } else {
      candidates.add(file);
    }
  }

  /**
   * As in Hadoop: such names are of those who work beside the table, such as {@code _delta_log}.
   */
  private boolean isHiddenPath(String pathInFolder) {
    for (String name : pathInFolder.split("/", -1)) {
      if (isHidden(name) && hiddenPartitions.stream().noneMatch(name::startsWith)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isHidden(String name) {
    return name.startsWith("_") || name.startsWith(".") || name.endsWith(FOLDER_MARKER);
  }

  private Map<String, Long> dropThoseOfOtherTables() {
    Map<String, Long> dropped = new TreeMap<>();
    otherTables.removeAll(ownTables);
    candidates.removeIf(
        file -> {
          String table = otherTable(Location.path(file.location()));
          if (table != null) {
            dropped.merge(table, 1L, Long::sum);
          }
          return table != null;
        });
    return dropped;
  }

  /** Returns the folder of another table that has the file, or null. */
  private @Nullable String otherTable(String path) {
    for (int end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      String folder = path.substring(0, end);
      if (otherTables.contains(folder)) {
        return folder;
      }
      if (ownTables.contains(folder)) {
        return null;
      }
    }
    return null;
  }

  private void dropThoseInUse() {
    int before = candidates.size();
    candidates.removeIf(file -> referenced.contains(file.location()));
    inUse += before - candidates.size();
  }
}
