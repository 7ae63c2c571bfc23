package io.github.icebergext.cli.source;

import io.github.icebergext.cli.text.CommandException;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.FileInfo;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.SeekableInputStream;
import org.apache.iceberg.io.SupportsPrefixOperations;
import org.jspecify.annotations.Nullable;

/** Finds the newest metadata file of a table that is given by its folder. */
public final class MetadataFolder {
  /** {@code v3.metadata.json} or {@code 00003-uuid.metadata.json}, compressed or not. */
  private static final Pattern NAME =
      Pattern.compile("(?:v(\\d{1,9})|(\\d{1,9})-.*)(?:\\.gz)?\\.metadata\\.json(?:\\.gz)?");

  /** Five digits start the names that catalogs give, eight those of files not yet committed. */
  private static final Pattern CATALOG_NAME = Pattern.compile("\\d{5}-");

  private static final String FOLDER = "/metadata";

  private static final String HINT = "version-hint.text";

  /** A hint is a number or a name; more bytes are none. */
  private static final int MAX_HINT_BYTES = 1024;

  private record MetadataFile(String location, String name, int version, long modified) {}

  private final Storage storage;

  public MetadataFolder(Storage storage) {
    this.storage = storage;
  }

  /** Tells whether the location names a metadata file rather than a folder. */
  static boolean isMetadataFile(String location) {
    return isNamedAsMetadata(location)
        || (Storage.isLocal(location) && new File(Locations.plain(location)).isFile());
  }

  /** Returns the folder of the table whose metadata file that seems to be, or null. */
  public static @Nullable String tableOf(String location) {
    int end = location.lastIndexOf('/') - FOLDER.length();
    return end >= 0 && location.startsWith(FOLDER, end) && isNamedAsMetadata(location)
        ? location.substring(0, end)
        : null;
  }

  private static boolean isNamedAsMetadata(String location) {
    return location.endsWith(".metadata.json") || location.endsWith(".metadata.json.gz");
  }

  /**
   * Returns the location of the table's newest metadata file: the one that the version hint leads
   * to, else the one of the highest version.
   *
   * @throws CommandException if there is none
   */
  public String newest(String tableFolder) {
    String folder = tableFolder.endsWith("/") ? tableFolder : tableFolder + "/";
    List<MetadataFile> files = list(folder + "metadata/");
    if (files.isEmpty()) {
      files = list(folder);
    }
    if (files.isEmpty()) {
      throw new CommandException(
          tableFolder
              + ": no table here: neither the folder nor its metadata folder has a metadata file"
              + " such as v1.metadata.json or 00001-….metadata.json");
    }
    List<MetadataFile> found = files;
    return hinted(found).orElseGet(() -> newest(found)).location();
  }

  /**
   * Returns the metadata files beside the given one that may be the current one as well, as only a
   * catalog knows. A writer that fails or is killed while it commits leaves a metadata file of the
   * version after that of the one it started from: it may be as new as the current one, or newer by
   * one. Where a file system decides, as the names of its versions tell, only the newest counts.
   */
  List<String> rivals(String metadataFile) {
    String folder = metadataFile.substring(0, metadataFile.lastIndexOf('/') + 1);
    String name = metadataFile.substring(folder.length());
    List<MetadataFile> files = list(folder.isEmpty() ? "./" : folder);
    int newest = files.stream().mapToInt(MetadataFile::version).max().orElse(0);
    int version =
        files.stream()
            .filter(file -> file.name().equals(name))
            .mapToInt(MetadataFile::version)
            .findFirst()
            .orElse(newest);
    int oldest = name.startsWith("v") ? version : version - 1;
    return files.stream()
        .filter(file -> file.version() >= oldest && !file.name().equals(name))
        .map(MetadataFile::location)
        .toList();
  }

  private static MetadataFile newest(List<MetadataFile> files) {
    return files.stream()
        .max(
            Comparator.comparingInt(MetadataFile::version)
                .thenComparingLong(MetadataFile::modified)
                .thenComparing(MetadataFile::name))
        .orElseThrow();
  }

  /**
   * Tells whether the table in the folder is one of those whose folder says which metadata file is
   * current. One that was moved into a catalog has metadata files of both kinds.
   */
  boolean isOfHadoop(String tableFolder) {
    List<MetadataFile> files = list(Locations.folder(tableFolder) + "/metadata/");
    return files.stream().anyMatch(file -> file.name().startsWith("v"))
        && files.stream().noneMatch(file -> CATALOG_NAME.matcher(file.name()).lookingAt());
  }

  // As Iceberg's Hadoop tables do: a hint may lag behind, so that the versions after it count.
  private Optional<MetadataFile> hinted(List<MetadataFile> files) {
    String folder = files.get(0).location();
    String hint = hint(folder.substring(0, folder.lastIndexOf('/') + 1) + HINT);
    Optional<MetadataFile> found = files.stream().filter(file -> isNamedBy(hint, file)).findFirst();
    for (Optional<MetadataFile> next = found; next.isPresent(); ) {
      found = next;
      int version = next.get().version() + 1;
      next =
          files.stream()
              .filter(file -> file.version() == version && file.name().startsWith("v"))
              .findFirst();
    }
    return found;
  }

  private static boolean isNamedBy(String hint, MetadataFile file) {
    return file.name().startsWith("v" + hint + ".") || file.name().startsWith(hint + ".metadata.");
  }

  private String hint(String location) {
    InputFile file = storage.newInputFile(location);
    if (!file.exists()) {
      return "";
    }
    try (SeekableInputStream in = file.newStream()) {
      return new String(in.readNBytes(MAX_HINT_BYTES), StandardCharsets.UTF_8).strip();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private List<MetadataFile> list(String folder) {
    List<MetadataFile> files = new ArrayList<>();
    if (Storage.isLocal(folder)) {
      File[] found = new File(Locations.plain(folder)).listFiles(File::isFile);
      for (File file : found == null ? new File[0] : found) {
        add(files, folder + file.getName(), file.lastModified());
      }
    } else {
      for (FileInfo file : remoteFiles(folder)) {
        if (file.location().lastIndexOf('/') == folder.length() - 1) {
          add(files, file.location(), file.createdAtMillis());
        }
      }
    }
    return files;
  }

  private Iterable<FileInfo> remoteFiles(String folder) {
    FileIO io = storage.remote();
    if (io instanceof SupportsPrefixOperations lister) {
      return lister.listPrefix(folder);
    }
    throw new CommandException(
        folder + ": cannot be listed by " + io.getClass().getName() + ": give the metadata file");
  }

  private static void add(List<MetadataFile> files, String location, long modified) {
    String name = location.substring(location.lastIndexOf('/') + 1);
    Matcher matcher = NAME.matcher(name);
    if (matcher.matches()) {
      String version = matcher.group(1) == null ? matcher.group(2) : matcher.group(1);
      files.add(new MetadataFile(location, name, Integer.parseInt(version), modified));
    }
  }
}
