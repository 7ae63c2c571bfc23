package io.github.icebergext.dv.read;

import io.github.icebergext.dv.InvalidDeletionVectorException;
import io.github.icebergext.dv.internal.AppliedDeletes;
import io.github.icebergext.puffin.Reason;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.Schema;
import org.apache.iceberg.data.BaseDeleteLoader;
import org.apache.iceberg.data.DeleteFilter;
import org.apache.iceberg.data.DeleteLoader;
import org.apache.iceberg.deletes.PositionDeleteIndex;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.util.StructLikeSet;

/**
 * Iceberg's delete loader with deletion vectors read by {@link DeletionVectorReader}. Everything
 * else is left to another loader, by default Iceberg's own.
 *
 * <p>It is made of what {@link BaseDeleteLoader} is made of, so that it goes into a {@link
 * DeleteFilter} in one line:
 *
 * <pre>{@code
 * protected DeleteLoader newDeleteLoader() {
 *   return new DeletionVectorDeleteLoader(this::loadInputFile);
 * }
 * }</pre>
 *
 * <p>The interface is in {@code org.apache.iceberg:iceberg-data}, without which this class cannot
 * be loaded. Thread-safe, if the function and the other loader are.
 */
public final class DeletionVectorDeleteLoader implements DeleteLoader {
  private final DeletionVectorReader vectors;
  private final DeleteLoader others;

  /**
   * Creates a loader that reads a vector in one request and checks it against its entry: {@link
   * ReadCheck#ENTRY}.
   *
   * @param loadInputFile opens delete files, decrypted if they are encrypted
   */
  public DeletionVectorDeleteLoader(Function<DeleteFile, InputFile> loadInputFile) {
    this(loadInputFile, settings -> settings);
  }

  /**
   * Creates a loader that reads vectors under {@code settings}, which start at {@link
   * ReadCheck#ENTRY}:
   *
   * <pre>{@code
   * new DeletionVectorDeleteLoader(
   *     this::loadInputFile,
   *     settings -> settings.withCheck(ReadCheck.FULL).withFooterCache(footers))
   * }</pre>
   *
   * @param loadInputFile opens delete files, decrypted if they are encrypted
   * @param settings changes the settings of the reader of vectors
   */
  public DeletionVectorDeleteLoader(
      Function<DeleteFile, InputFile> loadInputFile,
      UnaryOperator<DeletionVectorReader.Builder> settings) {
    this(loadInputFile, settings, new BaseDeleteLoader(loadInputFile));
  }

  /**
   * Creates a loader that reads vectors under {@code settings} and leaves equality deletes, and
   * position deletes that are no vectors, to {@code others}: a loader with a cache, for instance.
   *
   * @param loadInputFile opens Puffin files, decrypted if they are encrypted
   * @param settings changes the settings of the reader of vectors
   */
  public DeletionVectorDeleteLoader(
      Function<DeleteFile, InputFile> loadInputFile,
      UnaryOperator<DeletionVectorReader.Builder> settings,
      DeleteLoader others) {
    DeletionVectorReader.Builder builder =
        DeletionVectorReader.builder(new DeleteFileIO(loadInputFile)).withCheck(ReadCheck.ENTRY);
    this.vectors = settings.apply(builder).build();
    this.others = others;
  }

  @Override
  public StructLikeSet loadEqualityDeletes(Iterable<DeleteFile> deleteFiles, Schema projection) {
    return others.loadEqualityDeletes(deleteFiles, projection);
  }

  /**
   * Returns the positions that the vector among {@code deleteFiles} deletes, read-only; other
   * position deletes do not count beside it. Without a vector they are all left to the other
   * loader.
   *
   * @throws IllegalArgumentException if one is equality deletes
   * @throws InvalidDeletionVectorException with {@link Reason#DUPLICATE_VECTOR}, {@link
   *     Reason#NOT_DELETION_VECTOR} or {@link Reason#REFERENCED_DATA_FILE} if there are several
   *     vectors, delete files of another kind, or a vector of another data file: before anything is
   *     read
   * @throws InvalidDeletionVectorException if the vector's entry or bytes break a rule
   * @throws java.io.UncheckedIOException if the storage fails
   */
  @Override
  public PositionDeleteIndex loadPositionDeletes(
      Iterable<DeleteFile> deleteFiles, CharSequence filePath) {
    AppliedDeletes deletes = AppliedDeletes.of(filePath.toString(), deleteFiles);
    checkNoEqualityDeletes(deletes);
    if (deletes.vector().isEmpty()) {
      return others.loadPositionDeletes(deletes.positionDeletes(), filePath);
    }
    deletes.checkVectorReferences(filePath.toString());
    DeleteFile vector = deletes.vector().get();
    return vectors.read(vector).asPositionDeleteIndex(vector);
  }

  private static void checkNoEqualityDeletes(AppliedDeletes deletes) {
    if (!deletes.equalityDeletes().isEmpty()) {
      throw new IllegalArgumentException(
          "Cannot load equality delete file "
              + deletes.equalityDeletes().get(0).location()
              + " as position deletes");
    }
  }
}
