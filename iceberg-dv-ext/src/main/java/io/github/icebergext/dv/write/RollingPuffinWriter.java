package io.github.icebergext.dv.write;

import io.github.icebergext.dv.DeletedPositions;
import io.github.icebergext.dv.InvalidDeletionVectorException;
import io.github.icebergext.dv.internal.IcebergFeatures;
import io.github.icebergext.dv.internal.TargetFile;
import io.github.icebergext.puffin.PuffinFile;
import io.github.icebergext.puffin.PuffinFileWriter;
import io.github.icebergext.puffin.Reason;
import java.io.Closeable;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.apache.iceberg.encryption.EncryptedOutputFile;
import org.apache.iceberg.puffin.Blob;
import org.apache.iceberg.puffin.BlobMetadata;
import org.jspecify.annotations.Nullable;

/**
 * Writes vectors into one Puffin file after the other, each begun when there is a vector for it.
 *
 * <p>What it has handed over belongs to whom it was handed to; closing abandons the rest.
 */
final class RollingPuffinWriter implements Closeable {
  private final WriteContext context;
  private final Consumer<List<FlushedVector>> finished;
  private @Nullable OpenFile current;

  /**
   * Creates nothing yet.
   *
   * @param finished takes the vectors of each file when it is complete
   */
  RollingPuffinWriter(WriteContext context, Consumer<List<FlushedVector>> finished) {
    this.context = context;
    this.finished = finished;
  }

  /** Writes the union of the old positions and those to be deleted, unless it need not. */
  void write(Replacement replacement, PreviousPositions oldDeletes) {
    DeletedPositions old = oldDeletes.positions();
    DeletedPositions given = replacement.deletes().positions();
    DeletedPositions added = old.isEmpty() ? given : given.difference(old);
    if (added.isEmpty() && context.unchanged() == UnchangedVectorPolicy.SKIP) {
      return;
    }
    rollIfFull();
    DeletedPositions all = old.isEmpty() ? added : old.union(added);
    if (current == null) {
      current = open();
    }
    current.write(replacement.deletes().file(), oldDeletes, all, added);
  }

  private void rollIfFull() {
    if (current != null
        && (current.written.size() >= context.vectorsPerFile()
            || current.puffin.length() >= context.fileSizeInBytes())) {
      finish();
    }
  }

  private OpenFile open() {
    EncryptedOutputFile output = context.outputFiles().get();
    PuffinFileWriter puffin =
        PuffinFileWriter.write(output.encryptingOutputFile(), context.io())
            .withLimits(context.limits())
            .build();
    return new OpenFile(output, puffin);
  }

  /** Completes the file begun last, if there is one. */
  void finish() {
    OpenFile file = current;
    if (file != null) {
      List<FlushedVector> vectors = file.finish();
      current = null;
      finished.accept(vectors);
    }
  }

  @Override
  public void close() {
    if (current != null) {
      current.puffin.close();
      current = null;
    }
  }

  private final class OpenFile {
    private final EncryptedOutputFile output;
    private final PuffinFileWriter puffin;
    private final List<WrittenVector> written = new ArrayList<>();

    OpenFile(EncryptedOutputFile output, PuffinFileWriter puffin) {
      this.output = output;
      this.puffin = puffin;
    }

    void write(
        TargetFile file, PreviousPositions old, DeletedPositions all, DeletedPositions added) {
      Blob blob = all.toBlob(file.location());
      checkSize(blob.blobData(), file.location());
      BlobMetadata stored = puffin.write(blob);
      // Of all positions only the new ones are kept until the file is complete.
      written.add(
          new WrittenVector(
              file,
              old.entries(),
              old.replaced(),
              added,
              stored,
              all.cardinality(),
              file.isFullyDeletedBy(all)));
    }

    private void checkSize(ByteBuffer bytes, String dataFile) {
      if (bytes.remaining() > context.limits().maxBlobBytes()) {
        throw new InvalidDeletionVectorException(
            Reason.LIMIT,
            "Cannot write deletion vector of "
                + dataFile
                + ": it has "
                + bytes.remaining()
                + " bytes, limit maxBlobBytes is "
                + context.limits().maxBlobBytes());
      }
    }

    List<FlushedVector> finish() {
      PuffinFile file = puffin.finish();
      try {
        ByteBuffer key =
            IcebergFeatures.withFileLength(output.keyMetadata(), file.fileSizeInBytes());
        return written.stream().map(vector -> vector.in(file, key)).toList();
      } catch (RuntimeException e) {
        context.deleteUnused(List.of(file.location()), e);
        throw e;
      }
    }
  }
}
