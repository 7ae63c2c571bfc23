package io.github.icebergext.dv;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.MetadataColumns;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.util.ContentFileUtil;
import org.apache.iceberg.util.PartitionMap;
import org.jspecify.annotations.Nullable;

/** Position deletes that are no vectors, found by the data files they may apply to. */
final class PositionDeletes {
  private static final Set<Integer> PATH_COLUMN =
      Set.of(MetadataColumns.DELETE_FILE_PATH.fieldId());

  private final List<DeleteFile> all = new ArrayList<>();
  private final Map<String, List<DeleteFile>> byDataFile = new HashMap<>();
  private final PartitionMap<List<DeleteFile>> byPartition;

  PositionDeletes(Map<Integer, PartitionSpec> specs) {
    this.byPartition = PartitionMap.create(specs);
  }

  /** Adds a file, of whose statistics only those that name its data file are kept. */
  void add(DeleteFile deleteFile) {
    DeleteFile copy = deleteFile.copyWithStats(PATH_COLUMN);
    all.add(copy);
    String dataFile = ContentFileUtil.referencedDataFileLocation(copy);
    if (dataFile == null) {
      byPartition
          .computeIfAbsent(copy.specId(), copy.partition(), () -> new ArrayList<DeleteFile>())
          .add(copy);
    } else {
      byDataFile.computeIfAbsent(dataFile, location -> new ArrayList<>()).add(copy);
    }
  }

  List<DeleteFile> all() {
    return all;
  }

  /**
   * Returns those that name the data file or share its partition. Bounds exclude none of the
   * latter: writers are known to get them wrong.
   */
  List<DeleteFile> of(DataFile dataFile) {
    List<DeleteFile> found = new ArrayList<>();
    addNotOlder(dataFile, byDataFile.get(dataFile.location()), found);
    addNotOlder(dataFile, byPartition.get(dataFile.specId(), dataFile.partition()), found);
    return found;
  }

  private static void addNotOlder(
      DataFile dataFile, @Nullable List<DeleteFile> candidates, List<DeleteFile> found) {
    if (candidates != null) {
      candidates.stream().filter(deletes -> !isOlder(deletes, dataFile)).forEach(found::add);
    }
  }

  private static boolean isOlder(DeleteFile deletes, DataFile dataFile) {
    Long deletesSequence = deletes.dataSequenceNumber();
    Long dataSequence = dataFile.dataSequenceNumber();
    return deletesSequence != null && dataSequence != null && deletesSequence < dataSequence;
  }
}
