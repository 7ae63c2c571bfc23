package io.github.icebergext.dv.write;

import io.github.icebergext.dv.DeletionVectorEntry;
import io.github.icebergext.dv.DeletionVectorIdentity;
import io.github.icebergext.dv.internal.PositionDeleteFiles;
import io.github.icebergext.dv.internal.TargetFile;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileContent;
import org.apache.iceberg.Table;

/** Delete files that a caller found. */
final class PreviousOfFiles extends PreviousDeletes {
  private final long snapshotId;
  private final Map<String, List<DeleteFile>> vectors = new HashMap<>();
  private final PositionDeleteFiles positionDeletes;

  PreviousOfFiles(Table table, long snapshotId, Iterable<DeleteFile> deleteFiles) {
    this.snapshotId = snapshotId;
    this.positionDeletes = new PositionDeleteFiles(table.specs());
    Set<DeletionVectorIdentity> seen = new HashSet<>();
    Set<String> seenPositionDeletes = new HashSet<>();
    for (DeleteFile deleteFile : deleteFiles) {
      if (DeletionVectorIdentity.isVector(deleteFile)) {
        String dataFile = DeletionVectorEntry.of(deleteFile).referencedDataFile();
        if (seen.add(DeletionVectorIdentity.of(deleteFile))) {
          vectors.computeIfAbsent(dataFile, location -> new ArrayList<>()).add(deleteFile);
        }
      } else if (deleteFile.content() == FileContent.POSITION_DELETES
          && seenPositionDeletes.add(deleteFile.location())) {
        positionDeletes.add(deleteFile);
      }
    }
  }

  @Override
  public OptionalLong snapshotId() {
    return OptionalLong.of(snapshotId);
  }

  @Override
  PreviousEntries of(TargetFile file) {
    List<DeleteFile> found =
        new ArrayList<>(
            positionDeletes.of(file.location(), file.partition(), file.dataSequenceNumber()));
    found.addAll(vectors.getOrDefault(file.location(), List.of()));
    return PreviousEntries.of(file.location(), found);
  }
}
