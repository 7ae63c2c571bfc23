package io.github.icebergext.dv.commit.internal;

import io.github.icebergext.dv.DeletionVectorIdentity;
import io.github.icebergext.dv.internal.PositionDeleteFiles;
import io.github.icebergext.dv.internal.TargetFile;
import java.util.Collection;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileContent;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotSummary;
import org.apache.iceberg.Table;
import org.apache.iceberg.exceptions.ValidationException;
import org.apache.iceberg.io.FileIO;

/**
 * Position deletes of version 2 that came after the previous deletes were read, before the table
 * became one of version 3. A vector hides them, and Iceberg looks for other vectors only.
 */
public final class LatePositionDeletes {
  private final PositionDeleteFiles found;

  private LatePositionDeletes(Table table) {
    this.found = new PositionDeleteFiles(table.specs());
  }

  /**
   * Refuses vectors of data files that got position deletes since.
   *
   * @param start the snapshot that the previous deletes were read from
   * @throws ValidationException if so
   */
  public static void check(
      Table table, FileIO io, Snapshot start, Collection<PendingVector> vectors) {
    LatePositionDeletes late = new LatePositionDeletes(table);
    for (Snapshot snapshot : table.snapshots()) {
      if (snapshot.sequenceNumber() > start.sequenceNumber() && addsPositionDeletes(snapshot)) {
        late.addAll(snapshot, io);
      }
    }
    vectors.forEach(late::check);
  }

  /** Iceberg counts vectors apart from these. */
  private static boolean addsPositionDeletes(Snapshot snapshot) {
    return snapshot.summary() != null
        && snapshot.summary().containsKey(SnapshotSummary.ADD_POS_DELETE_FILES_PROP);
  }

  private void addAll(Snapshot snapshot, FileIO io) {
    for (DeleteFile added : snapshot.addedDeleteFiles(io)) {
      if (added.content() == FileContent.POSITION_DELETES
          && !DeletionVectorIdentity.isVector(added)) {
        found.add(added);
      }
    }
  }

  private void check(PendingVector vector) {
    TargetFile target = vector.file();
    for (DeleteFile late :
        found.of(target.location(), target.partition(), target.dataSequenceNumber())) {
      if (vector.upon().positionDeletes().stream()
          .noneMatch(known -> known.location().equals(late.location()))) {
        throw new ValidationException(
            "%s",
            "Cannot commit deletes of data file "
                + vector.location()
                + ": its vector would hide position delete file "
                + late.location()
                + ", which was added after the previous deletes were read");
      }
    }
  }
}
