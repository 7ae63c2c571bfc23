package io.github.icebergext.dv.read;

import io.github.icebergext.dv.DeletedPositions;
import java.util.Optional;
import org.apache.iceberg.FileScanTask;

/**
 * A scan task and the vector that applies to its data file.
 *
 * @param task the task as it was planned
 * @param vector the deleted positions of the whole data file, whatever part of it the task reads;
 *     empty if the task has no vector, other deletes notwithstanding
 */
public record TaskVector(FileScanTask task, Optional<DeletedPositions> vector) {}
