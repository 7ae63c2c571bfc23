package io.github.icebergext.dv.maintain;

import io.github.icebergext.dv.InvalidDeletionVectorException;
import io.github.icebergext.dv.internal.FormatVersions;
import io.github.icebergext.puffin.Reason;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataTask;
import org.apache.iceberg.FileContent;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.MetadataTableType;
import org.apache.iceberg.MetadataTableUtils;
import org.apache.iceberg.StructLike;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableMetadataParser;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.encryption.EncryptingFileIO;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.FileIO;

/**
 * The Puffin files that an expiry by plain {@code table.expireSnapshots()} would delete although a
 * live deletion vector is in them: a snapshot in the history of main, which is not expired yet,
 * removed another vector of the same file. {@link PuffinGuard} is the expiry that keeps them.
 *
 * <p>Live means live in the head of a branch or in a tagged snapshot.
 *
 * <p>Immutable and thread-safe.
 */
public final class PuffinsAtRisk {
  private static final int FIRST_WITH_VECTORS = 3;

  private static final String CONTENT_COLUMN = "data_file." + DataFile.CONTENT.name();

  /** The columns that are read of an entry, in the order of Iceberg's metadata table. */
  private static final List<String> COLUMNS =
      List.of(
          "status",
          "snapshot_id",
          CONTENT_COLUMN,
          "data_file." + DataFile.FILE_PATH.name(),
          "data_file." + DataFile.FILE_FORMAT.name());

  private static final int STATUS = 0;
  private static final int SNAPSHOT_ID = 1;
  private static final int FILE = 2;

  private static final int CONTENT = 0;
  private static final int PATH = 1;
  private static final int FORMAT = 2;

  /** The status of an entry that its manifest lists as deleted. */
  private static final int DELETED = 2;

  private final List<String> locations;
  private final Optional<String> protectingRef;

  private PuffinsAtRisk(List<String> locations, Optional<String> protectingRef) {
    this.locations = locations;
    this.protectingRef = protectingRef;
  }

  /**
   * Finds them: reads the manifest lists of all retained snapshots, and their delete manifests.
   *
   * @throws IllegalArgumentException if the table is not one that a catalog gave, such as a
   *     serialized or a metadata table
   * @throws InvalidDeletionVectorException with {@link Reason#FORMAT_VERSION} if the table's format
   *     version is more than 3
   * @throws RuntimeException if a manifest or a manifest list cannot be read
   */
  public static PuffinsAtRisk of(Table table) {
    if (!(table instanceof HasTableOperations withOperations)) {
      throw new IllegalArgumentException(
          "Cannot tell which Puffin files of " + table.name() + " are at risk: it has no metadata");
    }
    FormatVersions.checkReadable(table);
    TableOperations operations = withOperations.operations();
    TableMetadata metadata = operations.current();
    Set<String> removed =
        metadata.formatVersion() < FIRST_WITH_VECTORS
            ? Set.of()
            : removedVectors(metadata, operations, table.name());
    if (!removed.isEmpty()) {
      FileIO io = EncryptingFileIO.combine(table.io(), table.encryption());
      RetainedFiles live = RetainedFiles.ofHeads(metadata, io);
      removed.removeIf(location -> live.keeps(location).isEmpty());
    }
    return new PuffinsAtRisk(List.copyOf(removed), GuardBranch.protectingRef(metadata));
  }

  /** Returns the files of vectors that a snapshot in the history of main removed. */
  private static Set<String> removedVectors(
      TableMetadata metadata, TableOperations operations, String name) {
    Set<Long> main = GuardBranch.main(metadata);
    Set<String> removed = new ConcurrentSkipListSet<>();
    ManifestTasks.forEach(
        entries(metadata, operations, name),
        task -> {
          try (CloseableIterable<StructLike> rows = task.rows()) {
            for (StructLike row : rows) {
              if (isRemoved(row, main)) {
                removed.add(file(row).get(PATH, String.class));
              }
            }
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
    return removed;
  }

  /** Returns a task for each delete manifest, which reads all its entries, deleted ones too. */
  private static List<DataTask> entries(
      TableMetadata metadata, TableOperations operations, String name) {
    // A copy: the snapshots of the table would keep all manifests in memory.
    TableMetadata copy =
        TableMetadataParser.fromJson(
            metadata.metadataFileLocation(), TableMetadataParser.toJson(metadata));
    Table entries =
        MetadataTableUtils.createMetadataTableInstance(
            new BaseTable(new UncommittedOperations(operations, copy), name),
            MetadataTableType.ALL_ENTRIES);
    List<DataTask> tasks = new ArrayList<>();
    try (CloseableIterable<FileScanTask> planned =
        entries
            .newScan()
            .filter(Expressions.equal(CONTENT_COLUMN, FileContent.POSITION_DELETES.id()))
            .select(COLUMNS)
            .planFiles()) {
      planned.forEach(task -> tasks.add(task.asDataTask()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return tasks;
  }

  private static boolean isRemoved(StructLike row, Set<Long> main) {
    Long snapshotId = row.get(SNAPSHOT_ID, Long.class);
    return row.get(STATUS, Integer.class) == DELETED
        && snapshotId != null
        && main.contains(snapshotId)
        && file(row).get(CONTENT, Integer.class) == FileContent.POSITION_DELETES.id()
        && FileFormat.PUFFIN.name().equalsIgnoreCase(file(row).get(FORMAT, String.class));
  }

  private static StructLike file(StructLike row) {
    return row.get(FILE, StructLike.class);
  }

  /**
   * Returns the locations of the files at risk, in order, whether or not the table is protected.
   */
  public List<String> locations() {
    return locations;
  }

  /**
   * Returns the branch or tag that makes every expiry of this table a safe one, such as the one
   * that {@link GuardBranch} makes. If there is one, the files are at risk only after it is
   * removed.
   */
  public Optional<String> protectingRef() {
    return protectingRef;
  }
}
