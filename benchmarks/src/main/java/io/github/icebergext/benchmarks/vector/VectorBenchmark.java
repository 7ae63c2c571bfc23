package io.github.icebergext.benchmarks.vector;

import io.github.icebergext.benchmarks.ComparedBenchmark;
import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.dv.DeletionVectorCodec;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.deletes.PositionDeleteIndex;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/** One vector as Iceberg writes it, decoded by both sides. */
public abstract class VectorBenchmark extends ComparedBenchmark {
  private static final int SEED = 1;

  @Param({"sparse1k", "array5pct", "bitmap20pct", "runs50pct"})
  public String shape = "";

  Rows rows = new Rows(0, 0, new long[0]);
  byte[] blob = new byte[0];
  DeleteFile entry = IcebergIndex.entry(blob, 1);
  PositionDeleteIndex index = PositionDeleteIndex.empty();
  DeletedPositions positions = DeletedPositions.of();

  /** Lets Iceberg write the vector. */
  @Setup
  public void prepare() {
    rows = Rows.of(shape, SEED);
    blob = IcebergIndex.blob(IcebergIndex.of(rows.deleted()));
    entry = IcebergIndex.entry(blob, rows.deleted().length);
    index = PositionDeleteIndex.deserialize(blob, entry);
    positions = DeletionVectorCodec.decodeOwned(blob);
    prepareMore();
  }

  /** Prepares what a benchmark needs besides; a further setup method might be called first. */
  void prepareMore() {}
}
