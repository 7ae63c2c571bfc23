package io.github.icebergext.dv.table;

import io.github.icebergext.dv.DeletedPositions;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.apache.iceberg.DeleteFile;

/**
 * A change that is known once some vectors are read.
 *
 * @param vectors what to read
 * @param completion what the positions of these vectors, in their order, make of it; empty if it
 *     turns out that nothing has changed
 */
record UnreadChange(
    List<DeleteFile> vectors,
    Function<List<DeletedPositions>, Optional<DeletesChange>> completion) {

  /** Returns a change for which nothing has to be read. */
  static UnreadChange known(DeletesChange change) {
    return new UnreadChange(List.of(), positions -> Optional.of(change));
  }
}
