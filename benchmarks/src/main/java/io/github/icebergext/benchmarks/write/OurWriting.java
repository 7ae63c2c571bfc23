package io.github.icebergext.benchmarks.write;

import io.github.icebergext.dv.table.LiveDeletes;
import io.github.icebergext.dv.write.DeletionVectorWriter;
import io.github.icebergext.dv.write.FlushedVector;
import io.github.icebergext.dv.write.PreviousDeletes;
import java.util.List;
import org.apache.iceberg.DataFile;

/** A workload in the hands of this library. */
final class OurWriting {
  private final Workload workload;
  private final PreviousDeletes previous;

  /** Reads the previous deletes' entries, and no vector. */
  OurWriting(Workload workload) {
    this.workload = workload;
    this.previous = PreviousDeletes.of(LiveDeletes.of(workload.table()));
  }

  /** Returns a writer to which everything was added, file by file. */
  DeletionVectorWriter added() {
    DeletionVectorWriter writer = DeletionVectorWriter.of(workload.table(), previous);
    List<DataFile> dataFiles = workload.dataFiles();
    for (int i = 0; i < dataFiles.size(); i++) {
      DataFile dataFile = dataFiles.get(i);
      for (long position : workload.positionsOf(i)) {
        writer.delete(dataFile, position);
      }
    }
    return writer;
  }

  /** Returns a writer to which everything was added, one row of each file in turn. */
  DeletionVectorWriter addedInTurn() {
    DeletionVectorWriter writer = DeletionVectorWriter.of(workload.table(), previous);
    List<DataFile> dataFiles = workload.dataFiles();
    for (int row = 0; row < workload.positionsPerFile(); row++) {
      for (int i = 0; i < dataFiles.size(); i++) {
        writer.delete(dataFiles.get(i), workload.positionsOf(i)[row]);
      }
    }
    return writer;
  }

  /** Adds everything and writes it. */
  List<FlushedVector> written() {
    return flush(added());
  }

  static List<FlushedVector> flush(DeletionVectorWriter writer) {
    return writer.flush().vectors();
  }

  /** Returns how many rows vectors delete. */
  static long rows(List<FlushedVector> vectors) {
    return vectors.stream().mapToLong(vector -> vector.entry().recordCount()).sum();
  }
}
