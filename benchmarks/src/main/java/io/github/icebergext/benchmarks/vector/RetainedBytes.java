package io.github.icebergext.benchmarks.vector;

import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.dv.DeletionVectorCodec;
import io.github.icebergext.dv.VectorLayout;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.apache.iceberg.deletes.PositionDeleteIndex;
import org.openjdk.jol.info.GraphLayout;

/**
 * The bytes that a decoded vector retains, counted object by object instead of timed: {@code ratio}
 * lines compare with what they may be, the blob and 16 bytes a container and 256 more.
 */
public final class RetainedBytes {
  private RetainedBytes() {}

  /** Returns lines in the form of those that compare times. */
  public static List<String> lines() {
    List<String> shapes = List.of("sparse1k", "array5pct", "bitmap20pct", "runs50pct");
    return Stream.concat(
            shapes.stream().map(RetainedBytes::besideIceberg),
            shapes.stream().map(RetainedBytes::besideBound))
        .toList();
  }

  private static String besideBound(String shape) {
    byte[] blob = blob(shape);
    DeletedPositions positions = DeletionVectorCodec.decodeOwned(blob);
    VectorLayout layout = positions.layout();
    int containers = layout.arrayContainers() + layout.bitsetContainers() + layout.runContainers();
    return line("ratio", shape, retained(positions), blob.length + 16L * containers + 256);
  }

  private static String besideIceberg(String shape) {
    byte[] blob = blob(shape);
    long cardinality = Rows.of(shape, 1).deleted().length;
    PositionDeleteIndex index =
        PositionDeleteIndex.deserialize(blob, IcebergIndex.entry(blob, cardinality));
    return line(
        "beside",
        shape + " iceberg",
        retained(DeletionVectorCodec.decodeOwned(blob)),
        retained(index) - retained(index.deleteFiles()));
  }

  private static byte[] blob(String shape) {
    return IcebergIndex.blob(IcebergIndex.of(Rows.of(shape, 1).deleted()));
  }

  private static long retained(Object object) {
    return GraphLayout.parseInstance(object).totalSize();
  }

  private static String line(String kind, String shape, long ours, long other) {
    double ratio = (double) other / ours;
    return String.format(
        Locale.ROOT,
        "%s retained-bytes %s %d %d %.3f %.3f %.3f bytes",
        kind,
        shape,
        ours,
        other,
        ratio,
        ratio,
        ratio);
  }
}
