package io.github.icebergext.dv.internal;

import org.apache.iceberg.PartitionData;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.StructLike;
import org.apache.iceberg.types.Comparators;

/** A partition: a spec and a tuple of it, compared by type. */
public record FilePartition(PartitionSpec spec, StructLike tuple) {
  /** The only partition of a spec without fields. */
  public static final StructLike EMPTY =
      new PartitionData(PartitionSpec.unpartitioned().partitionType());

  /** Tells whether a file of the given spec and tuple lies in this partition. */
  public boolean contains(int specId, StructLike otherTuple) {
    return spec.specId() == specId
        && (tuple == otherTuple
            || spec.isUnpartitioned()
            || Comparators.forType(spec.partitionType()).compare(tuple, otherTuple) == 0);
  }

  /** Returns this partition with a tuple of its own, which nobody changes. */
  public FilePartition copy() {
    return new FilePartition(spec, new PartitionData(spec.partitionType()).copyFor(tuple));
  }

  @Override
  public String toString() {
    return describe(spec.specId(), tuple);
  }

  public static String describe(int specId, StructLike tuple) {
    return "spec " + specId + " with partition " + tuple;
  }
}
