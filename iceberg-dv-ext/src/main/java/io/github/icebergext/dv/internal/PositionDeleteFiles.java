package io.github.icebergext.dv.internal;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.util.ContentFileUtil;
import org.apache.iceberg.util.PartitionMap;
import org.jspecify.annotations.Nullable;

/** Position deletes that are no vectors, found by the data files they may apply to. */
public final class PositionDeleteFiles {
  private final Map<Integer, PartitionSpec> specs;
  private final List<DeleteFile> all = new ArrayList<>();
  private final Map<String, List<DeleteFile>> byDataFile = new HashMap<>();
  private final PartitionMap<List<DeleteFile>> byPartition;

  public PositionDeleteFiles(Map<Integer, PartitionSpec> specs) {
    this.specs = specs;
    this.byPartition = PartitionMap.create(specs);
  }

  /** Adds a file, whose statistics are at most those that name its data file. */
  public void add(DeleteFile deleteFile) {
    all.add(deleteFile);
    String dataFile = ContentFileUtil.referencedDataFileLocation(deleteFile);
    if (dataFile == null) {
      byPartition
          .computeIfAbsent(
              deleteFile.specId(), deleteFile.partition(), () -> new ArrayList<DeleteFile>())
          .add(deleteFile);
    } else {
      byDataFile.computeIfAbsent(dataFile, location -> new ArrayList<>()).add(deleteFile);
    }
  }

  public List<DeleteFile> all() {
    return all;
  }

  /**
   * Returns those that name the data file or share its partition. Bounds exclude none of the
   * latter: writers are known to get them wrong.
   */
  public List<DeleteFile> of(String location, FilePartition partition, @Nullable Long sequence) {
    List<DeleteFile> found = new ArrayList<>();
    addNotOlder(sequence, byDataFile.get(location), found);
    addNotOlder(sequence, byPartition.get(partition.spec().specId(), partition.tuple()), found);
    return found;
  }

  private static void addNotOlder(
      @Nullable Long dataSequence, @Nullable List<DeleteFile> candidates, List<DeleteFile> found) {
    if (candidates != null) {
      candidates.stream()
          .filter(deletes -> !DataFileCheck.isOlder(deletes, dataSequence))
          .forEach(found::add);
    }
  }

  /** Starts a search for deletes that apply to no data file. */
  public Unclaimed unclaimed() {
    return new Unclaimed();
  }

  /** Those that apply to none of the data files seen so far. Not thread-safe. */
  public final class Unclaimed {
    private final Set<DeleteFile> claimedByName =
        Collections.newSetFromMap(new IdentityHashMap<>());
    private final PartitionMap<DataFile> oldestOfPartition = PartitionMap.create(specs);

    public void claim(DataFile dataFile) {
      List<DeleteFile> named = new ArrayList<>();
      addNotOlder(dataFile.dataSequenceNumber(), byDataFile.get(dataFile.location()), named);
      claimedByName.addAll(named);
      if (byPartition.get(dataFile.specId(), dataFile.partition()) != null) {
        DataFile oldest = oldestOfPartition.get(dataFile.specId(), dataFile.partition());
        if (oldest == null || sequence(dataFile) < sequence(oldest)) {
          oldestOfPartition.put(dataFile.specId(), dataFile.partition(), dataFile);
        }
      }
    }

    private static long sequence(DataFile dataFile) {
      Long sequence = dataFile.dataSequenceNumber();
      return sequence == null ? Long.MIN_VALUE : sequence;
    }

    public List<DeleteFile> files() {
      return all.stream().filter(this::isUnclaimed).toList();
    }

    private boolean isUnclaimed(DeleteFile deletes) {
      if (ContentFileUtil.referencedDataFileLocation(deletes) != null) {
        return !claimedByName.contains(deletes);
      }
      DataFile oldest = oldestOfPartition.get(deletes.specId(), deletes.partition());
      return oldest == null || DataFileCheck.isOlder(deletes, oldest.dataSequenceNumber());
    }
  }
}
