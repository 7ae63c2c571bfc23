package io.github.icebergext.dv;

import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.List;
import java.util.function.LongConsumer;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.deletes.PositionDeleteIndex;

/** Deleted positions as Iceberg's interface, read-only. */
final class DeletedPositionsIndex implements PositionDeleteIndex {
  private final DeletedPositions positions;
  private final List<DeleteFile> deleteFiles;

  DeletedPositionsIndex(DeletedPositions positions, List<DeleteFile> deleteFiles) {
    this.positions = positions;
    this.deleteFiles = deleteFiles;
  }

  DeletedPositions positions() {
    return positions;
  }

  @Override
  public void delete(long position) {
    throw readOnly();
  }

  @Override
  public void delete(long posStart, long posEnd) {
    throw readOnly();
  }

  @Override
  public void merge(PositionDeleteIndex that) {
    throw readOnly();
  }

  private static UnsupportedOperationException readOnly() {
    return new UnsupportedOperationException(
        "Cannot change deleted positions: this index is read-only, use DeletedPositions.builder()");
  }

  @Override
  public boolean isDeleted(long position) {
    return positions.isDeleted(position);
  }

  @Override
  public boolean isEmpty() {
    return positions.isEmpty();
  }

  @Override
  public void forEach(LongConsumer consumer) {
    positions.forEach(consumer);
  }

  /** Overrides a method that the interface has from Iceberg 1.12 on. */
  public void forEachInRange(long startInclusive, long endExclusive, LongConsumer consumer) {
    positions.forEach(startInclusive, endExclusive, consumer);
  }

  @Override
  public Collection<DeleteFile> deleteFiles() {
    return deleteFiles;
  }

  @Override
  public long cardinality() {
    return positions.cardinality();
  }

  @Override
  public ByteBuffer serialize() {
    return DeletionVectorCodec.encode(positions);
  }
}
